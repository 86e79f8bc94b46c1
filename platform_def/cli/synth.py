"""`platformctl synth`: stack files in, dist/ out; with --check only says whether dist/ is what synth would write."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from platform_def.cli.cdk8s_command import hand_over
from platform_def.cli.command import Command
from platform_def.cli.exit_codes import INTERRUPTED
from platform_def.cli.interrupt import held
from platform_def.cli.place import (
    BASE,
    CACHE,
    JOBS,
    OUT,
    OUTPUT,
    ROOT,
    STACKS,
    STATE,
    Output,
    RunFolders,
    counted,
    say,
    show,
    write,
)
from platform_def.errors import ConfigError
from platform_def.pipeline.code import code_digest
from platform_def.pipeline.fleet.records import Records
from platform_def.pipeline.output.tree import combined
from platform_def.pipeline.unchanged import RunNote, Summary

if TYPE_CHECKING:
    from platform_def.checks.rule import Finding
    from platform_def.errors import Problem
    from platform_def.manifests.rendered import Deleted
    from platform_def.pipeline.changes.changes import Replacement
    from platform_def.pipeline.changes.previous import Previous
    from platform_def.pipeline.changes.removals import Removal
    from platform_def.pipeline.fleet.run import Fleet
    from platform_def.pipeline.jobs.kept import KeptJob
    from platform_def.pipeline.output.write import OutputDrift, Written
    from platform_def.pipeline.synth import Options

EXAMPLES = """
Examples:

  platformctl synth                      render every stack into dist/

  platformctl synth gpu-prod -j 4         render one stack, four processes

  platformctl synth --check --base main   what CI runs on a branch

  platformctl synth --check -o json       is dist/ current? exit code 1: no

  platformctl synth --check gpu-prod      is this stack current?
