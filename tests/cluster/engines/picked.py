"""What the experiments of the delivery table are tried with: objects of the stack itself, chosen from what it renders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from platform_def.manifests.admission import StackWebhooks
from platform_def.manifests.graph import Graph
from platform_def.manifests.index import ObjectIndex
from platform_def.manifests.loose import at, items, mapping
from platform_def.manifests.rendered import RenderedObject, RenderedStack
from tests.cluster.client import Manifest

FIELD = "platformDefTest"
"""The field that a definition gets."""
PROGRAMS = ("Deployment", "StatefulSet", "DaemonSet")
_ENGINES = ("argoproj.io", "source.toolkit.fluxcd.io", "kustomize.toolkit.fluxcd.io")


@dataclass(frozen=True)
class Served:
    """A custom resource, its definition and the first program of the component that brings the definition."""

    resource: RenderedObject
    definition: RenderedObject
    program: RenderedObject

    def __str__(self) -> str:
        return f"{self.resource}, served by {self.program.component}"


@dataclass(frozen=True)
class Leaving:
    """Components that go in one commit: the one whose program serves the resource first, then those that need it."""

    served: Served
    components: tuple[str, ...]


def rendered(folder: Path) -> RenderedStack:
    """The one stack of a repository as it is."""
    from platform_def.pipeline.synth import Options, render

    (stack,) = render(Options(root=folder, cache=folder / ".platformctl" / "tests")).stacks
    return stack


def served(stack: RenderedStack) -> Iterator[Served]:
    """The stack's custom resources whose definition and program the stack brings too; those of engines are left out."""
    index = _index(stack)
    graph = Graph(index)
    programs: dict[str, RenderedObject] = {}
    for item in index.objects:
        if item.kind in PROGRAMS and item.group == "apps" and item.part == "main":
            programs.setdefault(item.component, item)
    for item in index.objects:
        definition = graph.definition(f"{item.kind}.{item.group}")
        program = programs.get(definition.component) if definition else None
        if definition and program and item.group not in _ENGINES:
            yield Served(item, definition, program)


def extensible(stack: RenderedStack) -> Served | None:
    """A resource whose definition can get a field that the API server refuses without it."""
    return next((each for each in served(stack) if version_paths(each)), None)


def version_paths(found: Served) -> list[str]:
    """Where a definition lists the fields of `spec`, as JSON pointers: of all its versions, or none where one keeps
    what it does not know."""
    places = []
    for number, version in enumerate(items(at(found.definition.manifest, "spec.versions"))):
        spec = mapping(at(version, "schema.openAPIV3Schema.properties.spec"))
        if not spec.get("properties") or "x-kubernetes-preserve-unknown-fields" in spec:
            return []
        places.append(f"/spec/versions/{number}/schema/openAPIV3Schema/properties/spec/properties/{FIELD}")
    return places if mapping(found.resource.manifest.get("spec")) else []


def leaving(stack: RenderedStack) -> list[Leaving]:
    """What could go with a resource that its program must see go, the fewest components first."""
    found: dict[str, Leaving] = {}
    for each in served(stack):
        name = each.program.component
        if f"{name}/main" in stack.servers.get(f"{each.resource.component}/{each.resource.part}", ()):
            found.setdefault(name, Leaving(each, (name, *sorted(_needing(stack, name) - {name}))))
    return sorted(found.values(), key=lambda each: (len(each.components), each.components))


def admitted(stack: RenderedStack) -> RenderedObject | None:
    """An object that is refused while a webhook of the stack is away: its own change is asked about, not that of pods."""
    hooks = StackWebhooks(_index(stack))
    for each in served(stack):
        if any(gate.refuses and _about(gate.body, each) for gate in hooks.hooks(each.resource)):
            return each.resource
    return None


def injectors(stack: RenderedStack) -> set[str]:
    """Paths of the webhooks that change pods, and without which pods are refused."""
    hooks = (
        mapping(hook)
        for item in _index(stack).by_kind.get(("admissionregistration.k8s.io", "MutatingWebhookConfiguration"), ())
        for hook in items(item.manifest.get("webhooks"))
    )
    return {
        str(at(hook, "clientConfig.service.path") or "/")
        for hook in hooks
        if hook.get("failurePolicy", "Fail") == "Fail"
        and any("pods" in items(mapping(rule).get("resources")) for rule in items(hook.get("rules")))
    }


def _about(hook: Manifest, found: Served) -> bool:
    """Whether a webhook's rules cover updates of the resource itself."""
    plural = str(at(found.definition.manifest, "spec.names.plural"))
    rules = [mapping(each) for each in items(hook.get("rules"))]
    return any(
        {"*", found.resource.group} & {*items(rule.get("apiGroups"))}
        and {"*", "*/*", plural} & {*items(rule.get("resources"))}
        and {"*", "UPDATE"} & {*items(rule.get("operations"))}
        for rule in rules
    )


def _needing(stack: RenderedStack, component: str) -> set[str]:
    """Components that cannot do without one, directly or not."""
    needs: dict[str, set[str]] = {}
    for part, found in stack.needs.items():
        needs.setdefault(part.partition("/")[0], set()).update(each.partition("/")[0] for each in found)
    needing = {component}
    while more := {name for name, found in needs.items() if found & needing} - needing:
        needing |= more
    return needing


def _index(stack: RenderedStack) -> ObjectIndex:
    return ObjectIndex(item for _, component in sorted(stack.components.items()) for item in component.objects)
