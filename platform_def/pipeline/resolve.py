"""Turns a loaded stack into the platform's facts and a list of components with validated configuration.

All problems of a stack are reported together, each with the file and line that the user has to change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from pydantic import JsonValue, ValidationError

from platform_def.components import catalogue
from platform_def.config.component import Application, ComponentConfig, Provided
from platform_def.config.explain import problems_of
from platform_def.config.fabrics import fabric_problems
from platform_def.config.model import Model
from platform_def.config.platform import ComponentFact, NamespaceNeed, Offers, Platform
from platform_def.config.stack import Stack
from platform_def.config.teams import PodSecurity
from platform_def.errors import ConfigError, Problem, nearest
from platform_def.jobs.template import JobConfig
from platform_def.jobs.templates import template, templates
from platform_def.pipeline.existing import existing_objects
from platform_def.pipeline.load import Loaded

M = TypeVar("M", bound=Model)

_LEVELS: tuple[PodSecurity, ...] = ("restricted", "baseline", "privileged")
_PROTECTED_NAMESPACES = frozenset({"kube-system", "kube-public", "kube-node-lease", "default"})


@dataclass(frozen=True)
class Resolved:
    """A stack ready to be built: what is common, and each component's own choices."""

    loaded: Loaded
    platform: Platform
    components: Mapping[str, ComponentConfig]
    applications: Mapping[str, Application]
    requires: Mapping[str, tuple[str, ...]]
    jobs: Mapping[str, JobConfig]
    runtime_images: Mapping[str, tuple[str, ...]]
    """Images that only running operators name, as the cluster pulls them, by component."""

    @property
    def name(self) -> str:
        """Name of the stack."""
        return self.loaded.name


@dataclass
class _Choices:
    """Components of a stack by the three ways in which one may be written."""

    built: dict[str, ComponentConfig]
    provided: dict[str, Provided]
    applications: dict[str, Application]


def resolve(loaded: Loaded) -> Resolved:
    """Validate components and jobs, gather what they offer each other; raises ConfigError with every problem."""
    problems: list[Problem] = []
    choices = _choices(loaded, problems)
    jobs = dict(_jobs(loaded, problems))
    if problems:
        raise ConfigError(problems)
    platform = _platform(loaded.stack, loaded.name, choices)
    requires = _requires(choices, platform)
    problems = [
        *_release_problems(loaded, choices),
        *_requires_problems(loaded, requires, platform),
        *_gateway_problems(loaded, platform),
        *_pool_problems(loaded, platform),
        *_component_problems(loaded, choices, platform),
        *_job_problems(loaded, jobs, platform),
    ]
    if problems:
        raise ConfigError(problems)
    images = {
        name: tuple(platform.image(image) for image in catalogue.component(name).runtime_images(config))
        for name, config in choices.built.items()
    }
    return Resolved(loaded, platform, choices.built, choices.applications, requires, jobs, images)


def config_problems(loaded: Loaded) -> list[Problem]:
    """What is wrong with the configuration of components and jobs, each taken by itself."""
    problems: list[Problem] = []
    _choices(loaded, problems)
    for _ in _jobs(loaded, problems):
        pass
    return problems


def _choices(loaded: Loaded, problems: list[Problem]) -> _Choices:
    choices = _Choices({}, {}, {})
    always: dict[str, dict[str, JsonValue]] = {name: {} for name in catalogue.ALWAYS}
    for name, raw in sorted((always | loaded.stack.components).items()):
        under = ("components", name)
        if name not in catalogue.catalogue() and "path" in raw:
            application = _validated(Application, raw, loaded, under, problems)
            if application:
                choices.applications[name] = application
        elif name not in catalogue.catalogue():
            hint = f"{nearest(name, catalogue.catalogue())}; a folder of your own needs `path:`"
            problems.append(Problem(f"components.{name}: unknown component", loaded.where(*under), hint))
        elif "provided" in raw:
            provided = _validated(Provided, raw, loaded, under, problems)
            if provided:
                choices.provided[name] = provided
        else:
            config = _validated(catalogue.component(name).config_model(), raw, loaded, under, problems)
            if config is not None:
                choices.built[name] = config
    return choices


def _validated(
    model: type[M], raw: Mapping[str, JsonValue], loaded: Loaded, under: tuple[str | int, ...], problems: list[Problem]
) -> M | None:
    try:
        return model.from_file(raw)
    except ValidationError as error:
        problems += problems_of(error, model, loaded.traced, under=under)
        return None


