"""All that `_delivery/` of a small stack holds, on a page: who allows objects on a cluster can read what would come.

The stack is the first one of the page about delivery.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from platform_def.pipeline.synth import Options, render

ROOT = Path(__file__).parent.parent
PAGE = Path("docs/reference/delivery-sample.md")
_ABOUT = Path("docs/delivery.md")
_STACK = re.compile(r"^```yaml file=(?P<path>stacks/\S+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_HEAD = """\
# What `_delivery/` holds

Written by `make docs`: every file that Argo CD gets for the first stack of [Delivery](../delivery.md#under-argo-cd),
which says what each is for, but for its first line, which says who made it. With `policies: false` the stack does
without those in `_cluster/`.
"""


def page(root: Path) -> str:
    """The text of the page."""
    return "\n".join([_HEAD, *_sections(_files(root))])


def _files(root: Path) -> Mapping[str, str]:
    """The text of each file, by its path below `_delivery/`."""
    found = _STACK.search((root / _ABOUT).read_text(encoding="utf-8"))
    if found is None:
        raise ValueError(f"{_ABOUT} shows no stack")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / found["path"]
        file.parent.mkdir()
        file.write_text(found["text"], encoding="utf-8")
        made = render(Options(Path(folder))).files()[file.stem]
    return {
        path.removeprefix("_delivery/"): text.decode() for path, text in sorted(made.items()) if "_delivery/" in path
    }


def _sections(files: Mapping[str, str]) -> Iterator[str]:
    for path, text in files.items():
        shown = text.partition("\n")[2]
        yield f"## `{path}`\n\n```yaml\n{shown}```\n"


if __name__ == "__main__":
    (ROOT / PAGE).write_text(page(ROOT), encoding="utf-8")
