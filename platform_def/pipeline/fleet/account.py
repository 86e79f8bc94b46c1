"""What a run has to know of a stack once its objects are let go: small, and JSON for the runs that follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from platform_def.checks.rule import Finding
from platform_def.errors import Source
from platform_def.manifests.rendered import Deleted, RenderedStack
from platform_def.pipeline.build.stray import Having
from platform_def.pipeline.load import Loaded


@dataclass(frozen=True)
class StackAccount:
    """One stack."""

    name: str
    findings: tuple[Finding, ...]
    """As they are told where nothing is written: `told` says them otherwise."""
    components: int
    objects: int
    deleted: tuple[Deleted, ...]
    """What overlays take out of components."""
    deleted_of_jobs: tuple[Deleted, ...]
    files: tuple[str, ...]
    """What it is read from."""
    folders: tuple[str, ...]
    """The user's own, as the stack names them."""
    having: Having

    def told(self, *, refused: bool) -> Iterator[Finding]:
        """The findings; `refused`: nothing is written."""
        for each in self.findings:
            yield replace(each, unwritten=each.unwritten and refused)

    def to_json(self) -> dict[str, Any]:
        """As JSON-like data."""
        return asdict(self)

    @staticmethod
    def from_json(plain: Mapping[str, Any]) -> StackAccount:
        """From JSON-like data; KeyError or TypeError where it is none of an account."""
        return StackAccount(
            str(plain["name"]),
            tuple(map(_finding, plain["findings"])),
            int(plain["components"]),
            int(plain["objects"]),
            tuple(Deleted(**each) for each in plain["deleted"]),
            tuple(Deleted(**each) for each in plain["deleted_of_jobs"]),
            tuple(plain["files"]),
            tuple(plain["folders"]),
            Having(**plain["having"]),
        )


def account_of(stack: RenderedStack, loaded: Loaded, having: Having, findings: tuple[Finding, ...]) -> StackAccount:
    """The account of a stack; `findings` as they are told where nothing is written."""
    folders = (each.get("path") for each in loaded.stack.components.values())
    return StackAccount(
        stack.name,
        findings,
        len(stack.components),
        sum(1 for _ in stack.objects()),
        tuple(each for component in stack.components.values() for each in component.deleted),
        stack.deleted_of_jobs,
        tuple(dict.fromkeys(place.file for place in loaded.traced.chain)),
        tuple(each for each in folders if isinstance(each, str)),
        having,
    )


def _finding(plain: Mapping[str, Any]) -> Finding:
    asked = Source(**plain["asked"]) if plain["asked"] else None
    return Finding(**{**plain, "key": tuple(plain["key"]), "asked": asked})
