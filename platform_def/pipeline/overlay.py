"""Applies overlays: kustomize Components in `overlays/<stack>/<component>/` and `overlays/_all/<component>/`.

The real, pinned kustomize runs, on the objects that an overlay touches alone: it is quadratic in their number. A patch
that matches no object is an error, where kustomize would be silent.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from platform_def.constructs.parts import part_of
from platform_def.errors import ConfigError, Problem, Source, nearest
from platform_def.manifests.rendered import Manifest, RenderedComponent, RenderedObject
from platform_def.pipeline import kustomization, kustomization_rules
from platform_def.pipeline.cache import Cache
from platform_def.pipeline.reading import is_there, reading
from platform_def.pipeline.targets import touched
from platform_def.yaml import dump, dump_all, load_all

FOLDER = "overlays"
ALL = "_all"


@dataclass(frozen=True)
class Overlay:
    """One overlay folder for one component."""

    name: str
    """As messages name it: `overlays/gpu-prod/emissary`."""
    folder: Path
    component: str


def find(root: Path, stack: str) -> dict[str, list[Overlay]]:
    """Overlays of a stack by component: those for all stacks first."""
    found: dict[str, list[Overlay]] = {}
    for scope in (ALL, stack):
        for path in _folders(root, f"{FOLDER}/{scope}"):
            overlay = Overlay(f"{FOLDER}/{scope}/{path.name}", path, path.name)
            found.setdefault(path.name, []).append(overlay)
    return found


def folder_problems(root: Path, stacks: Mapping[str, Iterable[str]], known: Iterable[str]) -> Iterator[Problem]:
    """Overlay folders that belong to no stack or component; `stacks` gives the components of each loaded stack."""
    for scope in _folders(root, FOLDER):
        if scope.name != ALL and scope.name not in stacks:
            hint = f"{nearest(scope.name, stacks)}; overlays for every stack go to {FOLDER}/{ALL}/"
            yield Problem(
                f"overlay for a stack '{scope.name}' that is not there", Source(f"{FOLDER}/{scope.name}"), hint
            )
            continue
        having = set(known) if scope.name == ALL else set(stacks[scope.name])
        for path in _folders(root, f"{FOLDER}/{scope.name}"):
            if path.name not in having:
                where = Source(f"{FOLDER}/{scope.name}/{path.name}")
                what = "no stack has" if scope.name == ALL else f"stack {scope.name} does not have"
                yield Problem(f"overlay for a component '{path.name}' that {what}", where, nearest(path.name, having))


def _folders(root: Path, name: str) -> list[Path]:
    """The folders in a folder, sorted, without hidden ones."""
    folder = root / name
    with reading(name):
        found = sorted(folder.iterdir()) if folder.is_dir() else []
        return [path for path in found if path.is_dir() and not path.name.startswith(".")]


def apply(component: RenderedComponent, overlays: Sequence[Overlay], *, root: Path, cache: Cache) -> RenderedComponent:
    """The component after its overlays, in order; raises ConfigError for what is refused or matches nothing."""
    for overlay in overlays:
        component = replace(component, objects=tuple(_apply(component, overlay, root, cache)))
    return component


def _apply(component: RenderedComponent, overlay: Overlay, root: Path, cache: Cache) -> Iterator[RenderedObject]:
    chosen = touched(kustomization_rules.checked(overlay.folder, root, use="overlay")[0], component)
    key = cache.key("overlay", _digest(overlay), [item.text for item in chosen])
    kept = cache.get(key)
    if kept is None:
        made = load_all(_run(overlay, chosen), file=overlay.name)
        kept = {"objects": made}
        cache.put(key, kept)
    after = {_identity(manifest): manifest for manifest in kept["objects"]}  # type: ignore[attr-defined]
    _refuse_new_selectors(component, after, overlay)
    for item in component.objects:
        if item not in chosen:
            yield item
            continue
        manifest = after.pop(_identity(item.manifest), None)
        if manifest is not None:
            yield item if manifest == item.manifest else item.changed(manifest, overlay.name)
    for manifest in after.values():
        part = part_of(str(manifest.get("kind")))
        yield RenderedObject(manifest, component.name, part, overlay.name, (overlay.name,))


def _refuse_new_selectors(component: RenderedComponent, after: Mapping[_Identity, Manifest], overlay: Overlay) -> None:
    """No cluster takes another selector for a workload that is there already, whatever wrote it."""
    workloads = (item for item in component.objects if item.group == "apps")
    problems = [
        Problem(f"changes the selector of {item}, which never changes once released", Source(overlay.name))
        for item in workloads
        if (changed := after.get(_identity(item.manifest))) is not None
        and _selector(changed) != _selector(item.manifest)
    ]
    if problems:
        raise ConfigError(problems)


def _selector(manifest: Manifest) -> object:
    spec = manifest.get("spec")
    return spec.get("selector") if isinstance(spec, dict) else None


def _digest(overlay: Overlay) -> str:
    digest = hashlib.sha256()
    with reading(overlay.name):
        for path in _files(overlay):
            name, content = os.fsencode(path.relative_to(overlay.folder)), path.read_bytes()
            digest.update(b"%s\0%d\0%s" % (name, len(content), content))
    return digest.hexdigest()


def _files(overlay: Overlay) -> Iterator[Path]:
    """The files of an overlay, links to files among them; links that no copy can be made of are refused."""
    problems = []
    for path in sorted(overlay.folder.rglob("*")):
        if path.is_symlink() and not path.is_file():
            where = Source(f"{overlay.name}/{path.relative_to(overlay.folder).as_posix()}")
            text = "is a link to a folder" if is_there(path) else "is a link that leads nowhere"
            problems.append(Problem(text, where, "link to files, or let the overlay's own folder be the link"))
        elif path.is_file():
            yield path
    if problems:
        raise ConfigError(problems)


def _run(overlay: Overlay, chosen: Sequence[RenderedObject]) -> str:
    with tempfile.TemporaryDirectory(prefix="platform-def-") as temporary:
        folder = Path(temporary)
        shutil.copytree(overlay.folder, folder / "overlay")
        kustomize: Manifest = {
            "apiVersion": "kustomize.config.k8s.io/v1beta1",
            "kind": "Kustomization",
            "components": ["overlay"],
        }
        if chosen:
            (folder / "objects.yaml").write_text(dump_all([item.manifest for item in chosen]), encoding="utf-8")
            kustomize["resources"] = ["objects.yaml"]
        (folder / "kustomization.yaml").write_text(dump(kustomize), encoding="utf-8")
        return kustomization.build(folder, shown=overlay.name)


_Identity = tuple[str, str, str, str]


def _identity(manifest: Manifest) -> _Identity:
    metadata = manifest["metadata"]
    return (
        str(manifest.get("apiVersion")),
        str(manifest.get("kind")),
        str(metadata.get("namespace") or ""),
        str(metadata.get("name")),
    )
