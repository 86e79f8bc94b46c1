"""Files of the programs that sign people in, of every stack that has them, read by the programs' own parsers.

oauth2-proxy is run with `--config-test`; Dex's parser is asked by a reader that lies in its own package.
"""

from __future__ import annotations

import json
import re
import secrets
import string
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

import pytest

from platform_def.yaml import dump, load
from tests.cluster.client import Manifest
from tests.cluster.pki import serving
from tests.cluster.readers import Placed, ask, lost, placed
from tests.cluster.stacks import COVERAGE, REPOSITORY, Stacks
from tests.cluster.test_read_by import changed

pytestmark = pytest.mark.cluster

DEX, PROXY, MAIN = "dexidp/dex", "oauth2-proxy/oauth2-proxy", "oauth2-proxy"
FOLDER, STRUCTURED, KEYS = PurePosixPath("/etc/oauth2_proxy"), "structured.yaml", "keys"
ROOTS = {"coverage": COVERAGE, "dist": REPOSITORY}
VALID = "configuration is valid"


def stacks_with(component: str) -> list[str]:
    """Stacks that have a component, by `dist/NAME` and `coverage/NAME`."""
    files = [(key, path) for key, root in ROOTS.items() for path in sorted((root / "stacks").glob("*.yaml"))]
    written = re.compile(rf"^  {component}:", re.MULTILINE)
    return [f"{key}/{path.stem}" for key, path in files if written.search(path.read_text(encoding="utf-8"))]


def container(objects: list[Manifest], image: str, *, name: str = "") -> Placed:
    """The container of this image, and of this name where a pod has several."""
    (found,) = (
        each for each in placed(objects) if each.image == image and (not name or each.container["name"] == name)
    )
    return found


class Proxy:
    """The files of an oauth2-proxy's container in a folder, with Secrets and authorities in it made up."""

    def __init__(self, found: Placed, folder: Path) -> None:
        self.folder, self.variables = folder, found.variables
        maps = {each["name"]: each["configMap"]["name"] for each in found.pod["volumes"] if "configMap" in each}
        self.texts = {name: self._here(text) for name, text in found.data(maps["files"]).items()}
        self.flags = [self._here(flag) for flag in found.command]
        self.settings = PurePosixPath(self.flags[0]).name
        for mount in found.container["volumeMounts"]:
            self._mount(mount["name"], PurePosixPath(mount["mountPath"]))

    def _here(self, text: str) -> str:
        # Whether a server of sessions answers is no question of the file.
        text = text.replace('session_store_type = "redis"', 'session_store_type = "cookie"')
        return text.replace(str(FOLDER), str(self.folder))

    def _mount(self, volume: str, place: PurePosixPath) -> None:
        folder = self.folder / place.relative_to(FOLDER)
        if volume in ("client", "cookie"):
            folder.mkdir(parents=True)
            (folder / f"{volume}-secret").write_text(secrets.token_hex(16))
        elif volume.endswith(("-ca", "-certificate")):
            serving(folder, ["id.example.com"])
        else:
            folder.mkdir(parents=True)

    def test(self, program: Path, other: Mapping[str, str]) -> tuple[int, str]:
        """How `--config-test` ends, and what it says, where some files are other texts."""
        for name, text in {**self.texts, **other}.items():
            (self.folder / "files" / name).write_text(text)
        command = [str(program), *self.flags, "--config-test"]
        done = subprocess.run(command, env=self.variables, capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout + done.stderr

    def misspelt(self) -> Iterator[dict[str, str]]:
        """The files with one key in a wrong way each time."""
        lines = self.texts[self.settings].splitlines()
        for index, line in enumerate(lines):
            wrong = [*lines[:index], line.replace(" = ", "x = ", 1), *lines[index + 1 :]]
            yield {self.settings: "\n".join([*wrong, ""])}
        if any(flag.endswith(STRUCTURED) for flag in self.flags):
            for each in changed(load(self.texts[STRUCTURED])):
                yield {STRUCTURED: dump(each)}


WITH_KEYS = ("coverage/oauth2-proxy", KEYS)
"""A stack that names the keys of ServiceAccount tokens, and the container that serves them."""


@pytest.mark.parametrize(("name", "called"), [*((each, MAIN) for each in stacks_with("oauth2-proxy")), WITH_KEYS])
def test_oauth2_proxy_takes_its_files(
    name: str, called: str, manifests: Stacks, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    proxy = Proxy(container(manifests[name], PROXY, name=called), tmp_path)
    code, said = proxy.test(programs["oauth2-proxy"], {})

    assert (code, VALID in said) == (0, True), said


@pytest.mark.parametrize(
    ("name", "called"), [("coverage/oauth2-proxy", MAIN), ("coverage/oauth2-proxy-outside", MAIN), WITH_KEYS]
)
def test_oauth2_proxy_refuses_each_changed_key(
    name: str, called: str, manifests: Stacks, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    proxy = Proxy(container(manifests[name], PROXY, name=called), tmp_path)
    taken = [wrong for wrong in proxy.misspelt() if proxy.test(programs["oauth2-proxy"], wrong)[0] == 0]

    assert taken == []


ALPHABET = string.ascii_letters + string.digits


@pytest.fixture
def read(programs: Mapping[str, Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """The reader, which leaves names of variables in texts, and finds some hash of a password."""
    monkeypatch.setenv("DEX_EXPAND_ENV", "false")
    made = "".join(secrets.choice(ALPHABET) for _ in range(53))
    for number in range(9):
        monkeypatch.setenv(f"LOCAL_USER_{number}", f"$2a$10${made}")
    return programs["dex-reader"]


def dex_file(objects: list[Manifest]) -> object:
    """The file that Dex is started with."""
    found = container(objects, DEX)
    return load(found.file(found.command[-1]))


TAKEN = (
    "logger.level: 'info' is understood as 'INFO'",
    # Its value is held as the hash; without one Dex refuses the file.
    *(f"staticPasswords[{index}].hashFromEnv: 'LOCAL_USER_{index}' is understood as ''" for index in range(9)),
)


def missed(said: object, answer: Manifest) -> list[str]:
    """What of a file Dex's parser does not hold."""
    if "refused" in answer:
        return [answer["refused"]]
    return [each for each in lost(said, answer["config"]) if each not in TAKEN]


@pytest.mark.parametrize("name", stacks_with("dex"))
def test_dex_understands_all_that_its_file_says(name: str, manifests: Stacks, read: Path) -> None:
    said = dex_file(manifests[name])
    (answer,) = ask(read, [json.dumps(said)])

    assert missed(said, answer) == []


@pytest.mark.parametrize("name", ["coverage/dex", "coverage/dex-sql"])
def test_dex_does_not_hold_a_changed_key(name: str, manifests: Stacks, read: Path) -> None:
    wrong = [*changed(dex_file(manifests[name]))]
    answers = ask(read, [json.dumps(each) for each in wrong])

    taken = [each for each, answer in zip(wrong, answers, strict=True) if not missed(each, answer)]
    held = [sorted({*words(each)} - {*words(dex_file(manifests[name]))}) for each in taken]
    assert [each for each in held if each != ["*x"]] == []  # the name of a domain, which is the file's own choice


def words(value: object) -> Iterator[str]:
    """The keys of a file."""
    if isinstance(value, dict):
        yield from value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from words(inner)