"""


@click.command("synth", cls=Command, epilog=EXAMPLES)
@STACKS
@ROOT
@OUT
@click.option("--check", is_flag=True, help="Write nothing; exit 1 when dist/ is not what would be written.")
@BASE
@click.option("--no-check", is_flag=True, help="Write even when checks find errors.")
@CACHE
@JOBS
@click.option("--adopt", is_flag=True, help="Take over files in dist/ that no index names.")
@click.option(
    "--wait",
    metavar="SECONDS",
    type=click.FloatRange(min=0.0),
    default=60.0,
    help="How long to wait for another run to end.",
)
@OUTPUT
def synth(
    stacks: tuple[str, ...],
    root: Path,
    out: Path | None,
    check: bool,
    base: str,
    no_check: bool,
    cache: bool,
    jobs: int,
    adopt: bool,
    wait: float,
    output: Output,
) -> None:
    """Render stacks into plain manifests in dist/, all or nothing."""
    started = time.monotonic()
    if base and not check:
        raise ConfigError("--base is for --check: what is written is compared with what it replaces")
    place = RunFolders.of(root, out)
    names = tuple(sorted(set(stacks)))
    run = _Run(place, names, cache=cache, jobs=jobs, output=output, started=started)
    try:
        if check:
            run.compare(refuse=not no_check, base=base)
        else:
            run.write(refuse=not no_check, adopt=adopt, wait=wait)
            hand_over(place.out, names)
    except KeyboardInterrupt:
        say(f"interrupted; {f'{place.out} is written' if run.written else 'nothing was written'}")
        raise click.exceptions.Exit(INTERRUPTED) from None


class _Run:
    """One synth, with its options."""

    def __init__(
        self, place: RunFolders, names: tuple[str, ...], *, cache: bool, jobs: int, output: Output, started: float
    ):
        self._place, self._names, self._cached, self._jobs = place, names, cache, jobs
        self._output, self._started = output, started
        self.written = False
        self._previous: Previous | None = None
        """What the stacks were before; known once they are rendered."""
        self._code = code_digest(place.root / STATE) if (place.root / "stacks").is_dir() else ""
        self._note = RunNote(place.root, place.state, place.out.absolute(), names=names, code=self._code)
        self._records = Records(
            place.state, place.out.absolute(), self._note.inputs, code=self._code, started_ns=time.time_ns()
        )

    def write(self, *, refuse: bool, adopt: bool, wait: float) -> None:
        from platform_def.pipeline.output.lock import lock

        summary = self._note.find() if self._cached and not adopt and refuse else None
        if summary:
            self._close(summary, None)
            return
        fleet = self._render(refuse=refuse, recalled=self._cached and not adopt and refuse)
        with lock(self._place.state, wait_seconds=wait, on_wait=say):
            from platform_def.pipeline.changes.removals import removals
            from platform_def.pipeline.changes.retirements import idle_retirements
            from platform_def.pipeline.jobs.kept import kept_jobs
            from platform_def.pipeline.output.write import recover, write

            repaired = recover(self._place.out, self._place.state)
            if repaired:
                say(repaired)
            if not self._records.hold(fleet.settled):
                fleet = self._render(refuse=refuse)
            gone = self._gone(fleet)
            for line in idle_retirements(self._place.out, fleet.loaded.values()):
                say(line)
            assert self._previous
            taken = removals(self._previous, fleet.files, gone)
            kept = kept_jobs(self._place.out, fleet.files, fleet.loaded)
            with held():
                self._note.forget()
                self._records.mark()
                written = write(
                    self._place.out,
                    fleet.files,
                    state=self._place.state,
                    remove=gone,
                    adopt=adopt,
                    left=self._records.left,
                )
                self.written = True
                summary = _summary(fleet, written)
                if refuse:
                    self._keep(fleet, written, summary)
        self._close(summary, written, deleted=_deleted(fleet), replaced=fleet.replaced, removals=taken, kept=kept)

    def _keep(self, fleet: Fleet, written: Written, summary: Summary) -> None:
        """Note what the next run needs no more to do."""
        touched = {path.partition("/")[0] for path in (*written.added, *written.changed, *written.removed)}
        foreign = {path.partition("/")[0] for path in written.foreign}
        output = self._records.keep(fleet, [name for name in fleet.lasting() if name not in foreign], touched)
        self._note.beside_known(self._records.beside(fleet.settled))
        self._note.keep(summary, combined(output))

    def compare(self, *, refuse: bool, base: str) -> None:
        from platform_def.pipeline.output.write import OutputDrift, compare

        summary = self._note.find() if self._cached and not base else None
        taken: Sequence[Removal] | None = None
        if summary:
            drift = OutputDrift(foreign=tuple(summary.foreign))
        else:
            fleet = self._render(refuse=refuse, base=base, recalled=self._cached and not base and refuse)
            self._tell_replaced(fleet.replaced)
            drift = compare(self._place.out, fleet.files, remove=self._gone(fleet))
            taken = self._removals(fleet) if base else None
        from platform_def.pipeline.output.foreign import read_by_engine
        from platform_def.pipeline.output.left_out import left_out

        rest = left_out(self._place.out, self._names) if self._names else OutputDrift()
        applied = read_by_engine([*drift.foreign, *rest.foreign])
        self._tell_drift(drift, rest, applied, taken)
        if drift or rest or applied:
            raise click.exceptions.Exit(1)

    def _render(self, *, refuse: bool, base: str = "", recalled: bool = False) -> Fleet:
        """Work the stacks; `recalled`: without those that are as their record says."""
        from platform_def.cli.progress import Ticker
        from platform_def.pipeline.changes.commits import in_commit
        from platform_def.pipeline.changes.previous import on_disk
        from platform_def.pipeline.fleet.run import work
        from platform_def.pipeline.synth import Options, RefusedError

        ticker = Ticker()
        cache = self._place.cache if self._cached else None
        self._note.begin()
        note = self._note
        options = Options(
            self._place.root, self._names, cache, self._code, self._jobs, ticker, note.beside, note.beside_known
        )
        settled = self._records.settled(self._names, recall=recalled)
        try:
            self._previous = in_commit(self._place.out, base) if base else on_disk(self._place.out)
            fleet = work(replace(options, previous=self._previous), settled)
        except RefusedError as error:
            ticker.done()
            self._tell_others(error.findings)
            raise
        finally:
            ticker.done()
        self._place.keep_apart(path for account in fleet.accounts.values() for path in account.folders)
        self._report(fleet, options, refuse=refuse)
        if fleet.unwritable:
            raise ConfigError(fleet.unwritable)
        return fleet

    def _report(self, fleet: Fleet, options: Options, *, refuse: bool) -> None:
        from platform_def.checks.report.answer import Answer
        from platform_def.checks.report.as_json import json as as_json
        from platform_def.checks.report.as_text import summary, text
        from platform_def.pipeline.unread import unread

        files = (file for account in fleet.accounts.values() for file in account.files)
        beside = () if self._names else unread(self._place.root, files)
        answer = Answer([*fleet.findings(), *beside])
        refused = refuse and answer.fails("error")
        if self._output is Output.text or answer.fails("error"):
            sys.stderr.write(text(answer))
        if refused and self._output is Output.json:
            from platform_def.pipeline.answers import answer_of
            from platform_def.pipeline.synth import render

            write(as_json(answer_of(render(replace(options, previous=self._previous)))))
        if refused:
            for problem in self._unsaid(fleet):
                say(str(problem))
            say(f"{summary(answer)}; nothing was written (--no-check writes all the same)")
            raise click.exceptions.Exit(1)

    def _tell_others(self, findings: Sequence[Finding]) -> None:
        """What checks find in stacks that can be rendered, above what is wrong with the others."""
        from platform_def.checks.report.answer import Answer
        from platform_def.checks.report.as_text import text

        sys.stderr.write(text(Answer([*findings])))

    def _unsaid(self, fleet: Fleet) -> tuple[Problem, ...]:
        """What dist/ has that no stack names any more: told beside findings, for it keeps the next run from writing."""
        try:
            self._gone(fleet)
        except ConfigError as error:
            return error.problems
        return ()

    def _gone(self, fleet: Fleet) -> tuple[str, ...]:
        """Retired stacks in dist/, which only a run over all stacks removes; refuses removals that are not declared."""
        from platform_def.pipeline.changes.retirements import gone_stacks, refuse_unsaid

        refuse_unsaid(self._place.out, fleet.loaded, fleet.components)
        return () if self._names else gone_stacks(self._place.out, self._place.root)

    def _removals(self, fleet: Fleet) -> Sequence[Removal]:
        """What leaves the clusters, beside what was there; where all stacks are compared, retired ones as well."""
        from platform_def.pipeline.changes.removals import removals
        from platform_def.pipeline.load import retired_stacks

        before = self._previous
        assert before
        retired = () if self._names else retired_stacks(self._place.root)
        return removals(before, fleet.files, [name for name in retired if before.indexes(name)])

    def _tell_drift(
        self, drift: OutputDrift, rest: OutputDrift, applied: Sequence[str], removals: Sequence[Removal] | None
    ) -> None:
        """What differs in the stacks of this run and in the others; apart, what leaves, where that was asked for."""
        from platform_def.checks.rules.delivery.foreign_file import FOREIGN_FILE

        wrong = bool(drift or rest or applied)
        paths_by_word = asdict(drift + rest)
        if self._output is Output.json:
            taken = {} if removals is None else {"removals": [asdict(each) for each in removals]}
            show(json.dumps({"current": not wrong, **paths_by_word, **taken}, indent=1))
            return
        out = os.path.relpath(self._place.out)
        for word, paths in paths_by_word.items():
            for path in paths:
                show(f"{word}: {out}/{path}")
        if applied:
            said = "a file that synth did not write and" if len(applied) == 1 else "files that synth did not write and"
            say(f"{out} holds {said} an engine would apply\n  hint: {FOREIGN_FILE.fix}")
        for stack in sorted({path.partition("/")[0] for path in (*rest.missing, *rest.edited)}):
            say(f"{out}/{stack} is not as synth wrote it, though this run leaves it out; put it back: git checkout")
        if drift:
            say(f"{out} is not current; run {' '.join(('platformctl synth', *self._names))}")
        if not wrong:
            say(f"{out} is current")
        self._tell_removals(removals or ())

    def _close(
        self,
        summary: Summary,
        written: Written | None,
        *,
        deleted: Sequence[Deleted] = (),
        replaced: Sequence[Replacement] = (),
        removals: Sequence[Removal] = (),
        kept: Sequence[KeptJob] = (),
    ) -> None:
        seconds = time.monotonic() - self._started
        if self._output is Output.json:
            numbers = {key: value for key, value in asdict(summary).items() if key != "foreign"}
            kinds = ("added", "changed", "removed", "edited")
            files = {kind: getattr(written, kind, ()) for kind in kinds} | {"foreign": summary.foreign}
            told = (("deleted", deleted), ("replaced", replaced), ("removals", removals), ("keptJobs", kept))
            changes = {key: [asdict(each) for each in listed] for key, listed in told}
            show(json.dumps({**numbers, "seconds": round(seconds, 2), "files": files, **changes}, indent=1))
            return
        for each in deleted:
            say(f"{each.where}: the overlay takes {each.object} out: {each.reason}")
        self._tell_replaced(replaced)
        for job in kept:
            say(job.line)
        for path in written.edited if written else ():
            say(f"warning: {path} had been edited by hand; it is as synth writes it again")
        self._tell_foreign(summary.foreign)
        say(f"{_counted(summary)}: {_changes(written)} in {seconds:.1f} s{'' if written else _reminder(summary)}")
        self._tell_removals(removals)

    def _tell_removals(self, removals: Sequence[Removal]) -> None:
        if removals:  # last and apart: what is taken away must not be lost among what is written
            say("\n".join(["", *(line for removal in removals for line in removal.lines())]))

    def _tell_replaced(self, replaced: Sequence[Replacement]) -> None:
        for replacement in replaced:
            say(replacement.line)

    def _tell_foreign(self, foreign: Sequence[str]) -> None:
        if not foreign:
            return
        from platform_def.checks.rules.delivery.foreign_file import FOREIGN_FILE
        from platform_def.pipeline.output.foreign import read_by_engine

        applied = read_by_engine(foreign)
        for path in foreign:
            also = ", and an engine would apply it" if path in applied else ""
            say(f"warning: {path} is not synth's; it was left as it is{also}")
        if applied:
            say(f"  hint: {FOREIGN_FILE.fix}")


def _deleted(fleet: Fleet) -> list[Deleted]:
    """What overlays take out, each once though several stacks may have the overlay."""
    of_components = (deleted for account in fleet.accounts.values() for deleted in account.deleted)
    of_jobs = (deleted for account in fleet.accounts.values() for deleted in account.deleted_of_jobs)
    return list(dict.fromkeys((*of_components, *of_jobs)))


def _summary(fleet: Fleet, written: Written) -> Summary:
    from platform_def.pipeline.changes.changes import CHANGES

    return Summary(
        stacks=len(fleet.accounts),
        components=sum(account.components for account in fleet.accounts.values()),
        objects=sum(account.objects for account in fleet.accounts.values()),
        warnings=sum(
            each.severity == "warning" and not each.waived and each.rule not in CHANGES for each in fleet.findings()
        ),
        foreign=written.foreign,
    )


def _counted(summary: Summary) -> str:
    words = (("stack", summary.stacks), ("component", summary.components), ("object", summary.objects))
    return ", ".join(counted(count, word) for word, count in words)


def _reminder(summary: Summary) -> str:
    """A run with nothing to do repeats how many warnings there are, since the last run printed them."""
    return f"; {counted(summary.warnings, 'warning')}: platformctl check" if summary.warnings else ""


def _changes(written: Written | None) -> str:
    if written is None:
        return "nothing has changed"
    parts: Sequence[tuple[str, Sequence[str]]] = (
        ("added", written.added), ("changed", written.changed), ("removed", written.removed)
    )  # fmt: skip
    changes = ", ".join(f"{counted(len(paths), 'file')} {word}" for word, paths in parts if paths)
    return changes or "no file has changed"
