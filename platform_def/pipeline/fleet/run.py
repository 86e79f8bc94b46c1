"""Works the stacks of a run in groups: of each group what is to be written and an account stay, its objects are let go.

Where anything is wrong, all of them are rendered once more together, which tells everything that a run can tell.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from platform_def.checks.rule import Finding
from platform_def.errors import PlatformError, Problem
from platform_def.pipeline.build.stacks import Progress
from platform_def.pipeline.build.stray import stray_overlays
from platform_def.pipeline.build.workers import Workers
from platform_def.pipeline.changes.changes import CHANGES, Replacement
from platform_def.pipeline.files import files_of
from platform_def.pipeline.fleet.account import StackAccount, account_of
from platform_def.pipeline.fleet.copies import shared_out
from platform_def.pipeline.load import Loaded, read
from platform_def.pipeline.synth import Options, RefusedError, Rendered, Shared, render_loaded

GROUP = 20
"""Stacks that are rendered together: they take up memory at once."""


@dataclass(eq=False)
class Fleet:
    """What a run came to: accounts of all its stacks and, of those that it rendered, what is to be written."""

    accounts: dict[str, StackAccount] = field(default_factory=dict)
    loaded: dict[str, Loaded] = field(default_factory=dict)
    files: dict[str, dict[str, bytes]] = field(default_factory=dict)
    components: dict[str, Sequence[str]] = field(default_factory=dict)
    """Those that a stack has, provided ones among them."""
    beside: dict[str, Sequence[str]] = field(default_factory=dict)
    """What each is read from beside stacks/ and overlays/."""
    replaced: list[Replacement] = field(default_factory=list)
    """Objects that are deleted and recreated."""
    unwritable: list[Problem] = field(default_factory=list)
    """Why files cannot be written, such as two objects that want one: reported after what checks find."""
    settled: frozenset[str] = frozenset()
    """Stacks that are as their record says."""

    @property
    def refused(self) -> bool:
        """Whether checks find what keeps the run from writing."""
        found = (each for account in self.accounts.values() for each in account.findings)
        return any(each.severity == "error" and not each.waived for each in found)

    def findings(self) -> Iterator[Finding]:
        """Those of all stacks."""
        refused = self.refused
        for account in self.accounts.values():
            yield from account.told(refused=refused)

    def lasting(self) -> Iterator[str]:
        """The rendered stacks of which the next run has nothing else to say, if nothing changes.

        A change, or something that is taken out, is reported once.
        """
        changed = {each.stack for each in self.replaced}
        for name, loaded in self.loaded.items():
            told = any(each.rule in CHANGES for each in self.accounts[name].findings)
            if not told and name not in changed and not loaded.stack.retire:
                yield name

    def add(self, rendered: Rendered) -> None:
        """Take over what a run needs of these stacks."""
        self.loaded |= rendered.loaded
        self.beside |= rendered.beside
        self.replaced += rendered.replaced
        for stack in rendered.stacks:
            name = stack.name
            try:
                self.files[name] = files_of(stack, rendered.contents)
            except PlatformError as error:
                self.unwritable += error.problems
            self.components[name] = (*stack.platform.components, *stack.components)
            having, found = rendered.having[name], rendered.findings[name]
            self.accounts[name] = account_of(stack, rendered.loaded[name], having, found)

    def join(self, part: Fleet) -> None:
        """Take over the same of other stacks."""
        self.accounts |= part.accounts
        self.loaded |= part.loaded
        self.files |= part.files
        self.components |= part.components
        self.beside |= part.beside
        self.replaced += part.replaced
        self.unwritable += part.unwritable

    def share(self, contents: dict[bytes, bytes]) -> None:
        """Hold what is held in `contents` already, by itself, in place of what is equal."""
        for name, files in self.files.items():
            self.files[name] = {sys.intern(path): contents.setdefault(each, each) for path, each in files.items()}


def work(options: Options, settled: Mapping[str, StackAccount]) -> Fleet:
    """Render the stacks that are asked for, without those that are `settled`; RefusedError where something is wrong."""
    loaded, problems = read(options.root, options.stacks, but=settled.keys())
    with Shared.of(options) as shared:
        fleet = None
        if not problems and len(loaded) > GROUP:
            fleet = _in_groups(options, shared, loaded, settled)
        if fleet is None:
            fleet = _together(options, shared, loaded, problems, settled)
    fleet.settled = frozenset(settled)
    fleet.accounts = dict(sorted({**settled, **fleet.accounts}.items()))
    return fleet


def _together(
    options: Options,
    shared: Shared,
    loaded: Sequence[Loaded],
    problems: list[Problem],
    settled: Mapping[str, StackAccount],
) -> Fleet:
    fleet = Fleet()
    others = [each.having for each in settled.values()]
    try:
        fleet.add(render_loaded(options, shared, loaded, problems, others=others, refused=True))
    except RefusedError as error:
        known = (each for account in settled.values() for each in account.told(refused=True))
        raise RefusedError(error.problems, [*error.findings, *known]) from None
    return fleet


def _in_groups(
    options: Options, shared: Shared, loaded: Sequence[Loaded], settled: Mapping[str, StackAccount]
) -> Fleet | None:
    """None where something is wrong."""
    groups = [loaded[start : start + GROUP] for start in range(0, len(loaded), GROUP)]
    parts: dict[int, Fleet] = {}
    contents: dict[bytes, bytes] = {}
    done = 0

    def here(number: int) -> _Part:
        report = _Counted(options, done, len(groups[number]), len(loaded))
        return _Part(_worked(replace(options, report=report), shared, groups[number]))

    def beside(number: int) -> _Part:
        told: dict[str, str] = {}

        def noted(paths: Iterable[str]) -> Mapping[str, str]:
            told.update(options.beside(paths) or {})
            return told

        quiet = replace(options, report=lambda _: None, beside=noted)
        part = _worked(quiet, replace(shared, workers=Workers(1)), groups[number])
        if part:
            part.loaded = {}  # the process that it is handed to has them
        return _Part(part, told)

    # The first one builds what most of them share, before there are copies of this process.
    first = [(0, here(0))]
    with closing(shared_out(range(1, len(groups)), here, beside, jobs=options.processes)) as rest:
        for number, (part, told) in chain(first, rest):
            if part is None:
                return None
            options.known(told)
            part.loaded = {each.name: each for each in groups[number]}
            part.share(contents)
            parts[number] = part
            done += len(groups[number])
    fleet = Fleet()
    for _, part in sorted(parts.items()):
        fleet.join(part)
    known = {**settled, **fleet.accounts}
    return None if any(stray_overlays(options.root, (each.having for each in known.values()))) else fleet


class _Part(NamedTuple):
    """What came of a group."""

    fleet: Fleet | None
    """None where something is wrong."""
    told: Mapping[str, str] = MappingProxyType({})
    """Of what a copy of this process has read beside stacks/ and overlays/ the hashes."""


def _worked(options: Options, shared: Shared, group: Sequence[Loaded]) -> Fleet | None:
    fleet = Fleet()
    try:
        fleet.add(render_loaded(options, shared, group, [], others=None, refused=True))
    except PlatformError:
        return None  # told by the one run of all that follows
    shared.cache.let_go()
    # Objects of a group name each other in circles; what is left is looked through this once.
    gc.collect()
    gc.freeze()
    return fleet


class _Counted:
    """Progress of a group as that of the whole run, guessed from what the group has to build."""

    def __init__(self, options: Options, before: int, size: int, total: int):
        self._options, self._before, self._size, self._total = options, before, size, total

    def __call__(self, progress: Progress) -> None:
        each = progress.total / self._size
        done, total = round(self._before * each) + progress.done, round(self._total * each)
        self._options.report(replace(progress, done=done, total=max(total, done)))
