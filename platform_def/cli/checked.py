"""What `platformctl check` is asked about: the stacks of a repository, or manifests that others made."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from platform_def.cli.place import RunFolders, counted
from platform_def.pipeline.code import code_digest

if TYPE_CHECKING:
    from platform_def.checks.report.answer import Answer
    from platform_def.checks.report.as_table import VersionRow
    from platform_def.checks.waivers import PlacedWaiver
    from platform_def.errors import Problem
    from platform_def.manifests.rendered import RenderedObject
    from platform_def.pipeline.applications.foreign import Foreign
    from platform_def.pipeline.changes.previous import Previous
    from platform_def.pipeline.synth import Rendered


@dataclass(frozen=True)
class CheckedFiles:
    """What was checked, in words, and what was found."""

    what: str
    answer: Answer


@dataclass(frozen=True)
class AtVersions:
    """The same at several versions."""

    what: str
    rows: Sequence[VersionRow]
    unreadable: Sequence[Problem] = ()


@dataclass(frozen=True)
class Stacks:
    """The stacks that are asked about."""

    names: tuple[str, ...]
    root: Path
    cache: bool
    jobs: int
    existing: tuple[str, ...] = ()
    """Files and folders that say what their cluster has."""
    previous: str = ""
    """Folder with what they were before, from which not every change is allowed; empty: what dist/ has."""
    base: str = ""
    """A revision of git instead, whose merge base with HEAD has the earlier dist/."""

    def found(self, day: str) -> CheckedFiles:
        """What is found in them as they are."""
        rendered = self._rendered(day, changes=True)
        from platform_def.pipeline.answers import answer_of
        from platform_def.pipeline.output.foreign import findings as foreign_files
        from platform_def.pipeline.output.write import compare
        from platform_def.pipeline.unread import unread

        out = RunFolders.of(self.root, None).out
        beside = [*foreign_files(compare(out, rendered.files()).foreign, out=os.path.relpath(out))]
        files = (place.file for each in rendered.loaded.values() for place in each.traced.chain)
        beside += () if self.names else unread(self.root, files)
        return CheckedFiles(counted(len(rendered.stacks), "stack"), answer_of(rendered, beside))

    def at_versions(self, versions: Sequence[str], day: str) -> AtVersions:
        """What is found in their objects at each version."""
        rendered = self._rendered(day)
        from platform_def.pipeline.answers import judged_stacks
        from platform_def.pipeline.findings.at_versions import verdicts

        rows = [
            replace(row, finding=rendered.located(each.stack, row.finding))
            for each in judged_stacks(rendered)
            for row in verdicts([each], versions, day=day)
        ]
        return AtVersions(counted(len(rendered.stacks), "stack"), rows)

    def _rendered(self, day: str, *, changes: bool = False) -> Rendered:
        from platform_def.cli.progress import Ticker
        from platform_def.pipeline.synth import Options, render

        place = RunFolders.of(self.root, None)
        ticker = Ticker()
        code = code_digest(place.state) if (self.root / "stacks").is_dir() else ""
        cache = place.cache if self.cache else None
        try:
            there = _existing(self.existing)
            previous = self._before(place.out) if changes else None
            options = Options(self.root, self.names, cache, code, self.jobs, ticker, day=day, existing=there)
            return render(replace(options, previous=previous))
        finally:
            ticker.done()

    def _before(self, out: Path) -> Previous:
        from platform_def.pipeline.changes.commits import in_commit
        from platform_def.pipeline.changes.previous import in_folder, on_disk

        if self.previous:
            return in_folder(Path(self.previous))
        return in_commit(out, self.base) if self.base else on_disk(out)


@dataclass(frozen=True)
class Manifests:
    """The manifests that are asked about."""

    paths: tuple[str, ...]
    kubernetes: str
    namespace: str
    waivers: Path | None
    existing: tuple[str, ...] = ()
    """Files and folders that say what their cluster has."""
    previous: str = ""
    """File or folder with what they were before, from which not every change is allowed."""
    exclude: tuple[str, ...] = ()
    """Patterns of files and folders that are left out."""

    def found(self, day: str) -> CheckedFiles:
        """What is found in them."""
        from platform_def.checks.waivers import settled
        from platform_def.pipeline.answers import answer_of_foreign, origin
        from platform_def.pipeline.applications.twins import check_apart

        passed, foreign = self._read()
        told = check_apart(foreign.stack, file_of=origin)
        if self.previous:
            from platform_def.pipeline.changes.changes import of_manifests

            told += of_manifests(foreign.stack, self.previous, self.namespace)
        found, later = foreign.judged(settled(told, foreign.stack, passed, file_of=origin, day=day))
        answer = answer_of_foreign(foreign, found, later)
        objects = counted(len(answer.objects), "object")
        return CheckedFiles(f"{objects} for Kubernetes {foreign.stack.platform.kubernetes}", answer)

    def at_versions(self, versions: Sequence[str], day: str) -> AtVersions:
        """What is found in them at each version."""
        from platform_def.pipeline.answers import origin
        from platform_def.pipeline.findings.at_versions import JudgedStack, verdicts

        passed, foreign = self._read()
        rows = verdicts([JudgedStack(foreign.stack, origin, passed)], versions, day=day)
        judged, _ = foreign.judged(row.finding for row in rows)
        rows = [
            replace(row, finding=replace(row.finding, line=foreign.line_of(row.finding)))
            for row in rows
            if row.finding in judged
        ]
        return AtVersions(counted(sum(1 for _ in foreign.stack.objects()), "object"), rows, foreign.problems)

    def _read(self) -> tuple[list[PlacedWaiver], Foreign]:
        from platform_def.pipeline.applications.foreign import STANDARD_INPUT, foreign_stack

        passed = _waivers(self.waivers)
        there = _existing(self.existing)
        piped = sys.stdin.buffer.read() if STANDARD_INPUT in self.paths else b""
        found = foreign_stack(
            self.paths,
            kubernetes=self.kubernetes,
            namespace=self.namespace,
            standard_input=piped,
            existing=there,
            exclude=self.exclude,
        )
        return passed, found


def _waivers(file: Path | None) -> list[PlacedWaiver]:
    """Those of a file, where there is one."""
    if file is None:
        return []
    from platform_def.pipeline.findings.waivers import waivers_in

    return waivers_in(file)


def _existing(paths: tuple[str, ...]) -> tuple[RenderedObject, ...]:
    """What the cluster has."""
    if not paths:
        return ()
    from platform_def.pipeline.applications.foreign import STANDARD_INPUT, existing_in

    return existing_in(paths, sys.stdin.buffer.read() if STANDARD_INPUT in paths else b"")
