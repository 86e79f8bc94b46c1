"""A platform repository under Git, with the project's own sample stacks, served to an engine by smart HTTP."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType

from platform_def.yaml import dump, load_all
from tests.cluster.client import Manifest
from tests.cluster.sandbox import Sandbox
from tests.cluster.stacks import REPOSITORY

SERVER = Path(__file__).with_name("git_server.py")
NAME = "platform"
PLATFORMCTL = Path(sys.executable).with_name("platformctl")
ANY_HOST = "127.0.0.1:1"
"""For where a repository is served, which differs from run to run."""
SAID_WHERE = ("_delivery/", "index.json")
"""Files that have hashes of what says where it is."""
AUTHOR = {
    "GIT_AUTHOR_NAME": "platform team",
    "GIT_AUTHOR_EMAIL": "platform@example.com",
    "GIT_COMMITTER_NAME": "platform team",
    "GIT_COMMITTER_EMAIL": "platform@example.com",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
}
Publish = Callable[[Path, str], str]
"""Takes a commit of a repository's folder to where an engine reads it, and says what the engine will call it."""
NOTHING: Mapping[str, Sequence[Manifest]] = MappingProxyType({})
SAMPLE = "https://git.example.com/platform.git"
"""Where the sample stacks say that they are."""


class PlatformRepository:
    """One sample stack in a repository of its own: what a platform team has, and what an engine reads."""

    def __init__(
        self,
        folder: Path,
        stack: str,
        sandbox: Sandbox,
        *,
        text: str = "",
        own: Mapping[str, Sequence[Manifest]] = NOTHING,
        source: Path = REPOSITORY,
        publish: Publish | None = None,
    ) -> None:
        """Lay a stack of `source`, its bases and files beside it into `folder`, commit what `synth` makes of them, and serve that.

        `text` stands in for the text of the stack; `own` are the objects of components of the user's own. Where `publish`
        takes each commit elsewhere, nothing is served from here.
        """
        self.stack = stack
        self.revision = ""
        self.folder = folder / NAME
        self.folder.mkdir(parents=True)
        (port,) = sandbox.free_ports(1)
        self._sandbox, self._port = sandbox, port
        self._publish = publish
        self.url = f"http://127.0.0.1:{port}/{NAME}/.git"
        for each in ("stacks/base", "apps", "pipelines", "workflows", "overlays/_all", f"overlays/{stack}"):
            if (source / each).is_dir():
                shutil.copytree(source / each, self.folder / each)
        for name, objects in own.items():
            self.write(name, objects)
        text = text or (source / f"stacks/{stack}.yaml").read_text(encoding="utf-8")
        # Anybody on loopback may read it, so that no credentials are needed.
        lines = [line for line in text.splitlines() if not line.startswith("  secret: ")]
        self.file.write_text("\n".join(lines).replace(SAMPLE, self.url) + "\n", encoding="utf-8")
        self._git("init", "--quiet", "--initial-branch=main")
        self.commit("The platform")
        if publish is None:
            self.serve()

    @property
    def file(self) -> Path:
        """The stack's file."""
        return self.folder / f"stacks/{self.stack}.yaml"

    @property
    def dist(self) -> Path:
        """What is delivered."""
        return self.folder / "dist" / self.stack

    def write(self, component: str, objects: Sequence[Manifest]) -> None:
        """Say what a component of the user's own holds: `apps/<component>`."""
        file = self.folder / "apps" / component / "objects.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("---\n".join(dump(each) for each in objects), encoding="utf-8")

    def overlay(self, component: str, item: Manifest, patch: str) -> None:
        """Change an object of a component by a further patch of an overlay; to be committed."""
        file = self._overlay(component)
        file.parent.mkdir(parents=True, exist_ok=True)
        head: Manifest = {"apiVersion": "kustomize.config.k8s.io/v1alpha1", "kind": "Component"}
        (found,) = load_all(file.read_bytes(), file=str(file)) if file.exists() else (head,)
        assert isinstance(found, dict)
        metadata = item["metadata"]
        group, _, version = item["apiVersion"].rpartition("/")
        target = {"version": version, "kind": item["kind"], "name": f"^{re.escape(metadata['name'])}$"}
        target |= {"group": group} if group else {}
        target |= {"namespace": metadata["namespace"]} if metadata.get("namespace") else {}
        before = found.get("patches")
        patches = [*(before if isinstance(before, list) else []), {"target": target, "patch": patch}]
        file.write_text(dump({**found, "patches": patches}), encoding="utf-8")

    def drop_overlay(self, component: str) -> None:
        """Take the overlay of a component that leaves the stack out, where there is one."""
        shutil.rmtree(self._overlay(component).parent, ignore_errors=True)

    def _overlay(self, component: str) -> Path:
        return self.folder / "overlays" / self.stack / component / "kustomization.yaml"

    def edit(self, old: str, new: str) -> None:
        """Replace a text of the stack's file, which must be there."""
        _replace(self.file, old, new)

    def change(self, old: str, new: str) -> str:
        """Replace a text of the stack's file, which must be there, and commit what follows; the new revision."""
        self.edit(old, new)
        return self.commit(f"{old} → {new}")

    def retire(self, *components: str) -> str:
        """Take components out that the stack itself names, and the gateway that one is; the new revision."""
        text = self.file.read_text(encoding="utf-8")
        for each in components:
            text, taken = re.subn(rf"^  {each}: \{{.*\}}\n", "", text, flags=re.MULTILINE)
            assert taken == 1, f"{each} is not in {self.file}"
            text = text.replace(f"gateway: {each}\n", "")
            # A waiver of something that is gone is an error.
            text = re.sub(
                rf"^checks:\n  waive:\n    - \{{rule: [^\n]*/{each},[^\n]*\n(?! )", "", text, flags=re.MULTILINE
            )
        reasons = ", ".join(f"{each}: no longer wanted" for each in components)
        text, known = re.subn(r"^retire: \{(.*)\}\n", rf"retire: {{\1, {reasons}}}\n", text, flags=re.MULTILINE)
        self.file.write_text(text if known else f"{text}retire: {{{reasons}}}\n", encoding="utf-8")
        return self.commit(f"Without {' and '.join(components)}")

    def move(self, name: str, *, below: str, branch: str) -> str:
        """Go on in another repository, on a branch of it and in a folder; the new revision. The old one stays."""
        text = self.file.read_text(encoding="utf-8")
        here = self.folder.parent / name / below
        shutil.copytree(self.folder, here, ignore=shutil.ignore_patterns(".git", ".platformctl"))
        self.folder = here
        self.url = f"http://127.0.0.1:{self._port}/{name}/.git"
        said = f'repository: "{self.url}", revision: {branch}, path: {below}/dist'
        self.file.write_text(re.sub(r'repository: "[^"]*"', said, text), encoding="utf-8")
        self._git("init", "--quiet", f"--initial-branch={branch}", str(here.parent))
        return self.commit("The platform, moved")

    @property
    def top(self) -> Path:
        """Where Git has it all."""
        return Path(self._git("rev-parse", "--show-toplevel"))

    @contextmanager
    def apart(self) -> Iterator[Path]:
        """A copy of what the stack is made from, as each run has it: where it is served differs."""
        with TemporaryDirectory() as folder:
            root = Path(folder) / NAME
            shutil.copytree(self.folder, root, ignore=shutil.ignore_patterns(".*", "dist"))
            file = root / self.file.relative_to(self.folder)
            file.write_text(file.read_text(encoding="utf-8").replace(self.host, ANY_HOST), encoding="utf-8")
            yield root

    @property
    def host(self) -> str:
        """Where it is served in this run."""
        return f"127.0.0.1:{self._port}"

    def _note(self) -> None:
        """Render the stack as each run has it: the proofs then know by its objects what engines are given.

        What the command has written is the same, but for what says where the stack is.
        """
        from platform_def.pipeline.synth import Options, render

        with self.apart() as root:
            rendered = render(Options(root=root, stacks=(self.stack,), cache=self.folder.parent / "noted"))
        files = {
            path: text.replace(ANY_HOST.encode(), self.host.encode())
            for path, text in rendered.files()[self.stack].items()
        }
        there = {
            path.relative_to(self.dist).as_posix(): path.read_bytes() for path in self.dist.rglob("*") if path.is_file()
        }
        assert files.keys() == there.keys()
        assert [path for path in sorted(files) if files[path] != there[path] and not path.startswith(SAID_WHERE)] == []

    def commit(self, message: str) -> str:
        """Synthesise, and commit everything."""
        command = [str(PLATFORMCTL), "synth", self.stack]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        self._note()
        self._git("add", "--all", ".", ":!.platformctl")
        self._git("commit", "--quiet", "--message", message)
        head = self._git("rev-parse", "HEAD")
        self.revision = self._publish(self.folder, head) if self._publish else head
        return self.revision

    def manifests(self, folder: str = "", *, jobs: bool = False) -> list[Manifest]:
        """The objects of dist/, or of a folder in it, as they are committed; without jobs unless these are meant."""
        files = [each for each in sorted((self.dist / folder).rglob("*.yaml")) if jobs or "_jobs" not in each.parts]
        found = [each for file in files for each in load_all(file.read_bytes(), file=str(file))]
        return [each for each in found if isinstance(each, dict)]

    def serve(self) -> None:
        """Answer the engine."""
        argv = [sys.executable, "-I", str(SERVER), str(self.folder.parent), str(self._port)]
        self._sandbox.start("git", argv, log=self.folder.parent / "git.log")

    def vanish(self) -> None:
        """Answer nobody, until `serve` is called again."""
        self._sandbox.stop("git")

    def _git(self, *words: str) -> str:
        command = ["git", "-C", str(self.folder), *words]
        done = subprocess.run(command, env={**os.environ, **AUTHOR}, capture_output=True, text=True, check=True)
        return done.stdout.strip()


def _replace(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text, f"{old} is not in {file}"
    file.write_text(text.replace(old, new), encoding="utf-8")
