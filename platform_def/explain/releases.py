"""What is known of every release: `platformctl list components --releases` and the pages of components."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from platform_def.config.component import ComponentConfig
from platform_def.config.releases.upkeep import Support, Vulnerability
from platform_def.constructs.release import Release
from platform_def.version import RELEASED

HEADINGS = ("release", "Kubernetes", "upstream's support", "known vulnerabilities", "licence")


@dataclass(frozen=True)
class Offered:
    """A release that a component offers."""

    release: Release
    default: bool

    def row(self) -> dict[str, object]:
        """As JSON has it; null: not known."""
        release, upkeep = self.release, self.release.upkeep
        unknown = upkeep.vulnerabilities is None
        found = [{"id": each.id, "about": each.text, "fixedIn": each.fixed_in} for each in self._open()]
        return {
            "release": release.version,
            "default": self.default,
            "kubernetes": release.kubernetes,
            "kubernetesBy": release.kubernetes_by,
            "support": None if upkeep.support is Support.UNKNOWN else str(upkeep.support),
            "supported": None if upkeep.support is Support.UNKNOWN else not upkeep.ended(RELEASED),
            "vulnerabilities": None if unknown else found,
            "firstSound": upkeep.first_sound,
            "license": release.license,
            "licenses": dict(release.licenses),
            "kept": release.kept,
        }

    def cells(self) -> tuple[str, ...]:
        """As people read it, by `HEADINGS`."""
        release = self.release
        by = "upstream" if release.kubernetes_by == "upstream" else "our own word"
        terms = [release.license or "unknown", *(f"{part}: {terms}" for part, terms in release.licenses.items())]
        return (
            f"{release.version}{' (default)' if self.default else ''}",
            f"{release.supported} ({by})",
            self._support(),
            self._vulnerabilities(),
            "; ".join(terms),
        )

    def _open(self) -> tuple[Vulnerability, ...]:
        return self.release.upkeep.open_in(self.release.version)

    def _support(self) -> str:
        upkeep = self.release.upkeep
        day = not isinstance(upkeep.support, Support)
        until = f"{'ended' if upkeep.ended(RELEASED) else 'until'} {upkeep.support}" if day else str(upkeep.support)
        return f"{until}; offered because {self.release.kept}" if self.release.kept else until

    def _vulnerabilities(self) -> str:
        upkeep = self.release.upkeep
        if upkeep.vulnerabilities is None:
            return "unknown"
        found = [f"{each.id}: {each.text}" for each in self._open()]
        first = f"first patch without any: {upkeep.first_sound}" if upkeep.first_sound else ""
        return "; ".join(filter(None, (*(found or ["none"]), first)))


def offered(model: type[ComponentConfig]) -> Iterator[Offered]:
    """The releases of a component, the default first."""
    known = [each for each in model.releases if isinstance(each, Release)]
    return (Offered(each, each is known[0]) for each in known)
