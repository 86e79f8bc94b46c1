"""One ConfigMap in the cluster that leads back to the stack: no other object names it, so builds serve many stacks."""

from __future__ import annotations

from platform_def import __version__
from platform_def.apis.core import CONFIG_MAP
from platform_def.config.cluster import Delivery
from platform_def.delivery.target import MANAGED
from platform_def.manifests.author import manifest
from platform_def.manifests.rendered import Manifest

NAME = "platform-def"
NAMESPACE = "kube-public"
"""It is in every cluster, and what is in it may be read by many; managed clusters close kube-system to others."""


def origin(stack: str, cluster: str, delivery: Delivery) -> Manifest:
    """Stack, repository, path and tool version; no time and no commit, which would make every synth another one."""
    facts = {
        "stack": stack,
        "cluster": cluster,
        "repository": delivery.repository,
        "path": f"{delivery.path}/{stack}",
        "stackFile": f"stacks/{stack}.yaml",
        "tool": f"platform-def {__version__}",
    }
    data = {key: value for key, value in facts.items() if value}
    return manifest(CONFIG_MAP, NAME, namespace=NAMESPACE, labels=MANAGED, fields={"data": data})
