"""A pod does not come before the definitions that its program looks for only when it starts.

Where no gate keeps the order, such a program may start first. It then serves less than it should, or nothing, until it
is restarted, and its probes do not show it. So the API server refuses its pods until each of these definitions is
established. The controller that makes a pod tries again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from platform_def.apis.core.admissionregistration_v1 import MatchResources
from platform_def.apis.core.apiextensions_v1 import CUSTOM_RESOURCE_DEFINITION
from platform_def.delivery.pods.refusals import binding, refusal
from platform_def.delivery.target import Target
from platform_def.manifests.graph import Graph
from platform_def.manifests.loose import at, mapping
from platform_def.manifests.rendered import Manifest, RenderedObject, RenderedStack

NAME = "platform-def-definitions"
CHOSEN_BY = ("app.kubernetes.io/name", "app.kubernetes.io/instance")
"""Labels by which the workloads of components select their pods."""
PROGRAMS = frozenset({("apps", "Deployment"), ("apps", "StatefulSet"), ("apps", "DaemonSet")})
"""Kinds whose programs run on, by group."""
ESTABLISHED = (
    "has(params.status) && has(params.status.conditions)"
    " && params.status.conditions.exists(each, each.type == 'Established' && each.status == 'True')"
)
"""CEL about a definition: the API server serves it."""
_KIND = CUSTOM_RESOURCE_DEFINITION
_POD = (
    "(has(object.metadata.name) ? object.metadata.name :"
    " has(object.metadata.generateName) ? object.metadata.generateName : '')"
)

Awaiting = Mapping[RenderedObject, Sequence[RenderedObject]]
"""By definition the workloads whose programs look for it only when they start."""


def awaiting(stack: RenderedStack, graph: Graph) -> Awaiting:
    """The definitions that the stack brings and its components await (`awaits`), their own ones included."""
    found: dict[RenderedObject, list[RenderedObject]] = {}
    for _, component in sorted(stack.components.items()):
        programs = [item for item in component.objects if (item.group, item.kind) in PROGRAMS]
        for name in dict.fromkeys(component.awaits):
            definition = graph.definition(name)
            if definition and programs:
                found.setdefault(definition, []).extend(programs)
    return found


def definition_gate(target: Target, waiting: Awaiting) -> Iterator[Manifest]:
    """The policy, and a binding for each definition; nothing where there are none.

    Pods of the engine, which is to bring the definitions, are left out.
    """
    elsewhere = {
        definition: [item for item in programs if item.namespace != target.namespace]
        for definition, programs in waiting.items()
    }
    bindings = [
        _binding(definition, programs)
        for definition, programs in sorted(elsewhere.items(), key=lambda each: each[0].name)
        if programs
    ]
    if bindings:
        message = f"'the pod ' + {_POD} + ' waits for the definition ' + params.metadata.name"
        yield refusal(NAME, api_version=_KIND.api_version, kind=_KIND.kind, until=ESTABLISHED, message=message)
        yield from bindings


def _binding(definition: RenderedObject, programs: Sequence[RenderedObject]) -> Manifest:
    """The pods that wait for it, in the namespaces of their components."""
    homes = sorted({item.namespace or "" for item in programs})
    labels = {key: sorted({_label(item, key) for item in programs}) for key in CHOSEN_BY}
    chosen: MatchResources = {
        "namespaceSelector": {
            "matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": homes}]
        },
        "objectSelector": {
            "matchExpressions": [{"key": key, "operator": "In", "values": values} for key, values in labels.items()]
        },
    }
    return binding(NAME, definition.name, awaited=definition.name, chosen=chosen)


def _label(item: RenderedObject, key: str) -> str:
    return str(mapping(at(item.manifest, "spec.template.metadata.labels"))[key])
