"""Stacks of the output folder that a run leaves out, held against what the run that wrote them noted in their index.

In a staged roll-out these are not what the tool and the stack files would make now; hand edits and foreign files are
wrong all the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from platform_def.errors import PlatformError, Problem, Source
from platform_def.pipeline.output import index, tree
from platform_def.pipeline.output.write import OutputDrift, shown


def left_out(out: Path, names: Collection[str]) -> OutputDrift:
    """How the stacks other than `names` differ from their indexes; nothing of them is stale."""
    missing: list[str] = []
    edited: list[str] = []
    foreign: list[str] = []
    problems: list[Problem] = []
    with tree.translated(f"read {out}"):
        for stack in _stacks(out, names):
            content = (out / stack / index.FILE).read_bytes()
            indexes = index.decode(content)
            if len(indexes) != 1:
                problems.append(index.damage(content, Source(f"{out}/{stack}/{index.FILE}")))
                continue
            found = tree.listing(str(out), stack)
            wanted = {f"{stack}/{path}": digest for path, digest in indexes[0].files.items()}
            missing += wanted.keys() - found.files.keys()
            foreign += found.files.keys() - wanted.keys() - {f"{stack}/{index.FILE}"}
            edited += (path for path in wanted.keys() & found.files.keys() if not _is(out, path, wanted[path], found))
    if problems:
        raise PlatformError(problems)
    return OutputDrift(missing=shown(missing), edited=shown(edited), foreign=shown(foreign))


def _stacks(out: Path, names: Collection[str]) -> Iterator[str]:
    found = (path.parent.name for path in out.glob(f"*/{index.FILE}") if path.is_file())
    yield from sorted(name for name in found if name not in names)


def _is(out: Path, path: str, digest: str, found: tree.Listing) -> bool:
    content = None if path in found.odd else tree.read(str(out / path))
    return content is not None and index.digest(content) == digest
