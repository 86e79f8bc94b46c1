"""What a stack was in an earlier commit: the merge base of HEAD and a revision.

On a clean clone dist/ is the new one already, so that only a comparison with the target branch shows the change.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache, partial
from pathlib import Path

from platform_def.errors import ConfigError, ExitError
from platform_def.manifests.rendered import RenderedObject, RenderedStack
from platform_def.pipeline.changes.previous import Parsed, Previous, changed
from platform_def.pipeline.output import index
from platform_def.tools import git

_NOWHERE = "0" * 40
"""What CI calls the commit before the first one of a branch."""
_SHALLOW = (
    "a shallow clone has only the newest commit: fetch the branch that the change is for, as in "
    "`git fetch --unshallow`, or fetch-depth: 0 of actions/checkout"
)


def in_commit(out: Path, revision: str) -> Previous:
    """What dist/ held in the merge base of HEAD and a revision; ConfigError where git has no such commit."""
    if revision == _NOWHERE:
        return Previous(lambda _: (), lambda _: (), lambda _, __: {}, delivered=True)
    folder = out if out.is_dir() else out.parent
    top = Path(_asked(folder, "rev-parse", "--show-toplevel", problem=f"{out} is in no repository of git"))
    base = _merge_base(folder, revision)
    place = out.resolve().relative_to(top.resolve()).as_posix()
    parsed = Parsed()

    def read(stack: str, paths: Collection[str]) -> Mapping[str, bytes]:
        return _contents(top, f"{base}:{place}/{stack}/", paths)

    @cache
    def indexes(stack: str) -> tuple[index.Index, ...]:
        return index.decode(read(stack, [index.FILE]).get(index.FILE, b""))

    def objects(stack: RenderedStack) -> Iterator[RenderedObject]:
        return changed(stack, indexes(stack.name), partial(read, stack.name), parsed)

    return Previous(objects, indexes, read, delivered=True)


def _merge_base(folder: Path, revision: str) -> str:
    if revision.startswith("-") or not revision.isprintable():
        raise ConfigError(f"--base: '{revision[:40]}' is no revision", hint="name a branch or a commit: origin/main")
    said = f"--base: there is no revision '{revision[:80]}' here"
    commit = _asked(folder, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}", problem=said, hint=_SHALLOW)
    said = f"--base: HEAD and '{revision[:80]}' have no commit in common here"
    return _asked(folder, "merge-base", commit, "HEAD", problem=said, hint=_SHALLOW)


def _asked(folder: Path, *words: str, problem: str, hint: str = "") -> str:
    try:
        return git(folder, *words).decode("utf-8", "surrogateescape").strip()
    except ExitError:
        raise ConfigError(problem, hint=hint) from None


def _contents(top: Path, prefix: str, paths: Collection[str]) -> dict[str, bytes]:
    """Contents of the files that the commit has."""
    answer = git(top, "cat-file", "--batch", stdin="".join(f"{prefix}{path}\n" for path in paths))
    found: dict[str, bytes] = {}
    for path in paths:  # `<id> blob <size>`, the content and a line end; or `<name> missing`
        head, _, rest = answer.partition(b"\n")
        size = int(head.rpartition(b" ")[2]) if head.split(b" ")[1:2] == [b"blob"] else -1
        if size >= 0:
            found[path], rest = rest[:size], rest[size + 1 :]
        answer = rest
    return found
