"""Every object lives in a namespace that is there when it arrives."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.errors import nearest
from platform_def.manifests.rendered import RenderedObject
from platform_def.manifests.scope import namespaced

ALWAYS_THERE = frozenset({"default", "kube-system", "kube-public", "kube-node-lease"})


def _namespaces(context: Context) -> frozenset[str]:
    """Rendered ones, those that the cluster has, and those that controllers make."""
    stack = context.stack
    provided = {fact.namespace for fact in stack.platform.components.values() if fact.provided}
    engine = {item.namespace for item in stack.delivery if item.namespace}
    existing = {each.name for each in stack.platform.existing if each.kind == "Namespace"}
    made = {name for group, kind, _, name in context.graph.made if (group, kind) == ("", "Namespace")}
    return context.index.namespaces | context.existing_namespaces | ALWAYS_THERE | provided | engine | existing | made


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    there = context.once(_namespaces)
    for item in context.own:
        if item.namespace and item.namespace not in there and namespaced(item.api_version, item.kind) is not False:
            near = nearest(item.namespace, there - ALWAYS_THERE)
            hint = near if near.startswith("did you mean") else None
            yield item, Fault("metadata.namespace", f"the namespace '{item.namespace}' does not exist", hint)


NAMESPACE_EXISTS = StackRule(
    id="namespace-exists",
    severity="error",
    title="Every namespace of an object exists: rendered, or present in every cluster",
    why="The API server refuses an object in a namespace that is not there.",
    fix="name it in `namespace:` of the component, render a Namespace object, or list it in `cluster.existing`",
    check=_check,
    without_stack="with --existing",
)
