"""Whatever a stack file holds: it is rendered or refused with PlatformErrors, within a second, and nothing else is touched.

FUZZ_EXAMPLES says how many files are tried; `make fuzz` tries 10,000.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from platform_def.errors import PlatformError
from platform_def.pipeline.synth import Options, render
from tests.acceptance.mutated import BASES, SEEDS, TEXTS, from_schema, garbled, malicious, replaced, replaced_objects
from tests.acceptance.repository import HEAD, SMALL, Repository

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "300"))
SECONDS = 1.0
"""Of this process; the first time a build may take more, and Node's part is not counted."""
ONE_IN = 12
"""How many files are tried without for each one that goes through the command itself."""

NAME = "fuzzed"
STACK = f"stacks/{NAME}.yaml"
WITH_APPLICATION = f"{HEAD}components: {{training-operator: {{}}, x: {{path: apps/x, namespace: x}}}}\n"
CHANGES = frozenset(
    {"os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.link", "os.chmod", "os.truncate"}
)


def share(parts: int) -> Callable[..., Callable[..., None]]:
    """Settings for so many tenths of the examples; the same ones each time unless a number is asked for."""
    return settings(
        max_examples=max(1, EXAMPLES * parts // 10),
        deadline=None,
        database=None,
        derandomize="FUZZ_EXAMPLES" not in os.environ,
        suppress_health_check=list(HealthCheck),
    )


class Watch:
    """Notes what this process changes on the disk outside of some folders; an audit hook can't be taken away again."""

    def __init__(self) -> None:
        self.allowed: tuple[str, ...] = ()
        self.outside: list[str] = []
        sys.addaudithook(self.heard)

    def heard(self, event: str, arguments: tuple[object, ...]) -> None:
        if not self.allowed:
            return
        changed: tuple[object, ...]
        if event == "open":
            path, _, flags = arguments
            changed = (path,) if isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) else ()
        else:
            changed = arguments[:2] if event in CHANGES else ()
        for path in changed:
            real = os.path.realpath(os.fsdecode(path)) if isinstance(path, str | bytes | os.PathLike) else os.devnull
            inside = real == os.devnull or f"{real}/".startswith(self.allowed)
            if not inside and not (event == "os.mkdir" and Path(real).is_dir()):
                self.outside.append(f"{event}: {real}")

    @contextmanager
    def over(self, *folders: Path) -> Iterator[None]:
        """Everything that happens inside must stay in these folders."""
        self.outside.clear()
        self.allowed = tuple(f"{folder.resolve()}/" for folder in folders)
        try:
            yield
        finally:
            self.allowed = ()

        assert self.outside == []


class Trial:
    """A repository whose one stack is written anew for each example."""

    def __init__(self, root: Path):
        root.mkdir()
        self.repository = Repository(root)
        self.repository.write({f"stacks/base/{name}": text for name, text in BASES.items()})
        (root / "apps" / "x").mkdir(parents=True)
        self.options = Options(root, (NAME,), root / ".platformctl" / "cache", jobs=1)
        self.watch = Watch()
        self.repository.write({STACK: SEEDS[0]})
        render(self.options)  # starts Node, whose own files are not the example's

    def takes(self, content: bytes, *, through_command: bool, file: str = STACK) -> None:
        """The example is rendered or refused as it should be."""
        (self.repository.root / file).write_bytes(content)
        code = self.timed()
        if through_command:
            self.command(code)

    def timed(self) -> int:
        """The exit code that the command owes; a second run has the builds of the first."""
        for once_more in (True, False):
            before = time.process_time()
            with self.watch.over(self.repository.root / ".platformctl"):
                code = self.rendered()
            spent = time.process_time() - before
            if spent < SECONDS:
                return code

            assert once_more, f"{spent:.1f} s"
        raise AssertionError

    def rendered(self) -> int:
        try:
            rendered = render(self.options)
            if any(each.severity == "error" for each in rendered.findings[NAME]):
                return 1
            paths = rendered.files()[NAME]
        except PlatformError as error:
            return error.exit_code
        for path in paths:
            assert not path.startswith("/")
            assert ".." not in path.split("/")
            assert all(len(part.encode()) <= 255 for part in path.split("/"))
        return 0

    def command(self, code: int) -> None:
        """The command ends with that exit code, and writes only where it may; nothing when it refuses."""
        before = self.repository.files()
        root = self.repository.root
        with self.watch.over(root / "dist", root / ".platformctl"):
            done = self.repository.ask("synth", code=code)
        gc.enable()

        assert "Traceback" not in done.err
        assert code == 0 or self.repository.files() == before
        assert all(path.startswith(f"{NAME}/") for path in self.repository.files())


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Trial:
    return Trial(tmp_path_factory.mktemp("fuzz") / "repository")


SOME = st.integers(1, ONE_IN).map(lambda number: number == 1)


@share(2)
@given(text=garbled(), through_command=SOME)
def test_a_garbled_file_is_rendered_or_refused(trial: Trial, text: str, through_command: bool) -> None:
    trial.takes(text.encode(errors="surrogatepass"), through_command=through_command)


@share(3)
@given(text=replaced(), through_command=SOME)
def test_a_stack_with_values_replaced_is_rendered_or_refused(trial: Trial, text: str, through_command: bool) -> None:
    trial.takes(text.encode(errors="surrogatepass"), through_command=through_command)


@share(3)
@given(text=from_schema(), through_command=SOME)
def test_a_stack_grown_from_the_schema_is_rendered_or_refused(trial: Trial, text: str, through_command: bool) -> None:
    trial.takes(text.encode(errors="surrogatepass"), through_command=through_command)


@share(1)
@given(
    content=malicious().map(str.encode) | st.binary(max_size=300) | st.text(max_size=300).map(str.encode),
    through_command=SOME,
)
def test_what_is_no_stack_is_refused(trial: Trial, content: bytes, through_command: bool) -> None:
    trial.takes(content, through_command=through_command)


@share(1)
@given(text=replaced_objects(), through_command=SOME)
def test_objects_of_an_application_are_rendered_or_refused(trial: Trial, text: str, through_command: bool) -> None:
    trial.repository.write({STACK: WITH_APPLICATION})

    trial.takes(text.encode(errors="surrogatepass"), through_command=through_command, file="apps/x/objects.yaml")


@pytest.mark.parametrize(
    "name", ["..", "-rf", "x y", "Ž", "_delivery", "_all", "index.json", "a\nb", "a.b", "x" * 80, "$(id)", "\udcff"]
)
def test_a_stack_file_with_an_odd_name_is_refused(repository: Repository, name: str) -> None:
    repository.write({f"stacks/{name}.yaml": SMALL})
    before = repository.files(".")

    said = repository.ask("synth", code=2).err

    assert "rename the file" in said
    assert repository.files(".").keys() - before.keys() <= {".platformctl/code.json"}


def test_a_link_to_a_device_is_not_read_to_its_end(small: Repository) -> None:
    (small.root / "stacks" / "endless.yaml").symlink_to("/dev/zero")

    assert "1 stack" in small.run("synth").err


@pytest.mark.parametrize("words", ["synth", "check", "synth --check", "bootstrap", "explain one", "explain"])
def test_odd_words_on_the_command_line_are_refused(synthesised: Repository, words: str) -> None:
    odd = [text.encode(errors="replace").decode() for text in TEXTS if "\0" not in text]
    given = odd if words in ("synth", "check", "synth --check") else odd[5:6]
    before = synthesised.files()

    said = synthesised.ask(*words.split(), "--", *given, code=2).err

    assert "Traceback" not in said
    assert synthesised.files() == before
