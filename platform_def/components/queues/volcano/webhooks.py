"""Volcano's admission webhooks: for its own kinds alone, so that nothing else waits for it.

Each has a configuration of its own, found by a name that is compiled into the server. Those for pods are off, as in
upstream's chart: with them no pod of the cluster would start while Volcano is away.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, cast

from platform_def.apis.core.meta_v1 import LabelSelector
from platform_def.constructs import Hook, rule

SERVICE = "volcano-admission-service"
BATCH, SCHEDULING = ("batch.volcano.sh", "v1alpha1"), ("scheduling.volcano.sh", "v1beta1")


@dataclass(frozen=True)
class Admitted:
    """A kind, and what happens to it on its way in."""

    verb: Literal["mutate", "validate"]
    plural: str
    api: tuple[str, str]
    operations: str
    name: str = ""
    """Stem of the webhook's name, by default that of the kind."""

    @property
    def path(self) -> str:
        """Where the server answers, and what turns it on."""
        return f"/{self.plural}/{self.verb}"

    @property
    def configuration(self) -> str:
        """Name of the configuration."""
        return f"{SERVICE}-{self.plural}-{self.verb}"

    def hook(self, spared: LabelSelector) -> Hook:
        """The one webhook of the configuration."""
        return Hook(
            name=f"{self.verb}{self.name or self.plural.removesuffix('s')}.volcano.sh",
            path=self.path,
            rules=[rule(*self.api, self.plural, self.operations)],
            side_effects="NoneOnDryRun",
            namespace_selector=spared,
        )


ADMITTED = (
    Admitted("mutate", "jobs", BATCH, "CREATE"),
    Admitted("validate", "jobs", BATCH, "CREATE UPDATE"),
    Admitted("validate", "podgroups", SCHEDULING, "CREATE"),
    Admitted("mutate", "queues", SCHEDULING, "CREATE"),
    Admitted("validate", "queues", SCHEDULING, "CREATE UPDATE DELETE"),
    Admitted("validate", "hypernodes", ("topology.volcano.sh", "v1alpha1"), "CREATE UPDATE", "hypernodes"),
    Admitted("validate", "cronjobs", BATCH, "CREATE UPDATE"),
)


def configurations(verb: Literal["mutate", "validate"]) -> Iterator[str]:
    """Names of the mutating or of the validating ones."""
    yield from (each.configuration for each in ADMITTED if each.verb == verb)


def beside(namespace: str) -> LabelSelector:
    """All namespaces but Volcano's own and Kubernetes', as upstream has it."""
    expression = {
        "key": "kubernetes.io/metadata.name",
        "operator": "NotIn",
        "values": sorted({namespace, "kube-system"}),
    }
    return cast(LabelSelector, {"matchExpressions": [expression]})
