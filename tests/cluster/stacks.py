"""What the cluster is asked to take: the repository's dist/ as committed, and the coverage stacks as rendered now."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

from platform_def.crds.catalogue import definition_of
from platform_def.crds.crd import crd
from platform_def.yaml import load_all
from tests.cluster.client import Manifest

if TYPE_CHECKING:
    from platform_def.manifests.rendered import RenderedStack

REPOSITORY = Path(__file__).parents[2]
DIST = REPOSITORY / "dist"
COVERAGE = REPOSITORY / "tests" / "coverage"


def dist_stacks() -> list[str]:
    """The stacks whose manifests are committed."""
    return sorted(index.parent.name for index in DIST.glob("*/index.json"))


def coverage_stacks() -> list[str]:
    """The stacks that exist to render every component at every release."""
    return sorted(file.stem for file in (COVERAGE / "stacks").glob("*.yaml"))


def stack_names() -> list[str]:
    """`dist/NAME` and `coverage/NAME` of all stacks, known before anything is rendered."""
    return [*(f"dist/{name}" for name in dist_stacks()), *(f"coverage/{name}" for name in coverage_stacks())]


class Stacks(Mapping[str, list[Manifest]]):
    """The objects of every stack, with those of its jobs and its delivery; a stack is read when it is asked for.

    KeyError for a name that is no stack's.
    """

    def __init__(self, coverage: Path) -> None:
        """`coverage` holds the coverage stacks as rendered now."""
        folders = {"dist": DIST, "coverage": coverage}
        names = (stack.partition("/") for stack in stack_names())
        self._folders = {f"{place}/{name}": folders[place] / name for place, _, name in names}
        self._read: dict[str, list[Manifest]] = {}

    def __getitem__(self, stack: str) -> list[Manifest]:
        if stack not in self._read:
            self._read[stack] = _objects_in(self._folders[stack])
        return self._read[stack]

    def __iter__(self) -> Iterator[str]:
        return iter(self._folders)

    def __len__(self) -> int:
        return len(self._folders)


def render_coverage(folder: Path) -> Path:
    """Render the coverage stacks into a folder, once for all processes that name it, and return it.

    By a process of its own: it takes most of a gigabyte, which is free again when it ends.
    """
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            command = [sys.executable, "-m", "platform_def", "synth", "--no-cache"]
            command += ["--root", str(COVERAGE), "--out", str(folder)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"`{' '.join(command)}` failed:\n{done.stdout}{done.stderr}"
    return folder


def rendered_stack(root: Path, text: str, *, name: str) -> RenderedStack:
    """A stack of this text, made as the only one of a repository and rendered without an error."""
    (root / "stacks").mkdir(parents=True)
    (root / "stacks" / f"{name}.yaml").write_text(text)
    return only_stack(root)


def only_stack(root: Path) -> RenderedStack:
    """The one stack of a repository, rendered without an error."""
    from platform_def.pipeline.synth import Options, render

    rendered = render(Options(root=root))
    (stack,) = rendered.stacks
    errors = [each for found in rendered.findings.values() for each in found if each.severity == "error"]
    assert not errors, errors
    return stack


def _objects_in(folder: Path) -> list[Manifest]:
    found = [item for file in sorted(folder.rglob("*.yaml")) for item in _objects(file)]
    assert found, f"{folder} holds no manifest"
    return found


def _objects(file: Path) -> list[Manifest]:
    found = load_all(file.read_bytes(), file=str(file))
    assert all(isinstance(item, dict) for item in found), f"{file} holds something else than objects"
    return cast("list[Manifest]", found)


def crds_of(manifests: Iterable[Manifest]) -> list[Manifest]:
    """The CRDs among some objects."""
    return [manifest for manifest in manifests if manifest["kind"] == "CustomResourceDefinition"]


def borrowed_crds(manifests: Sequence[Manifest], others: Iterable[Manifest]) -> list[Manifest]:
    """CRDs of `others` for kinds that objects use and do not define: those of what the cluster has already."""
    own = {crd["metadata"]["name"] for crd in crds_of(manifests)}
    used = {(manifest["apiVersion"].rpartition("/")[0], manifest["kind"]) for manifest in manifests}
    found = {
        crd["metadata"]["name"]: crd
        for crd in others
        if (crd["spec"]["group"], crd["spec"]["names"]["kind"]) in used and crd["metadata"]["name"] not in own
    }
    return [found[name] for name in sorted(found)]


def catalogued_crds(manifests: Iterable[Manifest]) -> list[Manifest]:
    """CRDs of the catalogue for kinds that objects use: provided components bring theirs, and no stack renders them."""
    used = {(manifest["apiVersion"].rpartition("/")[0], manifest["kind"]) for manifest in manifests}
    return [crd(found) for group, kind in sorted(used) if (found := definition_of(group, kind))]


def converted(manifests: Sequence[Manifest]) -> list[Manifest]:
    """The objects that a webhook of the stack must convert before they are stored."""
    stored = {}
    for definition in crds_of(manifests):
        spec = definition["spec"]
        if spec.get("conversion", {}).get("strategy") == "Webhook":
            (version,) = (each["name"] for each in spec["versions"] if each["storage"])
            stored[spec["group"], spec["names"]["kind"]] = f"{spec['group']}/{version}"
    kinds = [(item, (item["apiVersion"].rpartition("/")[0], item["kind"])) for item in manifests]
    return [item for item, kind in kinds if stored.get(kind, item["apiVersion"]) != item["apiVersion"]]


@cache
def kubernetes_of(stack: str) -> str:
    """The version that `dist/NAME` or `coverage/NAME` is for."""
    from platform_def.pipeline.load import load

    place, _, name = stack.partition("/")
    (loaded,) = load({"dist": REPOSITORY, "coverage": COVERAGE}[place], [name])
    return loaded.stack.cluster.kubernetes
