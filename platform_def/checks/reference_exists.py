"""Every name in an object is that of another one: rendered, made by a controller, or in the cluster already."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.apis.core.kinds import CORE_KINDS
from platform_def.checks.context import Context
from platform_def.checks.fault import Fault, Severity
from platform_def.checks.rule import StackRule
from platform_def.errors import nearest
from platform_def.manifests.existing import exists
from platform_def.manifests.links import Name
from platform_def.manifests.rendered import RenderedObject

_CORE = frozenset((api_version.rpartition("/")[0], kind) for api_version, kind in CORE_KINDS)


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    graph = context.graph
    for item in context.index.objects:
        for name in graph.missing(item):
            if not name.optional and not _out_of_sight(name, context) and not exists(name, context.stack.platform):
                yield item, Fault(name.path, _text(name, item, context), _hint(name, context), _severity(name, context))
        for name in graph.names(item):
            target = graph.target(name)
            if name.key and not name.optional and target and target.kind == name.kind == "ConfigMap":
                keys = [*(target.manifest.get("data") or ()), *(target.manifest.get("binaryData") or ())]
                # Whoever renders an empty one has something in the cluster fill it.
                if keys and name.key not in keys:
                    hint = nearest(name.key, keys)
                    yield item, Fault(name.path, f"the ConfigMap {name.name} has no key '{name.key}'", hint)


def _out_of_sight(name: Name, context: Context) -> bool:
    """Whether the other object would be in a namespace that is not the stack's: what is there, nobody here knows."""
    if context.stack.foreign and not context.graph.is_namespaced(name.group, name.kind):
        return True
    return context.graph.is_namespaced(name.group, name.kind) and name.namespace not in context.index.namespaces


def _text(name: Name, item: RenderedObject, context: Context) -> str:
    if not context.graph.is_namespaced(name.group, name.kind):
        return f"names the {name.kind} '{name.name}', which nobody makes"
    place = "its namespace" if name.namespace == item.namespace else f"namespace {name.namespace}"
    return f"names the {name.kind} '{name.name}', which nobody makes in {place}"


def _hint(name: Name, context: Context) -> str:
    there = [
        item.name
        for item in context.index.by_kind.get((name.group, name.kind), ())
        if item.namespace is None or item.namespace == name.namespace
    ]
    near = nearest(name.name, there) if there else ""
    if near.startswith("did you mean"):
        return near
    return "add it, or correct the name" if context.stack.foreign else ""


def _severity(name: Name, context: Context) -> Severity:
    """Secrets are made by people, and a cluster may hold objects of kinds that something provided serves."""
    foreign = (name.group, name.kind) not in _CORE and (name.group, name.kind) not in context.index.custom
    return "warning" if name.kind == "Secret" or name.weak or foreign else "error"


REFERENCE_EXISTS = StackRule(
    id="reference-exists",
    severity="error",
    title="Every object that another one names is rendered, is made in the cluster, or is there already",
    why="A pod whose ConfigMap, Secret, claim or service account is missing never starts, and nothing says so at sync.",
    fix="render it, correct the name, or list it in `cluster.existing` when the cluster has it",
    check=_check,
    alone="as a warning",
)
