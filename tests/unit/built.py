"""What a component renders, as tests ask for it: the one helper of all tests of components and constructs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from platform_def.capabilities import Devices
from platform_def.components import catalogue
from platform_def.config.capability import Provision
from platform_def.config.kubernetes import Kubernetes
from platform_def.config.platform import ComponentFact, Platform
from platform_def.constructs.component import AnyComponent, Setting
from platform_def.constructs.render import Build, render
from platform_def.constructs.resource import Manifest


class Objects:
    """The objects of one component."""

    def __init__(self, made: Build) -> None:
        self.build = made
        self.all: list[Manifest] = [item.manifest for item in made.objects]

    def of(self, kind: str) -> list[Manifest]:
        """All of a kind."""
        return [each for each in self.all if each["kind"] == kind]

    def names(self, kind: str) -> list[str]:
        """Names of all of a kind, sorted."""
        return sorted(each["metadata"]["name"] for each in self.of(kind))

    def one(self, kind: str, name: str = "") -> Manifest:
        """The one of that kind and name; without a name the only one of the kind."""
        found = [each for each in self.of(kind) if not name or each["metadata"]["name"] == name]
        assert len(found) == 1, f"{len(found)} {kind}/{name}: there are {self.names(kind)}"
        return found[0]

    def part(self, kind: str, name: str = "") -> str:
        """The part that an object is delivered with."""
        wanted = self.one(kind, name)
        return next(each.part for each in self.build.objects if each.manifest is wanted)

    def pod(self, kind: str, name: str = "") -> dict[str, Any]:
        """The pod of a workload."""
        spec: dict[str, Any] = self.one(kind, name)["spec"]["template"]["spec"]
        return spec

    def container(self, kind: str, name: str = "", container: str = "") -> dict[str, Any]:
        """A container of a workload's pod, by default the first."""
        every = self.pod(kind, name)["containers"]
        found: dict[str, Any] = next(each for each in every if not container or each["name"] == container)
        return found

    def arguments(self, kind: str, name: str = "", container: str = "") -> list[str]:
        """Its arguments."""
        found: list[str] = self.container(kind, name, container).get("args", [])
        return found

    def rules(self, kind: str, name: str = "") -> list[dict[str, Any]]:
        """Rules of a role."""
        found: list[dict[str, Any]] = self.one(kind, name)["rules"]
        return found


def built(component: type[AnyComponent], platform: Platform | None = None, *, name: str = "", **config: Any) -> Objects:
    """A component with a configuration, by the names that stack files use or by those of Python."""
    chosen = component.config_model()(**config)
    facts = platform or Platform()
    return Objects(render(lambda scope: component(scope, config=chosen, platform=facts, name=name)))


def platform(**facts: Any) -> Platform:
    """A platform; `kubernetes` as text."""
    if "kubernetes" in facts:
        facts["kubernetes"] = Kubernetes(facts["kubernetes"])
    return Platform(**facts)


def stack_of(components: Mapping[str, Mapping[str, Any]], **facts: Any) -> Platform:
    """A platform with components of the catalogue, by name with their configurations, and what these give each other.

    `{"provided": True}` is one that the cluster has.
    """
    kinds = {name: catalogue.component(name) for name in components}
    chosen = {
        name: kind.config_model().from_file({key: each for key, each in components[name].items() if key != "provided"})
        for name, kind in kinds.items()
    }
    there = {
        name: ComponentFact(each.version, each.namespace, provided="provided" in components[name], component=name)
        for name, each in chosen.items()
    }
    bare = platform(components=there, **facts)
    offers = {name: kind.offered(Setting(name, chosen[name], bare)) for name, kind in kinds.items()}
    given = [(name, each) for name, offer in sorted(offers.items()) for each in offer.capabilities]
    return bare.with_facts(
        provisions=tuple(Provision.of(each, name, provided=there[name].provided) for name, each in given),
        apis=bare.apis.union(*(offer.apis for offer in offers.values())),
        resources=bare.resources.union(*(each.resources for _, each in given if isinstance(each, Devices))),
    )


def setting(
    component: type[AnyComponent],
    config: Mapping[str, Any] | None = None,
    *,
    beside: Mapping[str, Mapping[str, Any]] | None = None,
    **facts: Any,
) -> Setting[Any]:
    """A component as a stack has it, beside others."""
    there = stack_of({component.slug: config or {}, **(beside or {})}, **facts)
    return Setting(component.slug, component.config_model().from_file(config or {}), there)


def told(component: type[AnyComponent], config: Mapping[str, Any] | None = None, **stack: Any) -> list[str]:
    """What a component says against its stack, which is told as to `setting`."""
    return [str(problem) for problem in component.problems(setting(component, config, **stack))]


def grants(rules: list[dict[str, Any]], group: str, resource: str) -> set[str]:
    """What the rules allow with a resource."""
    return {
        verb
        for rule in rules
        if group in rule.get("apiGroups", []) and resource in rule.get("resources", [])
        for verb in rule["verbs"]
    }


def labels(**of: str) -> Mapping[str, str]:
    """Labels that select a workload."""
    return {f"app.kubernetes.io/{key}": value for key, value in of.items()}
