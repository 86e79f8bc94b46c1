"""What the cluster is asked to take: the repository's dist/ as committed, and the coverage stacks as rendered now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

from platform_def.crds.catalogue import definition_of
from platform_def.crds.crd import crd
from platform_def.yaml import load_all
from tests.cluster.client import Manifest
from tests.renders.store import Store

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

    def __init__(self, store: Store) -> None:
        """`store` has the coverage stacks as they are rendered from the present files."""
        self._store = store
        self._names = stack_names()
        self._read: dict[str, list[Manifest]] = {}

    def __getitem__(self, stack: str) -> list[Manifest]:
        if stack not in self._read:
            self._read[stack] = self._objects_of(stack)
        return self._read[stack]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def _objects_of(self, stack: str) -> list[Manifest]:
        if stack not in self._names:
            raise KeyError(stack)
        place, _, name = stack.partition("/")
        if place == "dist":
            return _objects_in({str(file): file.read_bytes() for file in sorted((DIST / name).rglob("*.yaml"))})
        from platform_def.pipeline.files import files_of

        files = files_of(self._store.get(stack, beside=self._names))
        return _objects_in({path: files[path] for path in sorted(files) if path.endswith(".yaml")})


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


def _objects_in(files: Mapping[str, bytes]) -> list[Manifest]:
    found = [item for path, content in files.items() for item in load_all(content, file=path)]
    assert found, "a stack without a manifest"
    assert all(isinstance(item, dict) for item in found), "a stack holds something else than objects"
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
