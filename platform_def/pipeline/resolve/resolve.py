"""Turns a loaded stack into the platform's facts and a list of components with validated configuration.

All problems of a stack are reported together, each with the file and line that the user has to change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from platform_def.checks import waivers
from platform_def.components import catalogue
from platform_def.config.cluster import ClusterFacts
from platform_def.config.component import Application, ComponentConfig
from platform_def.config.platform import ComponentFact, NamespaceNeed, Platform
from platform_def.config.reads import observed
from platform_def.config.stack import Stack, StackFacts
from platform_def.config.teams import PodSecurity
from platform_def.constructs.component import AnyComponent, Setting
from platform_def.constructs.release import Release
from platform_def.constructs.route import no_gateway
from platform_def.errors import ConfigError, Problem
from platform_def.jobs.template import JobConfig
from platform_def.pipeline.findings.waivers import waivers_of
from platform_def.pipeline.load import Loaded
from platform_def.pipeline.overlays import of_jobs
from platform_def.pipeline.resolve import problems as wrong
from platform_def.pipeline.resolve.asking import asked
from platform_def.pipeline.resolve.choices import Choices, Chosen, choices, jobs, services
from platform_def.pipeline.resolve.ciphertexts import ciphertexts
from platform_def.pipeline.resolve.documents import documents
from platform_def.pipeline.resolve.doubts import Doubts
from platform_def.pipeline.resolve.existing import existing_objects
from platform_def.pipeline.resolve.offers import Gathered, gather
from platform_def.pipeline.resolve.partners import follow
from platform_def.pipeline.resolve.sources import sources, unserved
from platform_def.serving.template import ServiceConfig
from platform_def.version import RELEASED

_LEVELS: tuple[PodSecurity, ...] = ("restricted", "baseline", "privileged")
_PROTECTED_NAMESPACES = frozenset({"kube-system", "kube-public", "kube-node-lease", "default"})


@dataclass(frozen=True)
class Resolved:
    """A stack ready to be built: what is common, and each component's own choices."""

    loaded: Loaded
    platform: Platform
    chosen: Mapping[str, Chosen]
    applications: Mapping[str, Application]
    requires: Mapping[str, tuple[str, ...]]
    jobs: Mapping[str, JobConfig]
    services: Mapping[str, ServiceConfig]
    """Models that are served."""
    runtime_images: Mapping[str, tuple[str, ...]]
    """Images that only running operators name, as the cluster pulls them, by component."""
    doubts: Doubts = field(default_factory=Doubts)
    """What cannot be relied on, where the stack is not sound."""
    sound: bool = True
    """Whether nothing is wrong with the stack: another one is built only to see what is wrong there as well."""

    @property
    def name(self) -> str:
        """Name of the stack."""
        return self.loaded.name

    @property
    def components(self) -> Mapping[str, ComponentConfig]:
        """Configurations by the names that the stack gives its components."""
        return {name: chosen.config for name, chosen in self.chosen.items()}


def resolve(loaded: Loaded) -> Resolved:
    """Validate components, jobs and models, gather what they give each other; raises ConfigError with every problem."""
    problems: list[Problem] = []
    found = attempt(loaded, problems)
    if problems:
        raise ConfigError(problems)
    return found


def attempt(loaded: Loaded, problems: list[Problem]) -> Resolved:
    """The same of a stack that may be wrong: `problems` gets what is, and what cannot be asked is left out.

    What is wrong ends no step: what does not depend on it is judged all the same.
    """
    before = len(problems)
    made = choices(loaded, problems)
    follow(made)
    doubts = made.doubts
    wanted = wrong.Wanted(tuple(jobs(loaded, problems, doubts)), tuple(services(loaded, problems, doubts)))
    problems += waivers.problems(waivers_of(loaded))
    facts = _facts_of(loaded.stack, loaded.name, made)
    secrets = sources(made)
    facts = facts.with_facts(
        ciphertexts=ciphertexts(loaded, secrets, problems, doubts),
        documents=documents(loaded, wanted.jobs, problems, doubts),
        overlaid=of_jobs.digests(loaded.root, loaded.name, (job.name for _, job in wanted.jobs), problems),
    )
    gathered = gather(loaded, made, facts, problems)
    platform = _platform(loaded.stack, made, gathered)
    requires = _requires(made, gathered)
    problems += unserved(loaded, secrets, platform, doubts)
    lacking = frozenset(doubts.wrong)
    problems += wrong.of(
        loaded, made, wanted, platform, requires=requires, asked_for=gathered.offers.keys() | gathered.unsure
    )
    concluded = gathered.concluded(doubts.wrong - lacking, made)
    again = no_gateway(loaded.stack.gateway)  # by components that were asked before; the stack's line says it too
    kept = [each for each in problems if each not in concluded]
    problems[:] = [each for each in kept if each.text != again] or kept
    whole = Resolved(
        loaded,
        doubts.over(platform),
        made.built,
        made.applications,
        requires,
        {job.name: job for _, job in wanted.jobs},
        {service.name: service for _, service in wanted.services},
        {},
        doubts,
    )
    if len(problems) == before and loaded.sound:
        whole = replace(whole, runtime_images=_images(whole, problems))
        return replace(whole, sound=len(problems) == before)
    return _answerable(whole, gathered, wanted)


def _images(stack: Resolved, problems: list[Problem]) -> dict[str, tuple[str, ...]]:
    """Images that only running operators name, by component."""
    images: dict[str, tuple[str, ...]] = {}
    for name, chosen in stack.chosen.items():
        with asked(problems, stack.loaded, "components", name, of=chosen.kind):
            found = chosen.kind.runtime_images(Setting(name, chosen.config, stack.platform))
            images[name] = tuple(map(stack.platform.image, found))
    return images


