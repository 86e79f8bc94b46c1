"""Releases that must work together: which do not, and which one a component takes where the stack names none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from platform_def.constructs.release import Release
from platform_def.pipeline.resolve.choices import Choices, Chosen

Versions = Mapping[str, tuple[str, str]]
"""Component of the catalogue and release, by the name in the stack."""


def follow(made: Choices) -> None:
    """Give components without a `release:` the first one that works with the releases of their partners.

    That is the default, unless the stack has an older partner. Where none fits the default stays, with a warning.
    """
    versions = _versions(made)
    for name, chosen in made.built.items():
        if chosen.config.release:
            continue
        fitting = next((each for each in known(chosen) if not any(misfits(each, versions))), None)
        if fitting and fitting.version != chosen.config.version:
            config = chosen.config.model_copy(update={"release": fitting.version})
            made.built[name] = replace(chosen, config=config)


def misfits(release: Release, versions: Versions) -> Iterator[tuple[str, str]]:
    """Names of partners that a release does not work with, each with the range that it works with."""
    for other, wanted in sorted(release.needs.items()):
        for partner, (component, version) in sorted(versions.items()):
            if component == other and version and not _fits(version, wanted):
                yield partner, wanted


def known(chosen: Chosen) -> list[Release]:
    """The releases of a component, the default first."""
    return [each for each in chosen.kind.config_model().releases if isinstance(each, Release)]


def _versions(made: Choices) -> dict[str, tuple[str, str]]:
    built = {name: (chosen.kind.slug, chosen.config.version) for name, chosen in made.built.items()}
    there = {
        name: (made.kind_of(name), provided.provided)
        for name, provided in made.provided.items()
        if isinstance(provided.provided, str)
    }
    return {**built, **there}


def _fits(release: str, wanted: str) -> bool:
    """Whether a release is in a range (`>=3.6,<3.8`)."""
    from packaging.specifiers import SpecifierSet
    from packaging.version import InvalidVersion

    try:
        return SpecifierSet(wanted).contains(release.removeprefix("v"), prereleases=True)
    except InvalidVersion:
        return False
