"""MetalLB 0.16: what its programs report; these kinds are not written by hand."""

from __future__ import annotations

from pathlib import Path

from platform_def.crds.model import AGE, Api, Column, DataSchema, Definition

_DATA = Path(__file__).with_name("status_v1beta1.json")

CONFIGURATION_STATE = Api(
    group="metallb.io",
    version="v1beta1",
    kind="ConfigurationState",
    plural="configurationstates",
    spec=dict[str, object],
    top_level=True,
    data=DataSchema(_DATA, "configurationstates/v1beta1"),
    core="1.37",
    status_subresource=True,
    columns=(Column("Result", ".status.result"), Column("ErrorSummary", ".status.errorSummary"), AGE),
)

SERVICE_BGP_STATUS = Api(
    group="metallb.io",
    version="v1beta1",
    kind="ServiceBGPStatus",
    plural="servicebgpstatuses",
    spec=dict[str, object],
    data=DataSchema(_DATA, "servicebgpstatuses/v1beta1"),
    core="1.37",
    status_subresource=True,
    columns=(
        Column("Node", ".status.node"),
        Column("Service Name", ".status.serviceName"),
        Column("Service Namespace", ".status.serviceNamespace"),
    ),
)

SERVICE_L2_STATUS = Api(
    group="metallb.io",
    version="v1beta1",
    kind="ServiceL2Status",
    plural="servicel2statuses",
    spec=dict[str, object],
    data=DataSchema(_DATA, "servicel2statuses/v1beta1"),
    core="1.37",
    status_subresource=True,
    columns=(
        Column("Allocated Node", ".status.node"),
        Column("Service Name", ".status.serviceName"),
        Column("Service Namespace", ".status.serviceNamespace"),
    ),
)

CRDS = (Definition((CONFIGURATION_STATE,)), Definition((SERVICE_BGP_STATUS,)), Definition((SERVICE_L2_STATUS,)))
