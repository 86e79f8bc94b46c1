"""Kubeflow's roles: what viewers, editors and administrators of a namespace may do, and which members have them.

The three roles hold no rules of their own: the controller manager fills them from every role with the label for it,
such as those that components have for what they serve.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.capabilities import TeamRoles
from platform_def.components.people.kubeflow_roles.config import KubeflowRolesConfig
from platform_def.components.people.kubeflow_roles.members import members, problems
from platform_def.constructs import READ, Component, Offers, Problem, Setting, aggregated, allow
from platform_def.constructs.people import KUBEFLOW

CHANGE = "create delete deletecollection patch update"
SEEN: Mapping[str, str] = {
    "": "bindings configmaps endpoints events limitranges namespaces namespaces/status persistentvolumeclaims "
    "persistentvolumeclaims/status pods pods/log pods/status replicationcontrollers replicationcontrollers/scale "
    "replicationcontrollers/status resourcequotas resourcequotas/status serviceaccounts services services/status",
    "apps": "controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status "
    "replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status",
    "autoscaling": "horizontalpodautoscalers horizontalpodautoscalers/status",
    "batch": "cronjobs cronjobs/status jobs jobs/status",
    "networking.k8s.io": "ingresses ingresses/status networkpolicies",
    "policy": "poddisruptionbudgets poddisruptionbudgets/status",
}
"""What viewers see: no Secrets, and nothing of roles."""
ENTERED = "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy"
"""What editors also read: through a pod one has its account's rights."""
CHANGED: Mapping[str, str] = {
    "": "configmaps endpoints persistentvolumeclaims pods replicationcontrollers replicationcontrollers/scale "
    "serviceaccounts services",
    "apps": "daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets "
    "statefulsets/scale",
    "autoscaling": "horizontalpodautoscalers",
    "batch": "cronjobs jobs",
    "networking.k8s.io": "ingresses networkpolicies",
    "policy": "poddisruptionbudgets",
}
"""What editors change."""


class KubeflowRoles(Component[KubeflowRolesConfig]):
    """The roles kubeflow-admin, kubeflow-edit, kubeflow-view, what they hold of Kubernetes' own kinds, bindings."""

    gives = (TeamRoles,)

    @classmethod
    def offers(cls, at: Setting[KubeflowRolesConfig]) -> Offers:  # noqa: ARG003 - the same everywhere
        """Roles for members of teams."""
        return Offers(capabilities=(TeamRoles(),))

    @classmethod
    def problems(cls, at: Setting[KubeflowRolesConfig]) -> Iterator[Problem]:
        """Groups in a mesh that no request could show it belongs to."""
        yield from problems(at)

    def build(self) -> None:
        """Six roles: administrators also do what editors do, and editors see what viewers see; and who has them."""
        aggregated(self, "kubeflow-admin", None, KUBEFLOW, gathers=f"{KUBEFLOW}admin")
        aggregated(self, "kubeflow-edit", None, KUBEFLOW, "admin", gathers=f"{KUBEFLOW}edit")
        aggregated(self, "kubeflow-view", None, KUBEFLOW, "edit", gathers=f"{KUBEFLOW}view")
        aggregated(self, "kubeflow-kubernetes-admin", [*_administered()], KUBEFLOW, "admin")
        aggregated(self, "kubeflow-kubernetes-edit", [*_changed()], KUBEFLOW, "edit")
        aggregated(self, "kubeflow-kubernetes-view", [*_of(SEEN, READ)], KUBEFLOW, "view")
        for team in self.platform.teams:
            members(self, team)


def _administered() -> Iterator[PolicyRule]:
    yield allow("authorization.k8s.io", "localsubjectaccessreviews", verbs="create")
    # The API server refuses grants of what the granter may not do.
    yield allow("rbac.authorization.k8s.io", "rolebindings roles", verbs=f"{CHANGE} {READ}")


def _changed() -> Iterator[PolicyRule]:
    yield allow("", ENTERED, verbs=f"{CHANGE} {READ}")
    yield from _of(CHANGED, CHANGE)


def _of(resources: Mapping[str, str], verbs: str) -> Iterator[PolicyRule]:
    for group, names in resources.items():
        yield allow(group, names, verbs=verbs)
