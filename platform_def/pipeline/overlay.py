"""Applies overlays: kustomize Components in `overlays/<stack>/<component>/` and `overlays/_all/<component>/`.

The real, pinned kustomize runs, on the objects that an overlay touches alone: it is quadratic in their number. A patch
that matches no object is an error, where kustomize would be silent.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from platform_def.errors import ConfigError, Problem, Source, ToolError, nearest
from platform_def.manifests.rendered import Manifest, RenderedComponent, RenderedObject
from platform_def.pipeline import kustomization
from platform_def.pipeline.cache import Cache
from platform_def.pipeline.kustomization import Kustomization
from platform_def.tools import kustomize_build
from platform_def.yaml import Node, dump, dump_all, load, load_all

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
        folder = root / FOLDER / scope
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if path.is_dir() and not path.name.startswith("."):
                overlay = Overlay(f"{FOLDER}/{scope}/{path.name}", path, path.name)
                found.setdefault(path.name, []).append(overlay)
    return found


def folder_problems(root: Path, stacks: Mapping[str, Iterable[str]], known: Iterable[str]) -> Iterator[Problem]:
    """Overlay folders that belong to no stack or component; `stacks` gives the components of each loaded stack."""
    base = root / FOLDER
    for scope in sorted(base.iterdir()) if base.is_dir() else ():
        if not scope.is_dir() or scope.name.startswith("."):
            continue
        if scope.name != ALL and scope.name not in stacks:
            hint = f"{nearest(scope.name, stacks)}; overlays for every stack go to {FOLDER}/{ALL}/"
            yield Problem(
                f"overlay for a stack '{scope.name}' that is not there", Source(f"{FOLDER}/{scope.name}"), hint
            )
            continue
        having = set(known) if scope.name == ALL else set(stacks[scope.name])
        for path in sorted(scope.iterdir()):
            if path.is_dir() and not path.name.startswith(".") and path.name not in having:
                where = Source(f"{FOLDER}/{scope.name}/{path.name}")
                what = "no stack has" if scope.name == ALL else f"stack {scope.name} does not have"
                yield Problem(f"overlay for a component '{path.name}' that {what}", where, nearest(path.name, having))


def apply(component: RenderedComponent, overlays: Sequence[Overlay], *, root: Path, cache: Cache) -> RenderedComponent:
    """The component after its overlays, in order; raises ConfigError for what is refused or matches nothing."""
    for overlay in overlays:
        component = replace(component, objects=tuple(_apply(component, overlay, root, cache)))
    return component


def _apply(component: RenderedComponent, overlay: Overlay, root: Path, cache: Cache) -> Iterator[RenderedObject]:
    found = kustomization.read(overlay.folder, root, use="overlay")
    touched = _touched(found, component)
    key = cache.key("overlay", _digest(overlay.folder), [item.text for item in touched])
    kept = cache.get(key)
    if kept is None:
        made = load_all(_run(overlay, touched), file=overlay.name)
        kept = {"objects": made}
        cache.put(key, kept)
    after = {_identity(manifest): manifest for manifest in kept["objects"]}  # type: ignore[attr-defined]
    for item in component.objects:
        if item not in touched:
            yield item
            continue
        manifest = after.pop(_identity(item.manifest), None)
        if manifest is not None:
            yield item if manifest == item.manifest else item.changed(manifest, overlay.name)
    for manifest in after.values():
        part = "crds" if manifest.get("kind") == "CustomResourceDefinition" else "main"
        yield RenderedObject(manifest, component.name, part, overlay.name, (overlay.name,))  # type: ignore[arg-type]


def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name, content = os.fsencode(path.relative_to(folder)), path.read_bytes()
        digest.update(b"%s\0%d\0%s" % (name, len(content), content))
    return digest.hexdigest()


def _run(overlay: Overlay, touched: Sequence[RenderedObject]) -> str:
    with tempfile.TemporaryDirectory(prefix="platform-def-") as temporary:
        folder = Path(temporary)
        shutil.copytree(overlay.folder, folder / "overlay")
        kustomize: Manifest = {
            "apiVersion": "kustomize.config.k8s.io/v1beta1",
            "kind": "Kustomization",
            "components": ["overlay"],
        }
        if touched:
            (folder / "objects.yaml").write_text(dump_all([item.manifest for item in touched]), encoding="utf-8")
            kustomize["resources"] = ["objects.yaml"]
        (folder / "kustomization.yaml").write_text(dump(kustomize), encoding="utf-8")
        try:
            return kustomize_build(folder)
        except ToolError as error:
            text = str(error.problems[0].text).replace(str(folder), overlay.name)
            raise ConfigError(f"kustomize refuses it: {text}", where=Source(overlay.name)) from None


def _identity(manifest: Manifest) -> tuple[str, str, str, str]:
    metadata = manifest.get("metadata", {})
    return (
        str(manifest.get("apiVersion")),
        str(manifest.get("kind")),
        str(metadata.get("namespace", "")),
        str(metadata.get("name")),
    )


def _touched(found: Kustomization, component: RenderedComponent) -> list[RenderedObject]:
    """The objects that the overlay can change: all of them when it holds a transformer without targets."""
    problems: list[Problem] = []
    targets: set[int] = set()
    for patch in found.items("patches"):
        matched = [index for index, item in enumerate(component.objects) if _matches(found, patch, item)]
        if not matched:
            hint = f"objects of {component.name}: {_some(component.objects)}"
            problems.append(Problem(f"the patch matches no object of {component.name}", found.source(patch), hint))
        targets |= set(matched)
    if problems:
        raise ConfigError(problems)
    assert isinstance(found.node.value, dict)
    if set(found.node.value) & {"images", "replicas", "labels", "commonAnnotations"}:
        return list(component.objects)
    return [item for index, item in enumerate(component.objects) if index in targets]


def _some(objects: Sequence[RenderedObject]) -> str:
    names = [str(item) for item in objects if item.kind != "CustomResourceDefinition"]
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _matches(found: Kustomization, patch: Node, item: RenderedObject) -> bool:
    fields = patch.value if isinstance(patch.value, dict) else {}
    if "target" in fields:
        return _selected(fields["target"].plain(), item)
    return any(
        _identity(body)[1:] == _identity(item.manifest)[1:] or _same(body, item) for body in _bodies(found, fields)
    )


def _same(body: Manifest, item: RenderedObject) -> bool:
    metadata = body.get("metadata", {})
    namespace = metadata.get("namespace")
    return (
        body.get("kind") == item.kind
        and metadata.get("name") == item.name
        and (namespace is None or namespace == item.namespace)
    )


def _bodies(found: Kustomization, fields: Mapping[str, Node]) -> list[Manifest]:
    if "path" in fields:
        path = found.folder / str(fields["path"].value)
        return [body for body in load_all(path.read_bytes(), file=str(fields["path"].value)) if isinstance(body, dict)]
    if "patch" in fields:
        body = load(str(fields["patch"].value), file=found.file)
        return [body] if isinstance(body, dict) else []
    return []


def _selected(target: object, item: RenderedObject) -> bool:
    """Kustomize's own rule: group, version, kind, name, namespace are anchored patterns; selectors Kubernetes'."""
    if not isinstance(target, dict):
        return False
    group, _, version = item.api_version.rpartition("/")
    values = {
        "group": group,
        "version": version,
        "kind": item.kind,
        "name": item.name,
        "namespace": item.namespace or "",
    }
    metadata = item.manifest.get("metadata", {})
    return all(
        re.fullmatch(str(target[field]), value) is not None for field, value in values.items() if target.get(field)
    ) and all(
        _selector(str(target[field]), metadata.get(where) or {})
        for field, where in (("labelSelector", "labels"), ("annotationSelector", "annotations"))
        if target.get(field)
    )


def _selector(selector: str, labels: Mapping[str, str]) -> bool:
    for term in filter(None, (term.strip() for term in re.split(r",(?![^(]*\))", selector))):
        found = re.fullmatch(r"(!?)([^\s=!]+)\s*(?:(==|=|!=|\bin\b|\bnotin\b)\s*(.*))?", term)
        if not found:
            return False
        negated, key, operator, value = found.groups()
        choices = {each.strip() for each in (value or "").strip("()").split(",")}
        present, matching = key in labels, labels.get(key) in choices
        verdict = {
            "=": matching,
            "==": matching,
            "in": matching,
            "!=": not matching,
            "notin": not matching,
            None: present,
        }
        if verdict[operator] == bool(negated):
            return False
    return True
