"""What all kinds of workloads share."""

from __future__ import annotations

from collections.abc import Mapping

from platform_def.apis.core.core_v1 import PodSpec, PodTemplateSpec
from platform_def.constructs.component import Piece, Scope
from platform_def.constructs.knobs import WorkloadRole
from platform_def.constructs.workloads.chosen import chosen_for
from platform_def.constructs.workloads.pod_template import pod_template


class Workload(Piece):
    """What all kinds of workloads share: their role, the template of their pods, a number of pods."""

    scales = False
    belongs_to_nodes = False
    calls_out = True

    def __init__(self, scope: Scope, name: str, role: str):
        super().__init__(scope, name)
        self.name = name
        self.role = role or self.component.roles.role_of(name)
        self.chosen = chosen_for(self.component, self.role)

    def entry(self, *, scales: bool = False) -> WorkloadRole:
        """This workload among those that a stack may change."""
        return self.component.roles.add(self.role, scales=scales, belongs_to_nodes=self.belongs_to_nodes)

    def template(
        self,
        pod: PodSpec,
        *,
        labels: Mapping[str, str] | None = None,
        annotations: Mapping[str, str] | None = None,
        scales: bool = False,
    ) -> PodTemplateSpec:
        """The pods of this workload."""
        entry = self.entry(scales=scales)
        entry.containers |= {each["name"] for each in [*pod["containers"], *pod.get("initContainers", [])]}
        return pod_template(
            self.component,
            self.name,
            pod,
            chosen=self.chosen,
            role=self.role,
            labels=labels,
            annotations=annotations,
            belongs_to_nodes=self.belongs_to_nodes,
            calls_out=self.calls_out,
        )
