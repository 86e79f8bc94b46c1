"""`make lint`: texts for people use no phrase that a native reader stumbles over.

It reads pages, the Makefile, command help, errors, hints, titles of rules, list descriptions, docstrings and comments,
and the topmost section of the changelog. Pages that `make docs` writes are left out: their sources are read.
"""

from __future__ import annotations

import io
import re
import sys
import token
import tokenize
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent

PHRASES: Mapping[str, str] = {
    "nobody('s)?": "no one; or name what is missing: 'no scheduler runs'",
    "who(so|m)?ever": "anyone who; or name the agent: the operator, the caller",
    "for ever": "permanently; a pod 'stays Pending'",
    "anew": "again; restart, recreate",
    "somebody('s)?( else)?": "name the agent: another component, an administrator",
    "of others": "third-party; from other tools; other teams'",
    "for want of": "without; because there is no",
    "(bears?|bearing|borne)": "supports, has, tolerates, withstands",
    "told (so|of|twice)": "configured with; reported",
    "mildest": "lowest severity",
    "by the clock": "on a schedule",
    "in silence": "silently",
}
"""Patterns of whole words → what to write instead."""

KEPT: Mapping[str, frozenset[str]] = {
    "platform_def/apis/argo_workflows/v1alpha1.py": frozenset({"by the clock"}),
    "platform_def/apis/cert_manager/v1.py": frozenset({"bears", "whoever"}),
    "platform_def/apis/kubeflow/trainer_v1alpha1.py": frozenset({"told of"}),
    "platform_def/apis/kueue/v1beta2.py": frozenset({"nobody", "somebody"}),
    "platform_def/apis/prometheus_operator/v1.py": frozenset({"told of"}),
    "platform_def/apis/seldon/v1.py": frozenset({"bears"}),
    "platform_def/apis/volcano/batch_v1alpha1.py": frozenset({"by the clock"}),
    "platform_def/components/gpu/gpu_preflight/settings.py": frozenset({"anew"}),
    "platform_def/components/notebooks/jupyterhub/files/platform_hub.py": frozenset({"nobody", "nobody's"}),
    "platform_def/jobs/pipelines/start.py": frozenset({"by the clock"}),
    "platform_def/constructs/secret_generator.py": frozenset({"whoever", "somebody"}),
}
"""Phrases by file whose texts are in `dist/`: rewording them would change objects in every cluster."""

PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Makefile", "docs/**/*.md", "stacks/*.yaml")
CODE = ("platform_def/**/*.py", "maintenance/*.py")
CASES = "platform_def/checks/examples/*.yaml"
GENERATED = "docs/reference/"

_SPACE = r"\s+"
_ODD = re.compile(rf"(?<![\w-])(?:{'|'.join(PHRASES)})(?![\w-])".replace(" ", _SPACE), re.IGNORECASE)
_TEXTS = {token.STRING, tokenize.COMMENT, getattr(token, "FSTRING_MIDDLE", token.STRING)}


class Odd(NamedTuple):
    """A phrase to replace."""

    line: int
    phrase: str
    instead: str


def odd(text: str, line: int = 1) -> Iterator[Odd]:
    """The odd phrases of a text that begins at `line`."""
    for found in _ODD.finditer(text):
        phrase = " ".join(found[0].lower().split())
        instead = next(instead for one, instead in PHRASES.items() if re.fullmatch(one, phrase))
        yield Odd(line + text.count("\n", 0, found.start()), phrase, instead)


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """What people read in a file, each text with its line: of code strings and comments, of examples their cases."""
    content = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        for each in tokenize.generate_tokens(io.StringIO(content).readline):
            if each.type in _TEXTS:
                yield each.start[0], each.string
    elif path.match(CASES):
        yield from ((number, line) for number, line in enumerate(content.splitlines(), 1) if line.startswith("- case:"))
    elif path.name == "CHANGELOG.md":
        yield 1, "\n## ".join(content.split("\n## ")[:2])
    else:
        yield 1, content


def found(root: Path) -> Iterator[str]:
    """Each odd phrase below `root` that is not kept: file, line, the phrase, and what to write instead."""
    for pattern in (*PAGES, *CODE, CASES):
        for path in sorted(root.glob(pattern)):
            file = path.relative_to(root).as_posix()
            if file.startswith(GENERATED) or file == "maintenance/english.py":
                continue
            kept = KEPT.get(file, frozenset())
            for line, text in texts(path):
                yield from (
                    f"{file}:{each.line}: '{each.phrase}': write {each.instead}"
                    for each in odd(text, line)
                    if each.phrase not in kept
                )


def main() -> int:
    """Print what is found; 1 where something is."""
    lines = [*found(ROOT)]
    print("\n".join(lines), end="\n" if lines else "")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
