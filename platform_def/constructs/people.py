"""Roles for the people who write a component's custom resources, which roles of the cluster take in by their labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from platform_def.apis.core.rbac_v1 import CLUSTER_ROLE, PolicyRule
from platform_def.constructs.component import Piece, Scope
from platform_def.constructs.rbac import READ, WRITE, allow
from platform_def.constructs.resource import Resource
from platform_def.crds.model import Definition

KUBEFLOW = "rbac.authorization.kubeflow.org/aggregate-to-kubeflow-"
"""Label by which the roles kubeflow-admin, -edit and -view take in others; a Profile's people are bound to these."""
KUBERNETES = "rbac.authorization.k8s.io/aggregate-to-"
"""Label by which Kubernetes' own roles admin, edit and view do."""


class PeopleRoles(Piece):
    """Roles to see and to write what a component serves: `kubeflow-<name>-admin`, `-edit`, `-view`."""

    def __init__(
        self,
        scope: Scope,
        served: Iterable[Definition] | None = None,
        *,
        name: str = "",
        aggregate: str = KUBEFLOW,
        verbs: str = WRITE,
        status: bool = True,
        edit: Sequence[PolicyRule] = (),
        view: Sequence[PolicyRule] = (),
    ):
        """`served` is by default everything that the component serves, `name` its own; `verbs` are those of editors.

        `edit` and `view` are further rules; `status` lets both read the kinds' statuses by themselves. With KUBERNETES
        there is no admin of its own, and names have no `kubeflow-`.

        Kubeflow's own admin gathers its rules from the editor's role by a label. Here it has them itself: when both are
        deleted at once, the controller manager, which writes what a role gathers by server-side apply, often creates
        the deleted role again.
        """
        super().__init__(scope, name)
        component = self.component
        stem = name or component.slug
        kinds = tuple(component.served if served is None else served)
        statuses = grants(kinds, "get", "status") if status else []
        may_edit = [*grants(kinds, verbs), *statuses, *edit]
        may_view = [*grants(kinds, READ), *statuses, *view]
        if not component.first:
            return
        if aggregate == KUBEFLOW:
            called = f"kubeflow-{stem}"
            aggregated(self, f"{called}-admin", may_edit, aggregate, "admin")
            aggregated(self, f"{called}-edit", may_edit, aggregate, "edit")
            aggregated(self, f"{called}-view", may_view, aggregate, "view")
        else:
            aggregated(self, f"{stem}-edit", may_edit, aggregate, "edit", "admin")
            aggregated(self, f"{stem}-view", may_view, aggregate, "view", "edit", "admin")


def aggregated(
    scope: Scope, name: str, rules: Sequence[PolicyRule] | None, aggregate: str, *into: str, gathers: str = ""
) -> None:
    """A cluster role that others take in by `aggregate` and their name; with `gathers` it takes in others itself.

    One that gathers has no `rules`: the controller manager writes them, and a list here would take them away again.
    """
    Resource(
        scope,
        CLUSTER_ROLE,
        name,
        labels={f"{aggregate}{each}": "true" for each in into},
        fields={"aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {gathers: "true"}}]}}
        if gathers
        else {"rules": [*(rules or ())]},
    )


def grants(kinds: Iterable[Definition], verbs: str, subresource: str = "") -> list[PolicyRule]:
    """Rules for custom resources, one for each API group."""
    plurals: dict[str, list[str]] = {}
    for each in kinds:
        name = f"{each.api.plural}/{subresource}" if subresource else each.api.plural
        plurals.setdefault(each.api.group, []).append(name)
    return [allow(group, " ".join(sorted(names)), verbs=verbs) for group, names in sorted(plurals.items())]
