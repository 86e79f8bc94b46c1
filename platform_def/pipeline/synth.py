"""From stack files to dist/: the whole flow, one step a line."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from platform_def.checks.context import Context, Memo
from platform_def.checks.rule import Finding
from platform_def.checks.rules.policy.waiver import WAIVER
from platform_def.checks.waivers import settled
from platform_def.delivery.deliver import deliver
from platform_def.errors import ConfigError, PlatformError, Problem
from platform_def.jobs.template import home_of
from platform_def.manifests.images import images_in
from platform_def.manifests.rendered import RenderedObject, RenderedStack
from platform_def.pipeline.applications.render import folders_of
from platform_def.pipeline.build.overlaid import overlays_on
from platform_def.pipeline.build.results import Results
from platform_def.pipeline.build.stacks import Built, Progress, build
from platform_def.pipeline.build.stray import Having, having_of, stray_overlays
from platform_def.pipeline.build.workers import Workers
from platform_def.pipeline.cache import Cache
from platform_def.pipeline.changes.changes import Changes, Replacement, of_stack
from platform_def.pipeline.changes.consents import consented
from platform_def.pipeline.changes.previous import Previous
from platform_def.pipeline.files import Contents, file_in, files_of
from platform_def.pipeline.findings.credentials import with_own_text
from platform_def.pipeline.findings.judged import find, find_in_part
from platform_def.pipeline.findings.places import Places, unwritten
from platform_def.pipeline.findings.waivers import waivers_of
from platform_def.pipeline.load import FOLDER, Loaded, read
from platform_def.pipeline.ordering import deadlocks_in, ordered
from platform_def.pipeline.resolve.resolve import Resolved, attempt


@dataclass(frozen=True)
class Options:
    """How to synthesise; none of these changes a byte of the manifests."""

    root: Path
    """The repository: stacks/, overlays/ and what `path:` components name."""
    stacks: tuple[str, ...] = ()
    """Names of the stacks to render; empty means all."""
    cache: Path | None = None
    """Folder of results kept by content; None keeps nothing."""
    code: str = ""
    """Hash of the tool, part of every key of the cache."""
    jobs: int = 0
    """Processes that build at once; 0: as many as there are processors."""
    report: Callable[[Progress], None] = field(default=lambda _: None)
    beside: Callable[[Iterable[str]], Mapping[str, str] | None] = field(default=lambda _: None)
    """Told what will be read beside stacks/ and overlays/, before it is: files and folders, from the root. May give
    the hashes of what they hold."""
    known: Callable[[Mapping[str, str]], None] = field(default=lambda _: None)
    """Told these hashes where it was a copy of this process that read the paths."""
    day: str = ""
    """The day on which waivers are to hold, as 2027-01-31; empty: any."""
    existing: tuple[RenderedObject, ...] = ()
    """What the cluster of the stacks has already, for the checks alone."""
    previous: Previous | None = None
    """What the stacks were before, for the checks alone."""

    @property
    def processes(self) -> int:
        """How many may work at once."""
        return self.jobs or os.cpu_count() or 1


_Finished = tuple[Resolved, RenderedStack]


@dataclass(frozen=True, eq=False)
class Rendered:
    """Stacks rendered and checked."""

    stacks: tuple[RenderedStack, ...]
    findings: Mapping[str, tuple[Finding, ...]]
    """By stack."""
    loaded: Mapping[str, Loaded]
    """What their files say, by stack."""
    file_in: Mapping[str, Callable[[RenderedObject], str]]
    """The file to look into for an object, by stack."""

    root: Path
    replaced: tuple[Replacement, ...] = ()
    """Objects that are deleted and recreated."""
    contents: Contents = field(default_factory=Contents)
    having: Mapping[str, Having] = field(default_factory=dict)
    """What overlays may be for, by stack."""
    beside: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """What each is read from beside stacks/ and overlays/: files and folders, from the root."""

    def located(self, stack: RenderedStack, finding: Finding) -> Finding:
        """The finding with its line."""
        return Places(stack, self.loaded[stack.name], self.root).place(finding)

    def files(self) -> dict[str, dict[str, bytes]]:
        """The files of dist/, by stack and path."""
        return {stack.name: files_of(stack, self.contents) for stack in self.stacks}


class RefusedError(ConfigError):
    """Stacks that cannot be rendered, with what checks find in the others."""

    def __init__(self, problems: Iterable[Problem], findings: Iterable[Finding]):
        super().__init__(problems)
        self.findings = tuple(findings)


@dataclass(frozen=True)
class Shared:
    """What the stacks of a run have in common: results, and the processes that build."""

    cache: Cache
    results: Results
    memo: Memo
    workers: Workers
    contents: Contents

    @staticmethod
    @contextmanager
    def of(options: Options) -> Iterator[Shared]:
        """The same for one run."""
        cache = Cache(options.cache, options.code)
        with Workers(options.processes) as workers:
            yield Shared(cache, Results(cache), Memo(cache), workers, Contents())


def render(options: Options) -> Rendered:
    """Load, resolve, build, overlay, order, deliver and check.

    A stack in which something is wrong goes no further, and the others do; then RefusedError says everything.
    """
    loaded, problems = read(options.root, options.stacks)
    with Shared.of(options) as shared:
        return render_loaded(options, shared, loaded, problems)


def render_loaded(
    options: Options,
    shared: Shared,
    loaded: Sequence[Loaded],
    problems: list[Problem],
    *,
    others: Iterable[Having] | None = (),
    refused: bool = False,
) -> Rendered:
    """The same of stacks that are loaded, with what is wrong so far.

    `others` are stacks that are not looked at; None: the caller holds all stacks against the overlays. `refused`:
    findings are told as where nothing is written.
    """
    cache, memo, root = shared.cache, shared.memo, options.root
    resolved = [attempt(stack, problems) for stack in loaded]
    having = {stack.name: having_of(stack) for stack in resolved}
    if others is not None:
        problems += stray_overlays(root, [*having.values(), *others])
    beside = {stack.name: tuple(_read_beside(root, stack)) for stack in resolved}
    options.beside(dict.fromkeys(path for paths in beside.values() for path in paths))
    built = build(
        resolved,
        problems,
        root=root,
        cache=cache,
        known=shared.results,
        workers=shared.workers,
        report=options.report,
    )
    done, parts = _finished(resolved, built, problems, root=root, shared=shared)
    done = [(one, replace(each, existing=options.existing)) for one, each in done] if options.existing else done
    files = {each.name: file_in(each, frozenset(one.applications)) for one, each in done}
    changes: list[Changes] = []
    findings: dict[str, tuple[Finding, ...]] = {}
    for one, each in done:
        context = Context(each, memo)
        changes.append(_changes(one, context, options, files[each.name]))
        findings[each.name] = _found(one, context, options, shared, file_of=files[each.name], changes=changes[-1])
    refused = refused or bool(problems) or _has_errors(findings.values())
    if refused:
        findings = {name: tuple(unwritten(found)) for name, found in findings.items()}
    if problems:
        found = [each for found in findings.values() for each in found]
        raise RefusedError(problems, [*found, *_in_parts(parts, options, memo)])
    replaced = tuple(each for found in changes for each in found.replaced)
    return Rendered(
        tuple(each for _, each in done),
        findings,
        {each.name: one.loaded for one, each in done},
        files,
        root,
        replaced,
        contents=shared.contents,
        having=having,
        beside=beside,
    )


_FileOf = Callable[[RenderedObject], str]


def _changes(one: Resolved, context: Context, options: Options, file_of: _FileOf) -> Changes:
    """What a stack changes of what it was, where that is known."""
    if not options.previous:
        return Changes()
    return of_stack(context, options.previous, one.loaded, file_of=file_of)


def _found(
    one: Resolved, context: Context, options: Options, shared: Shared, *, file_of: _FileOf, changes: Changes
) -> tuple[Finding, ...]:
    """The findings of a stack and of what it changes, with waivers and lines."""
    found = find(context, cache=shared.cache, file_of=file_of)
    left = _waived((*found, *changes.findings), one, context.stack, options, file_of)
    return tuple(Places(context.stack, one.loaded, options.root).placed(left)) if left else ()


def _waived(
    found: tuple[Finding, ...], one: Resolved, stack: RenderedStack, options: Options, file_of: _FileOf
) -> list[Finding]:
    """The findings, those of the stack's own files among them, after its waivers."""
    own = with_own_text(found, one.loaded, stack)
    return settled(own, stack, waivers_of(one.loaded), file_of=file_of, day=options.day)


