"""What cluster tests have the code make: written down while the tests run, and made again to see what changed.

That is stacks which they render themselves, and answers of functions that are `noted`. A module whose stacks become the
objects that they were when it passed, and which is answered as it was, is proven, whatever changed in the code between. The
ledger keeps the files of each stack, the words of each question, and a hash of what they became.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, is_dataclass
from functools import cached_property, wraps
from importlib import import_module
from inspect import signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ParamSpec, TypeVar

from tests.renders.state import code_of

FOLDER = "build/proofs/rendered"
"""A file for each state of the code: what stacks become with it, and how questions are answered."""
CACHE = Path("build/renders/builds")
"""Where builds of components are kept by content."""
MOST_BYTES = 200_000
"""A root with more than that is no stack of a test's own, but a copy of this repository's."""
PROCESSES = 2
"""How many make at once what is not known yet."""
NOT_READ = ("dist", "build")
"""Folders of a root that no rendering reads, beside hidden ones."""
KEY = "PRIVATE KEY-----"
"""In each file with one, such as a server's that a test starts: the ledger keeps none."""


@dataclass(frozen=True)
class Root:
    """The files that some stacks were rendered from, and what came of them."""

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


@dataclass(frozen=True)
class Answer:
    """What a function of the tests, `module:name`, gave for some words: it is known by that, not by what it imports."""

    function: str
    words: Sequence[str]
    became: str = ""
    """The hash of what it gave."""

    @property
    def key(self) -> str:
        """A hash of what is asked."""
        return _hash(json.dumps([self.function, [*self.words]]))


Made = Root | Answer
Note = Callable[[Made | None], None]
_P = ParamSpec("_P")
_T = TypeVar("_T")
_LISTENING: list[Note] = []
_ASKED = ContextVar("asked", default=False)
"""Whether a function that is noted is at work."""


def read_made(known: Mapping[str, Any]) -> Made:
    """One of them, as the ledger keeps it."""
    return Answer(**known) if "function" in known else Root(**known)


def noted(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Decorates a function of a module of the tests that makes something of words alone: who asks it reads what it gives.

    What the function asks in turn does not count.
    """

    name, shape = f"{function.__module__}:{function.__qualname__}", signature(function)

    @wraps(function)
    def asked(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        if _ASKED.get():
            return function(*args, **kwargs)
        words = shape.bind(*args, **kwargs).args
        became, before = "", _ASKED.set(True)
        try:
            found = function(*args, **kwargs)
            became = _of_answer(found) if _LISTENING else ""
            return found
        except Exception as error:
            became = _of_error(error)
            raise
        finally:
            _ASKED.reset(before)
            for note in _LISTENING:
                note(Answer(name, words, became))

    return asked


def watch(render: str, note: Note) -> Callable[[], None]:
    """Have a function, `module:name`, say what it renders, and those that are `noted` what they give; what is called ends that.

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
            note(Root(files, options.stacks, _of_error(error, str(options.root))) if files else None)
            raise
        note(Root(files, options.stacks, _of(found.files())) if files else None)
        return found

    def end() -> None:
        setattr(place, name, original)
        _LISTENING.remove(note)

    setattr(place, name, watched)
    _LISTENING.append(note)
    return end


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
    """What roots and questions become with the present code; each is made once, for all processes and runs."""

    repository: Path
    render: str
    """The function that renders, as `module:name`."""
    _known: dict[str, str] = field(default_factory=dict)

    def ask(self, roots: Iterable[Made]) -> None:
        """Make those that are not known yet, in processes of their own."""
        wanted = {root.key: root for root in roots if root.key not in self._known}
        if not wanted:
            return
        file = self.repository / FOLDER / f"{code_of(self.repository)}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        with (file.parent / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            kept = json.loads(file.read_text()) if file.exists() else {}
            missing = [asdict(root) for root in wanted.values() if self._place(root) not in kept]
            if missing:
                share = -(-len(missing) // PROCESSES)
                with ThreadPoolExecutor(PROCESSES) as processes:
                    parts = [missing[start : start + share] for start in range(0, len(missing), share)]
                    for found in processes.map(self._rendered, parts):
                        kept |= {self._place(wanted[key]): each for key, each in found.items()}
                for old in file.parent.glob("*.json"):
                    old.unlink()
                file.write_text(json.dumps(kept), encoding="utf-8")
        self._known |= {key: kept[self._place(root)] for key, root in wanted.items()}

    def _place(self, root: Made) -> str:
        """Where it is kept: of answers, beside those of other states of the tests."""
        return f"{root.key} {self._tests}" if isinstance(root, Answer) else root.key

    @cached_property
    def _tests(self) -> str:
        files = sorted((self.repository / "tests").rglob("*.py"))
        return _hash("".join(hashlib.sha256(file.read_bytes()).hexdigest() for file in files))

    def unchanged(self, root: Made) -> bool:
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


def became(root: Made, render: str) -> str:
    """The hash of what the root, or a question, becomes with this process's code."""
    if isinstance(root, Answer):
        module, _, name = root.function.partition(":")
        try:
            return _of_answer(getattr(import_module(module), name)(*root.words))
        except Exception as error:
            return _of_error(error)
    seen: list[Made | None] = []
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


def _of_answer(found: object) -> str:
    """A hash of something made of texts, numbers, lists, maps and dataclasses."""
    value = asdict(found) if is_dataclass(found) and not isinstance(found, type) else found
    return _hash(json.dumps(value, sort_keys=True, default=sorted))


def _of_error(error: Exception, root: str = "") -> str:
    text = f"refused: {error}"
    return _hash(text.replace(root, "") if root else text)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def main(render: str) -> None:
    """Make what the standard input names, and write by key what each became as the last line of the output."""
    roots = [read_made(each) for each in json.load(sys.stdin)]
    print(json.dumps({root.key: became(root, render) for root in roots}))


if __name__ == "__main__":
    main(sys.argv[1])