def _jobs(loaded: Loaded, problems: list[Problem]) -> Iterator[tuple[str, JobConfig]]:
    seen: set[str] = set()
    for index, raw in enumerate(loaded.stack.jobs):
        under = ("jobs", index)
        name = str(raw.get("template", ""))
        if name not in templates():
            where = loaded.where(*under, "template")
            text = f"unknown template '{name[:40]}'" if name else "template is missing"
            problems.append(Problem(f"jobs[{index}]: {text}", where, nearest(name, templates())))
            continue
        job = _validated(template(name).config_model(), raw, loaded, under, problems)
        if job is None:
            continue
        if job.name in seen:
            problems.append(Problem(f"jobs[{index}]: two jobs are called '{job.name}'", loaded.where(*under, "name")))
        seen.add(job.name)
        yield job.name, job


def _platform(stack: Stack, name: str, choices: _Choices) -> Platform:
    offers = dict(_offers(choices))
    cluster = stack.cluster
    bare = Platform(
        stack=name,
        cluster=cluster.name,
        kubernetes=cluster.kubernetes,
        distribution=cluster.distribution,
        dns_domain=cluster.dns_domain,
        registry=cluster.registry,
        package_indexes={str(name): url for name, url in cluster.package_indexes.items()},
        feature_gates=cluster.feature_gates,
        cgroup=cluster.cgroup,
        nvidia_runtime=cluster.nvidia_runtime,
        delivery=stack.delivery.engine,
        gateway=stack.gateway,
        ingress=stack.ingress,
        availability=stack.availability,
        node_pools=tuple(stack.node_pools),
        storage=stack.storage,
        teams=tuple(stack.teams),
        components=dict(_facts(choices)),
        apis=frozenset(api for offer in offers.values() for api in offer.apis),
        resources=frozenset(resource for offer in offers.values() for resource in offer.resources),
        existing=tuple(sorted(existing_objects(stack, choices.built.values(), offers, choices.provided))),
    )
    return replace(bare, namespaces=tuple(_namespaces(stack, choices, bare)))


def _offers(choices: _Choices) -> Iterator[tuple[str, Offers]]:
    for name, config in choices.built.items():
        yield name, catalogue.component(name).offers(config)
    for name in choices.provided:
        made = catalogue.component(name)
        yield name, replace(made.offers(made.config_model()()), namespaces=())


def _facts(choices: _Choices) -> Iterator[tuple[str, ComponentFact]]:
    for name, config in choices.built.items():
        yield name, ComponentFact(config.version, config.namespace)
    for name, provided in choices.provided.items():
        version = "" if provided.provided is True else provided.provided
        default: ComponentConfig = catalogue.component(name).config_model()()
        yield name, ComponentFact(version, provided.namespace or default.namespace, provided=True)
    for name, application in choices.applications.items():
        yield name, ComponentFact("", application.namespace or "")


def _namespaces(stack: Stack, choices: _Choices, platform: Platform) -> Iterator[NamespaceNeed]:
    """Every namespace once, at the highest Pod Security level that anybody needs there."""
    built = choices.built.items()
    needs = [need for name, config in built for need in catalogue.component(name).namespaces_of(config, platform)]
    needs += [NamespaceNeed(app.namespace, app.pod_security) for app in choices.applications.values() if app.namespace]
    needs += [NamespaceNeed(team.home, team.pod_security) for team in stack.teams]
    merged: dict[str, NamespaceNeed] = {}
    for need in needs:
        known = merged.get(need.name)
        if known is None:
            merged[need.name] = need
            continue
        higher = max(known, need, key=lambda each: _LEVELS.index(each.pod_security))
        labels = tuple(sorted((dict(known.labels) | dict(need.labels)).items()))
        merged[need.name] = replace(higher, labels=labels)
    yield from (merged[name] for name in sorted(merged) if name not in _PROTECTED_NAMESPACES)


def _requires(choices: _Choices, platform: Platform) -> dict[str, tuple[str, ...]]:
    """What each component waits for: what it declares, and the namespaces."""
    declared: dict[str, Iterable[str]] = {
        name: catalogue.component(name).requires_of(config, platform) for name, config in choices.built.items()
    }
    declared |= {name: application.requires for name, application in choices.applications.items()}
    rendered = set(choices.built) | set(choices.applications)
    return {
        name: tuple(sorted({*needs, *(base for base in catalogue.ALWAYS if base != name and base in rendered)}))
        for name, needs in sorted(declared.items())
    }