def _has_errors(findings: Iterable[Iterable[Finding]]) -> bool:
    return any(each.severity == "error" and not each.waived for found in findings for each in found)


def _read_beside(root: Path, stack: Resolved) -> Iterator[str]:
    """Stack files that lie elsewhere, encrypted Secrets, what jobs are made from, and the folders of applications."""
    yield from (*stack.platform.ciphertexts, *stack.platform.documents)
    yield from (place.file for place in stack.loaded.traced.chain if not place.file.startswith(f"{FOLDER}/"))
    for application in stack.applications.values():
        yield from folders_of(application, root)


def _in_parts(stacks: Iterable[_Finished], options: Options, memo: Memo) -> Iterator[Finding]:
    """The errors of objects of stacks in which something is wrong."""
    for one, rendered in stacks:
        part = replace(rendered, existing=options.existing)
        file_of = file_in(part, frozenset(one.applications))
        found = find_in_part(part, memo=memo, file_of=file_of, doubted=one.doubts.touched)
        passed = _waived(found, one, part, options, file_of)
        left = [each for each in passed if each.rule != WAIVER.id and not each.waived]
        yield from unwritten(Places(part, one.loaded, options.root).placed(left))


def _as_built(stack: Resolved, built: Built) -> RenderedStack:
    return RenderedStack(
        stack.name,
        stack.platform,
        built.components,
        stack.platform.components,
        runtime_images=stack.runtime_images,
        jobs=built.jobs,
        deleted_of_jobs=built.deleted_of_jobs,
    )


