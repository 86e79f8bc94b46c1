"""What a rendering reads, as one hash: another byte of code, stack, overlay or lock file is another hash.

Files are hashed by content and packages by version; nothing is remembered by time or size, so an old rendering is never
taken for a new one.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import distributions
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
CODE = ("platform_def", "tests/renders", "requirements/run.txt", "pyproject.toml")
"""Files and folders of the repository that shape what any stack becomes, and how it is kept."""
OF_ROOT = ("stacks", "overlays", "pipelines", "workflows")
"""Folders of a root that its stacks may read; `fill` refuses a stack that reads anything else."""


def state_of(root: Path, *, repository: Path = REPOSITORY) -> str:
    """The hash for the stacks of `root`, with the code in `repository`."""
    return _hash(code_of(repository), _contents(root, OF_ROOT))


def code_of(repository: Path = REPOSITORY) -> str:
    """The hash of the code alone, which is the same for every root."""
    return _hash(_environment(), _contents(repository, CODE))


def _hash(first: str, contents: Iterable[bytes]) -> str:
    digest = hashlib.sha256(first.encode())
    for content in contents:
        digest.update(content)
    return digest.hexdigest()[:20]


def _contents(base: Path, names: Iterable[str]) -> Iterator[bytes]:
    for path in (base / name for name in names):
        for file in (path,) if path.is_file() else sorted(each for each in path.rglob("*") if _counts(each)):
            content = file.read_bytes()
            yield b"%s\0%d\0%s" % (file.relative_to(base).as_posix().encode(), len(content), content)


def _counts(file: Path) -> bool:
    return file.is_file() and file.suffix != ".pyc"


@cache
def _environment() -> str:
    """The interpreter and every installed package with its version."""
    return "\n".join([sys.version, *sorted(f"{each.name}=={each.version}" for each in distributions())])