def _answerable(stack: Resolved, gathered: Gathered, wanted: wrong.Wanted) -> Resolved:
    """What of a wrong stack can be built: components whose needs are met, and nothing that cannot work."""
    bad = stack.doubts.wrong
    return replace(
        stack,
        chosen={
            name: chosen
            for name, chosen in stack.chosen.items()
            if name in gathered.offers and ("components", name) not in bad
        },
        jobs={job.name: job for index, job in wanted.jobs if ("jobs", index) not in bad},
        services={each.name: each for index, each in wanted.services if ("serving", index) not in bad},
        sound=False,
    )


def _facts_of(stack: Stack, name: str, made: Choices) -> Platform:
    """What the stack itself says, before any component has offered anything."""
    said = {
        field: getattr(model, field)
        for facts, model in ((StackFacts, stack), (ClusterFacts, stack.cluster))
        for field in facts.model_fields
    }
    engine, known = stack.delivery.engine, dict(_components(made))
    facts = Platform(**said, stack=name, cluster=stack.cluster.name, delivery=engine, components=known)
    return made.doubts.over(facts)


def _platform(stack: Stack, made: Choices, gathered: Gathered) -> Platform:
    """With what everybody gives."""
    configs = [chosen.config for chosen in made.built.values()]
    existing = existing_objects(stack, configs, gathered.offers, gathered.platform)
    return gathered.platform.with_facts(
        existing=tuple(sorted(existing)), namespaces=tuple(_namespaces(stack, made, gathered))
    )


def _components(made: Choices) -> Iterator[tuple[str, ComponentFact]]:
    for name, kind in made.broken.items():
        yield name, ComponentFact("", "", component=kind)
    for name, chosen in made.built.items():
        with observed() as reads:
            fact = _rendered(chosen)
        yield name, ComponentFact("", "", component=fact.component) if made.doubts.touched(reads) else fact
    for name, provided in made.provided.items():
        version, kind = "" if provided.provided is True else provided.provided, made.kind_of(name)
        default = catalogue.component(kind).config_model()().namespace if kind in catalogue.catalogue() else ""
        fact = ComponentFact(version, provided.namespace or default, provided=True, component=kind)
        yield name, _with_upkeep(fact) if kind in catalogue.catalogue() else fact
    for name, application in made.applications.items():
        yield name, ComponentFact("", application.namespace or "")


def _rendered(chosen: Chosen) -> ComponentFact:
    release, namespace, kind = chosen.kind.release_of(chosen.config), chosen.config.namespace, chosen.kind.slug
    if not release.version:
        return ComponentFact("", namespace, component=kind)
    return ComponentFact(
        release.version,
        namespace,
        component=kind,
        kubernetes=release.kubernetes,
        upkeep=release.upkeep,
        sound=_sound(chosen.kind),
        licenses=((kind, release.license), *release.licenses.items()),
    )


def _sound(kind: type[AnyComponent]) -> tuple[tuple[str, str], ...]:
    """The releases that upstream mends, as far as is known, and that lack no known fix, with their Kubernetes."""
    offered = (each for each in kind.config_model().releases if isinstance(each, Release))
    return tuple((each.version, each.kubernetes) for each in offered if each.upkeep.sound(each.version, RELEASED))


def _with_upkeep(provided: ComponentFact) -> ComponentFact:
    """With what is known of the very release that the cluster has, where it is or was one of the catalogue."""
    kind = catalogue.component(provided.component)
    model = kind.config_model()
    known = {each.version: each.upkeep for each in (*model.releases, *model.withdrawn) if hasattr(each, "upkeep")}
    upkeep = known.get(provided.release.removeprefix("v"))
    return replace(provided, upkeep=upkeep, sound=_sound(kind)) if upkeep else provided


def _namespaces(stack: Stack, made: Choices, gathered: Gathered) -> Iterator[NamespaceNeed]:
    """Every namespace once, at the highest Pod Security level that anybody needs there, with all their reasons."""
    needs = [need for name in made.built if name in gathered.offers for need in gathered.offers[name].namespaces]
    needs += [NamespaceNeed(app.namespace, app.pod_security) for app in made.applications.values() if app.namespace]
    needs += [NamespaceNeed(home, team.pod_security) for team in stack.teams for home in team.homes]
    merged: dict[str, list[NamespaceNeed]] = {}
    for need in needs:
        merged.setdefault(need.name, []).append(need)
    for name, found in sorted(merged.items()):
        if name not in _PROTECTED_NAMESPACES:
            yield _merged(name, found)


def _merged(name: str, needs: list[NamespaceNeed]) -> NamespaceNeed:
    level = max((need.pod_security for need in needs), key=_LEVELS.index)
    why = "; ".join(dict.fromkeys(need.why for need in needs if need.why and need.pod_security == level))
    labels = {key: value for need in needs for key, value in need.labels}
    annotations = {key: value for need in needs for key, value in need.annotations}
    return NamespaceNeed(name, level, tuple(sorted(labels.items())), why, tuple(sorted(annotations.items())))


def _requires(made: Choices, gathered: Gathered) -> dict[str, tuple[str, ...]]:
    """What each component waits for although no object shows it: who gives it something, and the namespaces."""
    declared: dict[str, set[str]] = {name: gathered.requires.get(name, set()) for name in made.built}
    declared |= {name: set(application.requires) for name, application in made.applications.items()}
    return {
        name: tuple(sorted({*needs, *(base for base in catalogue.ALWAYS if base != name and base in declared)}))
        for name, needs in sorted(declared.items())
    }
