"""Every name in an object is that of another one: rendered, made by a controller, or in the cluster already."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault, Severity
from platform_def.checks.rule import StackRule
from platform_def.crds.core.kinds import CORE_KINDS
from platform_def.errors import nearest
from platform_def.manifests.existing import exists
from platform_def.manifests.keys import keys_of
from platform_def.manifests.links import Name
from platform_def.manifests.rendered import RenderedObject

_CORE = frozenset((api_version.rpartition("/")[0], kind) for api_version, kind in CORE_KINDS)

_FROM_ELSEWHERE = frozenset(
    {
        ("", "PersistentVolume"),
        ("", "Secret"),
        ("networking.k8s.io", "IngressClass"),
        ("node.k8s.io", "RuntimeClass"),
        ("scheduling.k8s.io", "PriorityClass"),
        ("storage.k8s.io", "CSIDriver"),
        ("storage.k8s.io", "StorageClass"),
    }
)
"""Kinds of which a cluster has some, whatever else manifests bring."""
_GOVERNING = "spec.serviceName"
"""A StatefulSet runs without its Service; only its pods have no names of their own then."""


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    graph = context.graph
    for item in context.own:
        for name in graph.missing(item):
            if (
                not name.optional
                and not _out_of_sight(name, item, context)
                and not exists(name, context.stack.platform)
            ):
                yield item, Fault(name.path, _text(name, item, context), _hint(name, context), _severity(name, context))
        for name in graph.names(item):
            target = graph.target(name) if name.key and not name.optional else None
            keys = keys_of(target, name.kind) if target else None
            # An object that is rendered empty is filled in the cluster.
            if keys and name.key not in keys:
                said = f"the {name.kind} {name.name} has no key '{name.key}'"
                yield item, Fault(name.path, said, nearest(name.key, keys))


def _out_of_sight(name: Name, item: RenderedObject, context: Context) -> bool:
    """Whether it cannot be known here that the other object is missing.

    That is so in a namespace that is not the stack's, and, of manifests without a stack, where such objects usually
    come from elsewhere: unless the manifests bring others of that kind for the same place. Where the cluster's existing
    objects of the kind were listed, that decides.
    """
    namespaced = context.graph.is_namespaced(name.group, name.kind)
    if namespaced and name.namespace in context.rendered_namespaces:
        return False
    if (name.group, name.kind) in context.existing_kinds:
        return namespaced and name.namespace not in context.existing_namespaces
    if not context.stack.foreign:
        return namespaced
    if (name.group, name.kind) in _FROM_ELSEWHERE or name.path == _GOVERNING:
        return True
    there = _there(name, context)
    # Where it exists, only the scope is wrong, which is reported for the object itself.
    return name.name in there or not there or (namespaced and name.namespace != item.namespace)


def _text(name: Name, item: RenderedObject, context: Context) -> str:
    if not context.graph.is_namespaced(name.group, name.kind):
        return f"names the {name.kind} '{name.name}', which does not exist"
    place = "its namespace" if name.namespace == item.namespace else f"namespace {name.namespace}"
    return f"names the {name.kind} '{name.name}', which does not exist in {place}"


def _there(name: Name, context: Context) -> Sequence[str]:
    """The names of the kind that are there for the same place."""
    known = context.once(_names_by_place)
    return [*known.get((name.group, name.kind, None), ()), *known.get((name.group, name.kind, name.namespace), ())]


def _names_by_place(context: Context) -> Mapping[tuple[str, str, str | None], Sequence[str]]:
    """The names of objects by group, kind and namespace."""
    found: dict[tuple[str, str, str | None], list[str]] = {}
    for item in context.index.objects:
        found.setdefault((item.group, item.kind, item.namespace), []).append(item.name)
    return found


def _hint(name: Name, context: Context) -> str | None:
    there = _there(name, context)
    near = nearest(name.name, there) if there else ""
    if near.startswith("did you mean"):
        return near
    elsewhere = _elsewhere(name, context)
    if elsewhere:
        return elsewhere
    return "add it, or correct the name" if context.stack.foreign else None


def _elsewhere(name: Name, context: Context) -> str:
    """What is there under the name: of the same kind for the whole cluster or for one namespace, or somewhere else."""
    known = context.once(_names_by_place)
    single = name.kind.removeprefix("Cluster")
    for kind, place in ((f"Cluster{name.kind}", None), (single, name.namespace)):
        if name.name in known.get((name.group, kind, place), ()):
            return f"write kind: {kind}, of which there is one of that name"
    same = ((place, names) for (group, kind, place), names in known.items() if (group, kind) == (name.group, name.kind))
    places = sorted(place for place, names in same if place and name.name in names)
    return f"there is one in namespace {places[0]}" if places else ""


def _severity(name: Name, context: Context) -> Severity:
    """Secrets are made by people, and a cluster may hold objects of kinds that something provided serves.

    A list of the cluster's existing objects leaves no such doubt.
    """
    if (name.group, name.kind) in context.existing_kinds and not name.weak:
        return "error"
    foreign = (name.group, name.kind) not in _CORE and (name.group, name.kind) not in context.index.custom
    return "warning" if name.kind == "Secret" or name.weak or foreign else "error"


REFERENCE_EXISTS = StackRule(
    id="reference-exists",
    severity="error",
    title="Every referenced object exists: rendered, created in the cluster, or there already",
    why="A pod whose ConfigMap, Secret, claim or service account is missing never starts, and nothing says so at sync.",
    fix="render it, correct the name, or list it in `cluster.existing` when the cluster has it",
    check=_check,
    without_stack="as a warning",
)
