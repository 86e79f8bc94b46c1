"""Who brings which CRD: two components that bring one overwrite each other's at every sync, whatever its version."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from platform_def.config.platform import Offers, Platform
from platform_def.config.reads import observed
from platform_def.constructs.component import Setting
from platform_def.errors import Problem
from platform_def.pipeline.load import Loaded
from platform_def.pipeline.resolve.asking import answering, asked
from platform_def.pipeline.resolve.choices import Choices


@dataclass(frozen=True)
class _Owner:
    """A component, what it brings, and what to write so that it leaves some of it to others."""

    name: str
    kinds: frozenset[str]
    """As `Kind.group`."""
    built: bool

    def remedy(self, loaded: Loaded, choices: Choices, platform: Platform, shared: Collection[str]) -> str:
        """What to write under it; nothing where it brings all or nothing."""
        if not self.built:
            return ""
        chosen = choices.built[self.name]
        with answering(loaded, "components", self.name, of=chosen.kind):
            return chosen.kind.handover(Setting(self.name, chosen.config, platform), frozenset(shared))


def owner_problems(
    loaded: Loaded,
    choices: Choices,
    platform: Platform,
    offers: Mapping[str, Offers],
    told: Collection[frozenset[str]] = (),
) -> Iterator[Problem]:
    """Pairs that bring one CRD, but for those that were `told` of already; two of the cluster's are not ours to mend.

    Instances of one component share what they bring.
    """
    problems: list[Problem] = []
    owners = list(_owners(loaded, choices, platform, offers, problems))
    yield from problems
    for one, other in combinations(owners, 2):
        shared = one.kinds & other.kinds
        pair = frozenset({one.name, other.name})
        if not shared or not (one.built or other.built) or pair in told:
            continue
        if choices.kind_of(one.name) == choices.kind_of(other.name):
            continue
        remedies = {each.name: each.remedy(loaded, choices, platform, shared) for each in (one, other)}
        # Told at the one that can do something about it, which the other is named to.
        first, second = sorted((one, other), key=lambda each: (not remedies[each.name], not each.built))
        there = second.name if second.built else f"{second.name}, which the cluster has,"
        kinds = ", ".join(sorted(each.partition(".")[0] for each in shared))
        text = f"components.{first.name}: it and {there} both bring the CRD of {kinds}"
        yield Problem(text, loaded.where("components", first.name), _hint(remedies, first, second))


def _hint(remedies: Mapping[str, str], first: _Owner, second: _Owner) -> str:
    ways = [f"under {name} write `{remedy}`" for name, remedy in sorted(remedies.items()) if remedy]
    hint = ", or ".join(["keep one of the two", *ways])
    gone = [each.name for each in (first, second) if not each.built]
    told = [f"where the cluster's {name} is set to leave it out, take {name} out of the stack" for name in gone]
    return "; ".join([hint, *told])


def _owners(
    loaded: Loaded, choices: Choices, platform: Platform, offers: Mapping[str, Offers], problems: list[Problem]
) -> Iterator[_Owner]:
    for name, chosen in choices.built.items():
        kinds: frozenset[str] = frozenset()
        with asked(problems, loaded, "components", name, of=chosen.kind), observed() as reads:
            served = chosen.kind.served_by(Setting(name, chosen.config, platform))
            kinds = frozenset(each.api.full_name for each in served)
        yield _Owner(name, frozenset() if choices.doubts.touched(reads) else kinds, built=True)
    for name in choices.provided:
        yield _Owner(name, frozenset(offers[name].apis if name in offers else ()), built=False)
