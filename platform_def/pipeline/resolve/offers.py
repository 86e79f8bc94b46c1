"""Who gives which capability: components are asked in the order in which they need each other.

What is gathered is known when all have been asked; needs of it are held against the whole.

One rule holds for every need: no provider, several, or the wrong one is an error that says what could provide it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from typing import Any

from platform_def.capabilities import NodeWork, capabilities
from platform_def.components import catalogue
from platform_def.config.capability import EXTERNAL, Capability, Given, Need, Provision
from platform_def.config.platform import Offers, Platform
from platform_def.config.reads import observed
from platform_def.constructs.component import Setting
from platform_def.crds.catalogue import newest_definitions
from platform_def.errors import ConfigError, Problem
from platform_def.pipeline.load import Loaded
from platform_def.pipeline.resolve.asking import asked
from platform_def.pipeline.resolve.choices import Choices, given
from platform_def.pipeline.resolve.doubts import Doubts, Place
from platform_def.pipeline.resolve.givers import who_could
from platform_def.pipeline.resolve.owners import owner_problems


@dataclass
class Gathered:
    """What everybody gives."""

    platform: Platform
    """With the capabilities, APIs and resources of all."""
    offers: dict[str, Offers] = field(default_factory=dict)
    requires: dict[str, set[str]] = field(default_factory=dict)
    """Components that must be ready first, by who needs something of them."""
    unsure: set[str] = field(default_factory=set)
    """Components that cannot be asked for their offers since they read something in doubt, and lack nothing else."""
    unmet: list[tuple[Problem, type[Capability]]] = field(default_factory=list)
    """Needs that were reported as not met, each with the capability."""

    def concluded(self, wrong: Iterable[Place], choices: Choices) -> list[Problem]:
        """Needs that a component would meet which has a problem of its own: that says enough."""
        names = [str(name) for head, name in wrong if head == "components" and name in choices.built]
        gives = {each for name in names for each in choices.built[name].kind.gives}
        return [problem for problem, capability in self.unmet if capability in gives]


def gather(loaded: Loaded, choices: Choices, platform: Platform, problems: list[Problem]) -> Gathered:
    """Ask all components, those first that others need; what is missing, doubled or wrong goes to `problems`."""
    made = Gathered(platform)
    for kind, value in choices.external.items():
        _give(made, Offers(), (Provision(kind, EXTERNAL, value.plain(), provided=True),))
    for name, application in choices.applications.items():
        found = [
            given(kind, raw, loaded, ("components", name, "provides", kind), problems, base=None)
            for kind, raw in sorted(application.provides.items())
        ]
        choices.doubts.reads |= {
            f"given:{kind}" for kind, value in zip(sorted(application.provides), found, strict=True) if value is None
        }
        provisions = tuple(Provision.of(each, name) for each in found if each is not None)
        _give(made, Offers(apis=tuple(application.serves)), provisions, name)
    for name in choices.provided:
        with asked(problems, loaded, "components", name):
            _provided(made, loaded, choices, name, problems)
        if name not in made.offers:
            choices.doubts.lost(choices.kind_of(name))
    _ask_all(made, loaded, choices, problems)
    problems += _of_all(made, loaded, choices)
    problems += choices.doubts.sure(_doubled(made, choices, loaded))
    told = {frozenset({one.by, other.by}) for one, other in _rivals(made, choices)}
    problems += owner_problems(loaded, choices, made.platform, made.offers, told)
    return made


def _give(made: Gathered, offers: Offers, provisions: tuple[Provision, ...], name: str = "") -> None:
    known = made.platform
    made.platform = known.with_facts(
        apis=known.apis | frozenset(offers.apis) | _brought(provisions),
        resources=known.resources | frozenset(offers.resources) | _resources(provisions),
        provisions=tuple(sorted((*known.provisions, *provisions), key=lambda each: (each.kind, each.by))),
    )
    if name:
        made.offers[name] = offers


def _brought(provisions: tuple[Provision, ...]) -> frozenset[str]:
    """Custom resources that come with what is given."""
    known = capabilities()
    return frozenset(api for each in provisions for api in known[each.kind].from_file(dict(each.data)).brings)


def _resources(provisions: tuple[Provision, ...]) -> frozenset[str]:
    """Extended resources among what is given."""
    found: set[str] = set()
    for each in provisions:
        names = each.data.get("resources") if each.kind == "devices" else None
        found |= {str(name) for name in names} if isinstance(names, list) else set()
    return frozenset(found)


def _provided(made: Gathered, loaded: Loaded, choices: Choices, name: str, problems: list[Problem]) -> None:
    """A component that the cluster has: what this tool would set up, changed by what the stack says of it."""
    provided, kind = choices.provided[name], choices.kind_of(name)
    offers = Offers()
    if kind in catalogue.catalogue():
        found = catalogue.component(kind)
        config = found.config_model()()
        if provided.namespace:
            config = config.model_copy(update={"namespace": provided.namespace})
        offers = replace(found.offered(Setting(name, config, made.platform)), namespaces=())
    else:
        version = "" if provided.provided is True else provided.provided
        offers = Offers(apis=tuple(each.api.full_name for each in newest_definitions(kind, version)))
    values = {each.kind(): each for each in offers.capabilities}
    for capability, raw in sorted(provided.provides.items()):
        under = ("components", name, "provides", capability)
        said = given(capability, raw, loaded, under, problems, base=values.get(capability))
        if said is not None:
            values[capability] = said
        else:
            choices.doubts.reads.add(f"given:{capability}")
    kept = [each for each in offers.capabilities if each.kind() not in provided.provides]
    kept += [values[capability] for capability in sorted(provided.provides) if capability in values]
    _give(made, offers, tuple(Provision.of(each, name, provided=True) for each in kept), name)


def _ask(made: Gathered, loaded: Loaded, choices: Choices, name: str, problems: list[Problem]) -> None:
    """What one component gives, once all that it needs is known to be there."""
    chosen, doubts = choices.built[name], choices.doubts
    at = Setting(name, chosen.config, made.platform)
    with observed() as reads:
        wanted = [need for need in chosen.kind.needs_of(at) if not need.capability.gathered]
    if doubts.touched([*reads, *(f"given:{need.kind}" for need in wanted)]):
        doubts.lost(chosen.kind.slug)
        sure = (need for need in wanted if f"given:{need.kind}" not in doubts.reads or _leads_nowhere(at, need, doubts))
        wanted = [] if doubts.touched(reads) else list(sure)
        missing = list(_unmet(made, at, wanted, loaded))
        problems += missing
        made.unsure |= set() if missing else {name}
        return
    found = list(_unmet(made, at, wanted, loaded))
    if found:
        problems += found
        doubts.lost(chosen.kind.slug)
        return
    with asked(problems, loaded, "components", name, of=chosen.kind), observed() as reads:
        offers = chosen.kind.offered(at)
        _give(made, offers, tuple(Provision.of(each, name) for each in offers.capabilities), name)
    if name not in made.offers or doubts.touched(reads):
        doubts.lost(chosen.kind.slug)


def _leads_nowhere(at: Setting[Any], needed: Need[Any], doubts: Doubts) -> bool:
    """Whether `uses:` names something for a need that is not in the stack, whatever else gives it."""
    with observed() as reads:
        named = {**at.platform.uses, **at.config.uses}.get(needed.kind, EXTERNAL)
        missing = named != EXTERNAL and named not in at.platform.components
    return missing and not doubts.touched(reads)


def _of_all(made: Gathered, loaded: Loaded, choices: Choices) -> Iterator[Problem]:
    """Needs of what is gathered; whether those are met that a provider without an answer could meet cannot be known."""
    for name in sorted(made.offers.keys() & choices.built.keys()):
        at = Setting(name, choices.built[name].config, made.platform)
        with observed() as reads:
            wanted = [need for need in choices.built[name].kind.needs_of(at) if need.capability.gathered]
        if not choices.doubts.touched(reads):
            sure = [need for need in wanted if not choices.doubts.touched([f"given:{need.kind}"])]
            unmet = list(_unmet(made, at, sure, loaded))
            if unmet:
                choices.doubts.wrong.add(("components", name))
            yield from unmet


def _unmet(made: Gathered, at: Setting[Any], wanted: Iterable[Need[Any]], loaded: Loaded) -> Iterator[Problem]:
    """Needs that no component meets; a provider with order `before` is waited for."""
    name, where = at.name, loaded.where("components", at.name)
    for needed in wanted:
        try:
            given_by = at.maybe(needed) if needed.optional else at.one(needed)
        except ConfigError as error:
            for problem in error.problems:
                hint = problem.hint or who_could(needed, made.platform)
                found = Problem(f"components.{name}: {problem.text.removeprefix(f'{name} ')}", where, hint)
                made.unmet.append((found, needed.capability))
                yield found
            continue
        if given_by and needed.order == "before" and given_by.by not in (EXTERNAL, name):
            made.requires.setdefault(name, set()).add(given_by.by)


def _ask_all(made: Gathered, loaded: Loaded, choices: Choices, problems: list[Problem]) -> None:
    """Ask every component, those first whose capabilities others need; a circle is a problem that names the chain."""
    waiting = _waiting(loaded, choices, made.platform, problems)
    while waiting:
        ready = [name for name, needs in waiting.items() if not needs.keys() & waiting.keys()]
        if not ready:
            problems.append(_circle(waiting, loaded))
            for name in waiting:
                choices.doubts.lost(choices.built[name].kind.slug)
            return
        for name in sorted(ready):
            _ask(made, loaded, choices, name, problems)
            del waiting[name]


def _waiting(
    loaded: Loaded, choices: Choices, platform: Platform, problems: list[Problem]
) -> dict[str, dict[str, str]]:
    """By component those who may give what it needs, each with the capability."""
    found: dict[str, dict[str, str]] = {}
    for name, chosen in choices.built.items():
        wanted: dict[type[Capability], str] | None = None
        with asked(problems, loaded, "components", name, of=chosen.kind):
            needs = chosen.kind.needs_of(Setting(name, chosen.config, platform))
            wanted = {each.capability: each.kind for each in needs if not each.capability.gathered}
        if wanted is None:
            choices.doubts.lost(chosen.kind.slug)
            continue
        found[name] = {
            other: kind
            for other, each in choices.built.items()
            if other != name
            for capability, kind in wanted.items()
            if capability in each.kind.gives and chosen.config.uses.get(kind, other) == other
        }
    return found


def _circle(waiting: Mapping[str, Mapping[str, str]], loaded: Loaded) -> Problem:
    path = [min(name for name in waiting)]
    while path[-1] not in path[:-1]:
        path.append(min(other for other in waiting[path[-1]] if other in waiting))
    circle = path[path.index(path[-1]) :]
    steps = ", which ".join(f"needs {waiting[one][other]} of {other}" for one, other in pairwise(circle))
    text = f"components.{circle[0]}: {steps}: none of them can be set up first"
    hint = f"say who else gives one of these: `uses: {{{waiting[circle[0]][circle[1]]}: …}}`"
    return Problem(text, loaded.where("components", circle[0]), hint)


def _doubled(made: Gathered, choices: Choices, loaded: Loaded) -> Iterator[Problem]:
    """Two that do the same work on the same nodes."""
    for one, other in _rivals(made, choices):
        # Told at the one that can do something about it, which the other is named to.
        told, rival = (one, other) if _mendable(one, choices) >= _mendable(other, choices) else (other, one)
        there = f"{rival.by}{'' if rival.by in choices.built else ', which the cluster has,'}"
        text = f"components.{told.by}: it and {there} both {NodeWork.doing[told.value.work]}"
        same = one.value.nodes == other.value.nodes
        hint = "; ".join(_remedies(told, rival, same=same, choices=choices))
        yield Problem(text, loaded.where("components", told.by), hint)


def _rivals(made: Gathered, choices: Choices) -> Iterator[tuple[Given[NodeWork], Given[NodeWork]]]:
    """Pairs that do the same work on the same nodes; what the cluster has twice is not the stack's to mend."""
    for one, other in combinations(made.platform.all(NodeWork), 2):
        if one.value.work != other.value.work or not (one.by in choices.built or other.by in choices.built):
            continue
        if one.value.nodes == other.value.nodes or one.value.everywhere or other.value.everywhere:
            yield one, other


def _mendable(given_by: Given[NodeWork], choices: Choices) -> int:
    return (given_by.by in choices.built) + bool(given_by.by in choices.built and given_by.value.without)


def _remedies(told: Given[NodeWork], rival: Given[NodeWork], *, same: bool, choices: Choices) -> Iterator[str]:
    if not same:
        yield from dict.fromkeys(each.value.everywhere for each in (told, rival) if each.value.everywhere)
        return
    mendable = [each for each in (told, rival) if each.value.without and each.by in choices.built]
    yield ", or ".join(["keep one of the two", *(f"under {each.by} write {each.value.without}" for each in mendable)])
    if rival.by not in choices.built:
        yield f"where the cluster's {rival.by} is set to leave this out, take {rival.by} out of the stack instead"