def _finish(stack: Resolved, rendered: RenderedStack, shared: Shared) -> RenderedStack:
    rendered = consented(rendered, stack.loaded)
    synced = {name: home_of(job, stack.platform) for name, job in stack.jobs.items() if job.sync}
    in_order = ordered(rendered, file=stack.loaded.file, cache=shared.cache)
    recurring = frozenset(name for name, job in stack.jobs.items() if job.recurring)
    delivered = deliver(
        in_order,
        stack.loaded.stack.delivery,
        synced,
        recurring=recurring,
        deadlocks_of=deadlocks_in(shared.cache),
    )
    delivered = shared.results.with_known(delivered)
    named = {image for item in delivered.objects() for image in images_in(item)}
    named |= {image for images in stack.runtime_images.values() for image in images}
    named |= {image for job in stack.jobs.values() for image in job.runtime_images(stack.platform)}
    return replace(delivered, images=tuple(sorted(named)))


def _finished(
    stacks: Iterable[Resolved],
    built: Mapping[str, Built],
    problems: list[Problem],
    *,
    root: Path,
    shared: Shared,
) -> tuple[list[_Finished], list[_Finished]]:
    """The stacks with their objects; and what there is of those in which something is wrong: `problems` says what."""
    done: list[_Finished] = []
    parts: list[_Finished] = []
    for stack in stacks:
        overlaid = overlays_on(stack, built[stack.name], problems, root=root, cache=shared.cache)
        rendered = _as_built(stack, overlaid)
        try:
            if overlaid.whole:
                done.append((stack, _finish(stack, rendered, shared)))
                continue
        except PlatformError as error:
            problems += error.problems
        parts.append((stack, rendered))
    return done, parts
