"""Who of the catalogue could give what a stack lacks, as what to write; all components are loaded, for errors alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any

from pydantic import ValidationError

from platform_def.capabilities import Devices
from platform_def.components import catalogue
from platform_def.config.capability import Capability, Need
from platform_def.config.platform import Platform
from platform_def.config.reads import observed
from platform_def.constructs.component import AnyComponent, Setting
from platform_def.errors import PlatformError
from platform_def.packages import blamed


def who_could(needed: Need[Any], platform: Platform) -> str:
    """What to write so that the stack has a provider of a capability."""
    with observed():  # what is read for a hint decides nothing
        could = list(_could(needed.capability, platform))
    names = [name for name, given in could if not given or not all(map(needed.misfit, given))]
    outside = "" if needed.capability.gathered else f"name it under `external: {{{needed.kind}: …}}`"
    return ", or ".join(filter(None, (to_add(names), outside)))


def who_offers(resource: str, platform: Platform) -> str:
    """What to write so that an extended resource is offered on nodes."""
    with observed():
        could = list(_could(Devices, platform))
    names = [
        name
        for name, given in could
        if any(fnmatchcase(resource, pattern) for each in given for pattern in each.resources)
    ]
    return to_add(names)


def loadable() -> Iterator[tuple[str, type[AnyComponent]]]:
    """The components of the catalogue; a package that cannot be loaded offers no remedy."""
    for name in catalogue.catalogue():
        try:
            kind = catalogue.component(name)
        except PlatformError:
            continue
        yield name, kind


def to_add(names: Sequence[str]) -> str:
    """Components as a stack file names them, in the stack or in its cluster."""
    if not names:
        return ""
    add = " or ".join(f"`{name}: {{}}`" for name in names)
    have = f"{names[0]}: " if len(names) == 1 else ""
    return f"add {add} under components, or `{have}{{provided: true}}` where the cluster has it"


def _could(capability: type[Any], platform: Platform) -> Iterator[tuple[str, list[Any]]]:
    """Components that the stack lacks and that may give a capability, with what they give of it by their defaults.

    The list is empty for one that cannot be asked, because it needs something itself.
    """
    for name, kind in loadable():
        if name in platform.components or capability not in kind.gives:
            continue
        try:
            with blamed(kind):
                given: list[Capability] = [*kind.offers(Setting(name, kind.config_model()(), platform)).capabilities]
        except (PlatformError, ValidationError):
            yield name, []
            continue
        found = [each for each in given if isinstance(each, capability)]
        if found:
            yield name, found