def _requires_problems(
    loaded: Loaded, requires: Mapping[str, tuple[str, ...]], platform: Platform
) -> Iterator[Problem]:
    for name, needs in requires.items():
        for need in needs:
            if need not in platform.components:
                known = need in catalogue.catalogue()
                hint = f"add `{need}: {{}}` under components, or `{need}: {{provided: true}}` when the cluster has it"
                text = f"components.{name}: needs the component {need}, which the stack does not have"
                yield Problem(
                    text, loaded.where("components", name), hint if known else nearest(need, platform.components)
                )


def _gateway_problems(loaded: Loaded, platform: Platform) -> Iterator[Problem]:
    """A gateway that nobody runs: every route would be written and none served."""
    if platform.gateway != "none" and platform.gateway not in catalogue.catalogue():
        choices = ", ".join(name for name in ("emissary", "istio", "gateway-api") if name in catalogue.catalogue())
        where = loaded.where("gateway")
        yield Problem(f"gateway: {platform.gateway} cannot be rendered yet", where, f"choose {choices}, or none")
    elif platform.gateway != "none" and platform.gateway not in platform.components:
        hint = f"add `{platform.gateway}: {{}}` under components, or `{platform.gateway}: {{provided: true}}`"
        yield Problem(f"gateway: {platform.gateway} is not among the components", loaded.where("gateway"), hint)


def _pool_problems(loaded: Loaded, platform: Platform) -> Iterator[Problem]:
    """Pools that reach their fabric in a way that the stack does not serve."""
    for problem in fabric_problems(platform):
        yield Problem(problem.text, loaded.where(*problem.at), problem.hint)


def _release_problems(loaded: Loaded, choices: _Choices) -> Iterator[Problem]:
    """Releases that are not known to work with the cluster's Kubernetes."""
    cluster = _minor(loaded.stack.cluster.kubernetes)
    for name, config in choices.built.items():
        made = catalogue.component(name)
        release = made.release_of(config)
        low, high = release.kubernetes
        if not _minor(low) <= cluster <= _minor(high):
            fitting = [
                known.version
                for known in made.config_model().releases
                if _minor(known.kubernetes[0]) <= cluster <= _minor(known.kubernetes[1])
            ]
            hint = f"releases that do: {', '.join(fitting)}" if fitting else "no release that this tool knows does"
            has = loaded.stack.cluster.kubernetes
            text = f"components.{name}: release {release.version} works with Kubernetes {low} to {high}, not {has}"
            yield Problem(text, loaded.where("components", name, "release"), hint)


def _component_problems(loaded: Loaded, choices: _Choices, platform: Platform) -> Iterator[Problem]:
    """What components say of the stack themselves, each with its own line unless it knows a better one."""
    for name, config in choices.built.items():
        for problem in catalogue.component(name).problems(config, platform):
            yield Problem(
                problem.text, problem.where or loaded.where(*(problem.at or ("components", name))), problem.hint
            )


def _minor(version: str) -> int:
    return int(version.split(".")[1])


def _job_problems(loaded: Loaded, jobs: Mapping[str, JobConfig], platform: Platform) -> Iterator[Problem]:
    teams = {team.name for team in platform.teams}
    pools = {pool.name: pool for pool in platform.node_pools}
    for index, job in enumerate(jobs.values()):
        at = f"jobs[{index}] ({job.name})"
        if job.team and job.team not in teams:
            yield Problem(
                f"{at}: team '{job.team}' is not in teams",
                loaded.where("jobs", index, "team"),
                nearest(job.team, teams),
            )
        if job.pool and job.pool not in pools:
            yield Problem(
                f"{at}: pool '{job.pool}' is not in nodePools",
                loaded.where("jobs", index, "pool"),
                nearest(job.pool, pools),
            )
            continue
        for api in job.needs:
            if not platform.serves(api):
                hint = f"add the operator that serves {api.split('.')[0]} to components"
                yield Problem(f"{at}: the stack serves no {api}", loaded.where("jobs", index, "template"), hint)
        for problem in job.problems(platform):
            yield Problem(f"{at}: {problem.text}", loaded.where("jobs", index, problem.field), problem.hint)
