"""Applies overlays: kustomize Components in `overlays/<stack>/<component>/` and `overlays/_all/<component>/`.

The real, pinned kustomize runs, on the objects that an overlay touches alone: it is quadratic in their number. A patch
that matches no object is an error, where kustomize would be silent.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from platform_def.config.objects import part_of
from platform_def.errors import ConfigError, Problem, Source, nearest
from platform_def.manifests.rendered import JOBS, RenderedComponent, RenderedObject
from platform_def.pipeline.cache import Cache
from platform_def.pipeline.kustomize import rules as kustomization_rules
from platform_def.pipeline.kustomize.kustomization import Kustomization
from platform_def.pipeline.overlays.built import build
from platform_def.pipeline.overlays.lasting import deletions, identity, refuse_what_must_last
from platform_def.pipeline.overlays.places import place_in, place_of_added
from platform_def.pipeline.overlays.targets import touched
from platform_def.pipeline.user_files import content_of, is_there, leaves, reading
from platform_def.yaml import load_all

FOLDER = "overlays"
ALL = "_all"


@dataclass(frozen=True)
class Overlay:
    """One overlay folder for one component or job."""

    name: str
    """As messages name it: `overlays/gpu-prod/emissary`."""
    folder: Path
    component: str
    """The component's name, or the job's."""


def find(root: Path, stack: str) -> dict[str, list[Overlay]]:
    """Overlays of a stack by component: those for all stacks first."""
    return within(root, [f"{FOLDER}/{scope}" for scope in (ALL, stack)])


def within(root: Path, places: Iterable[str]) -> dict[str, list[Overlay]]:
    """The overlays of these folders, in order, by what each is called after."""
    found: dict[str, list[Overlay]] = {}
    for place in places:
        for path in folders(root, place):
            found.setdefault(path.name, []).append(Overlay(f"{place}/{path.name}", path, path.name))
    return found


def folder_problems(root: Path, stacks: Mapping[str, Iterable[str]], known: Iterable[str]) -> Iterator[Problem]:
    """Overlay folders that belong to no stack or component; `stacks` gives the components of each loaded stack."""
    if leaves(root / FOLDER, root):
        yield leaving(FOLDER)
        return
    for scope in folders(root, FOLDER):
        if leaves(scope, root):
            yield leaving(f"{FOLDER}/{scope.name}")
            continue
        if scope.name != ALL and scope.name not in stacks:
            hint = f"{nearest(scope.name, stacks)}; overlays for every stack go to {FOLDER}/{ALL}/"
            yield Problem(
                f"overlay for a stack '{scope.name}' that is not there", Source(f"{FOLDER}/{scope.name}"), hint
            )
            continue
        having = set(known) if scope.name == ALL else set(stacks[scope.name])
        for path in folders(root, f"{FOLDER}/{scope.name}"):
            if leaves(path, root):
                yield leaving(f"{FOLDER}/{scope.name}/{path.name}")
            elif path.name not in having:
                where = Source(f"{FOLDER}/{scope.name}/{path.name}")
                what = "no stack has" if scope.name == ALL else f"stack {scope.name} does not have"
                yield Problem(f"overlay for a component '{path.name}' that {what}", where, nearest(path.name, having))


def leaving(name: str) -> Problem:
    """The error for a folder that is a link to outside the repository."""
    hint = "put the folder itself here, or a link to one in the repository: what an overlay does is reviewed there"
    return Problem("is a link to outside the repository", Source(name), hint)


def folders(root: Path, name: str) -> list[Path]:
    """The folders in a folder that are called after components or jobs, sorted; no hidden ones."""
    folder = root / name
    with reading(name):
        found = sorted(folder.iterdir()) if folder.is_dir() else []
        return [path for path in found if path.is_dir() and not path.name.startswith(".") and path.name != JOBS]


def apply(component: RenderedComponent, overlays: Sequence[Overlay], *, root: Path, cache: Cache) -> RenderedComponent:
    """The component after its overlays, in order; raises ConfigError for what is refused or matches nothing."""
    for overlay in overlays:
        component = _apply(component, overlay, root, cache)
    return component


def read(overlay: Overlay, root: Path) -> Kustomization:
    """What an overlay says; ConfigError for what no overlay may say."""
    return kustomization_rules.checked(overlay.folder, root, use="overlay")[0]


def _apply(component: RenderedComponent, overlay: Overlay, root: Path, cache: Cache) -> RenderedComponent:
    found = read(overlay, root)
    matched = touched(found, component)
    deleted = deletions(found, matched)
    key = cache.key("overlay", digest(overlay, root), [item.text for item in matched.objects])
    kept = cache.get(key)
    if kept is None:
        kept = {"objects": load_all(build(found, overlay.name, matched.objects), file=overlay.name)}
        cache.put(key, kept)
    after = {identity(manifest): manifest for manifest in kept["objects"]}  # type: ignore[attr-defined]
    refuse_what_must_last(found, component, matched, after, deleted)
    objects = []
    for item in component.objects:
        if item not in matched.objects:
            objects.append(item)
            continue
        manifest = after.pop(identity(item.manifest), None)
        if manifest is not None:
            objects.append(item if manifest == item.manifest else item.changed(manifest, overlay.name))
    for manifest in after.values():
        part = part_of(str(manifest.get("kind")))
        objects.append(RenderedObject(manifest, component.name, part, overlay.name, (overlay.name,)))
    return replace(component, objects=tuple(objects), deleted=(*component.deleted, *deleted.values()))


def place_of(root: Path, item: RenderedObject, path: str) -> Source | None:
    """The line of an overlay that decides the value at `path` of an object; None where no overlay does."""
    for name in reversed(item.overlays):
        folder = root / name
        found = kustomization_rules.checked(folder, root, use="overlay")[0]
        if item.origin == name:
            return place_of_added(found, item)
        place = place_in(found, item, path)
        if place is not None:
            return place
    return None


def digest(overlay: Overlay, root: Path) -> str:
    """A hash of the names and the bytes of an overlay's files; ConfigError for links that lead out."""
    made = hashlib.sha256()
    with reading(overlay.name):
        for path in _files(overlay, root):
            name, content = os.fsencode(path.relative_to(overlay.folder)), content_of(path)
            made.update(b"%s\0%d\0%s" % (name, len(content), content))
    return made.hexdigest()


def _files(overlay: Overlay, root: Path) -> Iterator[Path]:
    """The files of an overlay, links to files among them; links that no copy can be made of are refused."""
    problems = []
    for path in sorted(overlay.folder.rglob("*")):
        if path.is_symlink() and not path.is_file():
            where = Source(f"{overlay.name}/{path.relative_to(overlay.folder).as_posix()}")
            text = "is a link to a folder" if is_there(path) else "is a link that leads nowhere"
            problems.append(Problem(text, where, "link to files, or let the overlay's own folder be the link"))
        elif path.is_symlink() and leaves(path, root):
            problems.append(leaving(f"{overlay.name}/{path.relative_to(overlay.folder).as_posix()}"))
        elif path.is_file():
            yield path
        elif not path.is_dir():
            where = Source(f"{overlay.name}/{path.relative_to(overlay.folder).as_posix()}")
            problems.append(Problem("is neither a file nor a folder", where))
    if problems:
        raise ConfigError(problems)
