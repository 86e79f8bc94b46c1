"""Stacks that cluster tests render themselves: written down while the tests run, and rendered again to see what changed.

A module whose stacks become the objects that they were when it passed is proven, whatever changed in the code between. The
ledger keeps the files of each stack and a hash of what they became.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import wraps
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.renders.state import code_of

FOLDER = "build/proofs/rendered"
"""A file for each state of the code: what stacks become with it."""
CACHE = Path("build/renders/builds")
"""Where builds of components are kept by content."""
MOST_BYTES = 200_000
"""A root with more than that is no stack of a test's own, but a copy of this repository's."""
NOT_READ = ("dist", "build")
"""Folders of a root that no rendering reads, beside hidden ones."""
KEY = "PRIVATE KEY-----"
"""In each file with one, such as a server's that a test starts: the ledger keeps none."""


@dataclass(frozen=True)
class Root:
    """The files that some stacks were rendered from."""

    files: Mapping[str, str]
    """Texts by paths."""
    stacks: Sequence[str] = ()
    """Those that were rendered; empty for all."""
    became: str = ""
    """The hash of the files of dist/, or of the reasons why there are none."""

    @property
    def key(self) -> str:
        """A hash of what is rendered."""
        return _hash(json.dumps([sorted(self.files.items()), [*self.stacks]]))

    def to_dict(self) -> dict[str, Any]:
        """As the ledger keeps it."""
        return asdict(self)


def watch(render: str, note: Callable[[Root | None], None]) -> Callable[[], None]:
    """Have a function, `module:name`, say what it renders; what is called ends that.

    None is said of a root that cannot be written down.
    """
    module, _, name = render.partition(":")
    place = import_module(module)
    original = getattr(place, name)

    @wraps(original)
    def watched(options: Any) -> Any:
        files = files_of(options.root)
        try:
            found = original(options)
        except Exception as error:
            note(Root(files, options.stacks, _of_error(error, options.root)) if files else None)
            raise
        note(Root(files, options.stacks, _of(found.files())) if files else None)
        return found

    setattr(place, name, watched)
    return lambda: setattr(place, name, original)


def files_of(root: Path) -> dict[str, str] | None:
    """The texts of a root by path; None where they are too many, or none, or one holds a private key."""
    found, size = {}, 0
    for file in sorted(root.rglob("*")):
        path = file.relative_to(root)
        if not file.is_file() or path.parts[0] in NOT_READ or any(part.startswith(".") for part in path.parts):
            continue
        size += file.stat().st_size
        if size > MOST_BYTES:
            return None
        found[path.as_posix()] = file.read_text(encoding="utf-8")
    return found if found and not any(KEY in text for text in found.values()) else None


@dataclass
class Renders:
    """What roots become with the present code; each is rendered once, for all processes and runs."""

    repository: Path
    render: str
    """The function that renders, as `module:name`."""
    _known: dict[str, str] = field(default_factory=dict)

    def ask(self, roots: Iterable[Root]) -> None:
        """Render those that are not known yet, together, in a process of their own."""
        wanted = {root.key: root for root in roots if root.key not in self._known}
        if not wanted:
            return
        file = self.repository / FOLDER / f"{code_of(self.repository)}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        with (file.parent / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            kept = json.loads(file.read_text()) if file.exists() else {}
            missing = [root.to_dict() for key, root in wanted.items() if key not in kept]
            if missing:
                kept |= self._rendered(missing)
                for old in file.parent.glob("*.json"):
                    old.unlink()
                file.write_text(json.dumps(kept), encoding="utf-8")
        self._known |= {key: kept[key] for key in wanted}

    def unchanged(self, root: Root) -> bool:
        """Whether it becomes what it was."""
        self.ask([root])
        return self._known[root.key] == root.became

    def _rendered(self, roots: Sequence[Mapping[str, Any]]) -> dict[str, str]:
        command = [sys.executable, "-m", "tests.proofs.rendering", self.render]
        done = subprocess.run(
            command, cwd=self.repository, input=json.dumps(roots), stdout=subprocess.PIPE, text=True, check=True
        )
        found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
        return found


def became(root: Root, render: str) -> str:
    """The hash of what the root becomes with this process's code."""
    seen: list[Root | None] = []
    module, _, name = render.partition(":")
    place, known = import_module(module), (CACHE, code_of())
    with TemporaryDirectory() as folder:
        for path, text in root.files.items():
            (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / path).write_text(text, encoding="utf-8")
        end = watch(render, seen.append)
        with suppress(Exception):  # what it says is noted, and hashed
            getattr(place, name)(place.Options(Path(folder), tuple(root.stacks), *known))
        end()
    (found,) = seen
    return found.became if found else ""


def _of(files: Mapping[str, Mapping[str, bytes]]) -> str:
    """A hash of the files of some stacks."""
    texts = [
        [stack, path, hashlib.sha256(content).hexdigest()]
        for stack, of_stack in sorted(files.items())
        for path, content in sorted(of_stack.items())
    ]
    return _hash(json.dumps(texts))


def _of_error(error: Exception, root: Path) -> str:
    return _hash(f"refused: {error}".replace(str(root), ""))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def main(render: str) -> None:
    """Render roots of the standard input, and write by key what each became as the last line of the output."""
    roots = [Root(**each) for each in json.load(sys.stdin)]
    print(json.dumps({root.key: became(root, render) for root in roots}))


if __name__ == "__main__":
    main(sys.argv[1])
