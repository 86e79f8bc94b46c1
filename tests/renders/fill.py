"""`python -m tests.renders.fill ROOT FOLDER NAME…`: render these stacks of a root into the folder of their state.

Ends with 1 and the reasons where a stack is wrong, reads files that are no part of the state, or the files have changed
meanwhile.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from platform_def.errors import PlatformError
from platform_def.manifests.rendered import RenderedStack
from platform_def.pipeline.files import files_of
from platform_def.pipeline.synth import Options, Rendered, render
from tests.renders.state import OF_ROOT, code_of, state_of

AT_ONCE = 12
"""Stacks that are in memory together: all of them would take two gigabytes."""


def main(root: Path, folder: Path, names: Sequence[str]) -> str:
    """Render what is asked for; the text says what is wrong, and is empty where nothing is."""
    if state_of(root) != folder.name:
        return "the files are no longer those that the tests began with: run them again"
    folder.mkdir(parents=True, exist_ok=True)
    for start in range(0, len(names), AT_ONCE):
        try:
            wrong = _rendered(root, folder, tuple(names[start : start + AT_ONCE]))
        except PlatformError as error:
            return "\n".join(map(str, error.problems))
        if wrong:
            return wrong
    return ""


def _rendered(root: Path, folder: Path, names: tuple[str, ...]) -> str:
    beside: list[str] = []
    options = Options(root, names, folder.parent / "builds", code_of(), beside=beside.extend)
    rendered = render(options)
    outside = [path for path in beside if not path.startswith(tuple(f"{each}/" for each in OF_ROOT))]
    if outside:
        return f"{', '.join(outside)}: read by a stack, and no part of its state (tests/renders/state.py)"
    if wrong := list(_errors(rendered)):
        return "\n".join(wrong)
    if state_of(root) != folder.name:
        return "the files changed while they were rendered: run the tests again"
    for stack in rendered.stacks:
        for item in stack.objects():
            item.text, item.links  # noqa: B018 - found once, here, and kept with the object
        (folder / f"{stack.name}.digest").write_text(_digest(stack))
        partial = folder / f"{stack.name}.{os.getpid()}"
        partial.write_bytes(pickle.dumps(stack, protocol=pickle.HIGHEST_PROTOCOL))
        partial.replace(folder / f"{stack.name}.pickle")
    return ""


def _digest(stack: RenderedStack) -> str:
    digest = hashlib.sha256()
    for path, content in sorted(files_of(stack).items()):
        digest.update(b"%s\0%d\0%s" % (path.encode(), len(content), content))
    return digest.hexdigest()[:20]


def _errors(rendered: Rendered) -> Iterable[str]:
    for name, found in rendered.findings.items():
        yield from (f"{name}: {each.text}" for each in found if each.severity == "error" and not each.waived)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]) or 0)
