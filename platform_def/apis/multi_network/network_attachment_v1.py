"""NetworkAttachmentDefinition, the network that Multus attaches pods to beside the cluster's own."""

from __future__ import annotations

from platform_def.crds.model import Api, Definition
from platform_def.crds.typed_dict import TypedDict


class NetworkAttachmentDefinitionSpec(TypedDict, total=False):
    """How a pod is attached; without it a file of the network's name is looked for on the node."""

    config: str
    """A CNI configuration, or a list of plugins, as JSON."""


NETWORK_ATTACHMENT_DEFINITION = Api(
    group="k8s.cni.cncf.io",
    version="v1",
    kind="NetworkAttachmentDefinition",
    plural="network-attachment-definitions",
    spec=NetworkAttachmentDefinitionSpec,
    doc="A network that pods may ask for in the annotation k8s.v1.cni.cncf.io/networks.",
)

CRDS = (
    Definition(
        (NETWORK_ATTACHMENT_DEFINITION,),
        singular="network-attachment-definition",
        short_names=("nad", "net-attach-def"),
    ),
)
