"""Whatever a stack file, an overlay or a folder of the user's own holds: it is rendered or refused with PlatformErrors.

Within 5 s, kustomize's included, and nothing else is touched. FUZZ_EXAMPLES says how many
stack files are tried, and how many overlays and folders; `make fuzz` tries 10,000 of each.
"""

from __future__ import annotations

import os
import resource
import shutil
import sys
import tempfile
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
from tests.acceptance.mutated_overlays import folders, kustomizations, overlays
from tests.acceptance.repository import HEAD, SMALL, Repository

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "100"))
SECONDS = 5.0
"""Many times what a file takes: of the processor, kustomize's part included and Node's not, and on the clock, where a
machine with more to do than processors may take longer by as much."""
TRIES = 5
"""How often an example may need longer: the first build of a component does, and whatever a busy machine holds up."""
ONE_IN = 12
"""How many files are tried without for each one that goes through the command itself."""

WITH_KUSTOMIZE = EXAMPLES if "FUZZ_EXAMPLES" in os.environ else 60
"""Overlays and folders of the user's own: each may cost a process or two."""
NAME = "fuzzed"
STACK = f"stacks/{NAME}.yaml"
WITH_APPLICATION = f"{HEAD}components: {{training-operator: {{}}, x: {{path: apps/x, namespace: x}}}}\n"
CHANGES = frozenset(
    {"os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.link", "os.chmod", "os.truncate"}
)


def share(parts: int, of: int = EXAMPLES) -> Callable[..., Callable[..., None]]:
    """Settings for so many tenths of the examples; the same ones each time unless a number is asked for."""
    return settings(
        max_examples=max(1, of * parts // 10),
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
        if event in ("os.remove", "os.rmdir") and isinstance(changed[0], str) and arguments[1] != -1:
            changed = (Path(f"/proc/self/fd/{arguments[1]}", changed[0]),)  # a name in an open folder
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


def _processor_seconds() -> float:
    """What this process and the programs that it waited for have taken so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + used.ru_utime + used.ru_stime


def _crowd() -> float:
    """How many programs want each processor; at least one."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


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

    def takes(
        self, content: bytes, *, through_command: bool, file: str = STACK, beside: tuple[str, bytes] | None = None
    ) -> None:
        """The example is rendered or refused as it should be."""
        for name, written in [(file, content), *([beside] if beside else [])]:
            (self.repository.root / name).write_bytes(written)
        code = self.timed()
        if through_command:
            self.command(code)

    def timed(self) -> int:
        """The exit code that the command owes; what hangs, hangs every time."""
        took = []
        for _ in range(TRIES):
            before, begun = _processor_seconds(), time.monotonic()
            with self.watch.over(self.repository.root / ".platformctl"):
                code = self.rendered()
            spent, passed = _processor_seconds() - before, time.monotonic() - begun
            if spent < SECONDS and passed < SECONDS * _crowd():
                return code

            took.append(f"{spent:.1f} s of the processor, {passed:.1f} s on the clock")
        raise AssertionError("; ".join(took))

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
        root = self.repository.root
        shutil.rmtree(root / "dist", ignore_errors=True)  # what an example has, the next one would have to retire
        before = self.repository.files()
        with self.watch.over(root / "dist", root / ".platformctl"):
            done = self.repository.ask("synth", code=code)

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


@pytest.fixture(scope="module")
def kustomized(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trial]:
    """A trial with an overlay and a folder of the user's own, whose temporary files are its own, too."""
    trial = Trial(tmp_path_factory.mktemp("fuzz") / "repository")
    state = trial.repository.root / ".platformctl"
    state.mkdir(exist_ok=True)
    overlay = f"overlays/{NAME}/training-operator"
    trial.repository.write({
        f"{overlay}/base/kustomization.yaml": "resources: [map.yaml]\n",
        f"{overlay}/base/map.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: base, namespace: kubeflow}\n",
    })  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(state))
        yield trial


@share(4, WITH_KUSTOMIZE)
@given(overlay=overlays(), through_command=SOME)
def test_an_overlay_is_applied_or_refused(kustomized: Trial, overlay: tuple[str, str], through_command: bool) -> None:
    kustomized.repository.write({STACK: SMALL})
    folder = f"overlays/{NAME}/training-operator"
    text, patch = (each.encode(errors="surrogatepass") for each in overlay)

    kustomized.takes(
        text,
        through_command=through_command,
        file=f"{folder}/kustomization.yaml",
        beside=(f"{folder}/patch.yaml", patch),
    )


@share(3, WITH_KUSTOMIZE)
@given(folder=kustomizations(), through_command=SOME)
def test_a_kustomization_of_the_users_own_is_built_or_refused(
    kustomized: Trial, folder: tuple[str, str], through_command: bool
) -> None:
    _without_overlay(kustomized)
    text, objects = (each.encode(errors="surrogatepass") for each in folder)

    kustomized.takes(
        text,
        through_command=through_command,
        file="apps/x/kustomization.yaml",
        beside=("apps/x/objects.yaml", objects),
    )


@share(3, WITH_KUSTOMIZE)
@given(folder=folders(), through_command=SOME)
def test_a_folder_of_the_users_own_is_taken_in_or_refused(
    kustomized: Trial, folder: tuple[str, str], through_command: bool
) -> None:
    _without_overlay(kustomized)
    (kustomized.repository.root / "apps/x/kustomization.yaml").unlink(missing_ok=True)
    one, other = (each.encode(errors="surrogatepass") for each in folder)

    kustomized.takes(one, through_command=through_command, file="apps/x/a.yaml", beside=("apps/x/objects.yaml", other))


def _without_overlay(trial: Trial) -> None:
    trial.repository.write({STACK: WITH_APPLICATION})
    for file in ("kustomization.yaml", "patch.yaml"):
        (trial.repository.root / f"overlays/{NAME}/training-operator" / file).unlink(missing_ok=True)
    shutil.rmtree(trial.repository.root / f"overlays/{NAME}", ignore_errors=True)


@pytest.mark.parametrize(
    "name", ["..", "-rf", "x y", "Ž", "_delivery", "_all", "index.json", "a\nb", "a.b", "x" * 80, "$(id)", "\udcff"]
)
def test_a_stack_file_with_an_odd_name_is_refused(repository: Repository, name: str) -> None:
    repository.write({f"stacks/{name}.yaml": SMALL})
    before = repository.files(".")

    said = repository.ask("synth", code=2).err

    assert "rename the file" in said
    # What is built of such a stack is kept like any other, below the hash of what it was made from.
    written = repository.files(".").keys() - before.keys()
    assert {each for each in written if not each.startswith(".platformctl/")} == set()


def test_a_link_to_a_device_is_not_read_to_its_end(small: Repository) -> None:
    (small.root / "stacks" / "endless.yaml").symlink_to("/dev/zero")

    assert "stacks/endless.yaml: is a link to outside the repository" in small.run("synth", code=2).err


@pytest.mark.parametrize("words", ["synth", "check", "synth --check", "bootstrap", "explain one", "explain"])
def test_odd_words_on_the_command_line_are_refused(synthesised: Repository, words: str) -> None:
    odd = [text.encode(errors="replace").decode() for text in TEXTS if "\0" not in text]
    given = odd if words in ("synth", "check", "synth --check") else odd[5:6]
    before = synthesised.files()

    said = synthesised.ask(*words.split(), "--", *given, code=2).err

    assert "Traceback" not in said
    assert synthesised.files() == before
