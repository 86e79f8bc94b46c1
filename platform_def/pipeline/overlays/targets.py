"""What the entries of an overlay match, told before kustomize runs: it is silent about a patch that matches nothing.

Patterns are regular expressions of Go's, anchored at both ends. The engine that reads them here is linear in the text,
as Go's is: no pattern takes unbounded time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from platform_def.errors import ConfigError, PlatformError, Problem, nearest
from platform_def.manifests.rendered import Manifest, RenderedComponent, RenderedObject
from platform_def.pipeline.kustomize.kustomization import Kustomization
from platform_def.pipeline.user_files import content_of, reading
from platform_def.yaml import Node, load_all

Matches = Callable[[RenderedObject], bool]

_PATTERNS = ("group", "version", "kind", "name", "namespace")
_SELECTORS = {"labelSelector": "labels", "annotationSelector": "annotations"}
_EVERYWHERE = frozenset({"images", "replicas", "labels", "commonAnnotations"})
"""Keys that kustomize applies to whatever fits, without a target."""
_SCALED = frozenset({"Deployment", "ReplicationController", "ReplicaSet", "StatefulSet"})
_LONGEST = 1000
"""Characters of a pattern or a selector."""
_UNREAD = re.compile(r"\[:|\\[QE]")
"""What Go has in patterns and the engine has not, or reads otherwise."""


@dataclass(frozen=True)
class Touched:
    """What an overlay can change."""

    objects: list[RenderedObject]
    patches: list[tuple[Node, list[RenderedObject]]]
    """Each patch with the objects that it matches."""


def touched(found: Kustomization, component: RenderedComponent) -> Touched:
    """The objects that an overlay can change; ConfigError with every entry that matches none."""
    problems = [*_idle_images(found, component), *_idle_replicas(found, component)]
    chosen: set[int] = set()
    patches = []
    for patch in found.items("patches"):
        try:
            wanted = list(_wanted(found, patch))
        except PlatformError as error:
            problems += error.problems
            continue
        matched = [{index for index, item in enumerate(component.objects) if matches(item)} for matches in wanted]
        if not all(matched) or not matched:
            named = "" if _targeted(patch) else _naming(component)
            hint = f"{named}objects of {component.name}: {_some(component.objects)}"
            problems.append(Problem(f"the patch matches no object of {component.name}", found.source(patch), hint))
        those = frozenset().union(*matched)
        patches.append((patch, [item for index, item in enumerate(component.objects) if index in those]))
        chosen |= those
    if problems:
        raise ConfigError(problems)
    if set(found.fields) & _EVERYWHERE:
        return Touched(list(component.objects), patches)
    return Touched([item for index, item in enumerate(component.objects) if index in chosen], patches)


def patches_of(found: Kustomization, item: RenderedObject) -> list[Node]:
    """The patches that match an object."""
    return [patch for patch in found.items("patches") if any(matches(item) for matches in _wanted(found, patch))]


def _naming(component: RenderedComponent) -> str:
    if any(item.job for item in component.objects):
        return "the name of a job's object ends in a hash of its overlays, so write `target: {kind: …}`; "
    return "it names apiVersion, kind, name and namespace; "


def _some(objects: Sequence[RenderedObject]) -> str:
    return _first([str(item) for item in objects if item.kind != "CustomResourceDefinition"])


def _first(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _targeted(patch: Node) -> bool:
    return isinstance(patch.value, dict) and "target" in patch.value


def _wanted(found: Kustomization, patch: Node) -> Iterator[Matches]:
    """What a patch wants to match: its target, or each of its documents by kind, namespace and name."""
    fields = patch.value if isinstance(patch.value, dict) else {}
    if _targeted(patch):
        yield _selected(found, fields["target"])
        return
    for body in bodies(found, patch):
        yield partial(_same, body)


def bodies(found: Kustomization, patch: Node) -> list[Manifest]:
    """The documents of a strategic patch; a JSON patch has none."""
    fields = patch.value if isinstance(patch.value, dict) else {}
    if "path" in fields:
        path = found.folder / str(fields["path"].value)
        file = f"{found.file.rpartition('/')[0]}/{fields['path'].value}"
        with reading(file):
            documents = load_all(content_of(path), file=file)
    else:
        try:
            documents = load_all(str(fields["patch"].value))
        except PlatformError as error:
            where = found.source(fields["patch"])
            raise ConfigError(Problem(f"the patch: {each.text}", where, each.hint) for each in error.problems) from None
    return [body for body in documents if isinstance(body, dict)]


def _same(body: Manifest, item: RenderedObject) -> bool:
    """Kustomize's rule: all of apiVersion, kind, namespace and name; no namespace is the namespace `default`."""
    metadata = _map(body.get("metadata"))
    return (
        body.get("apiVersion") == item.api_version
        and body.get("kind") == item.kind
        and metadata.get("name") == item.name
        and (metadata.get("namespace") or "default") == (item.namespace or "default")
    )


def _map(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _selected(found: Kustomization, target: Node) -> Matches:
    """Kustomize's own rule: group, version, kind, name, namespace are anchored patterns; selectors Kubernetes'."""
    fields = target.value if isinstance(target.value, dict) else {}
    given = {name: node for name, node in fields.items() if node.value not in (None, "")}
    for node in given.values():
        if len(str(node.value)) > _LONGEST:
            raise ConfigError(f"longer than {_LONGEST} characters", where=found.source(node))
    patterns = {name: _pattern(found, given[name]) for name in _PATTERNS if name in given}
    selectors = {where: str(given[name].value) for name, where in _SELECTORS.items() if name in given}

    def matches(item: RenderedObject) -> bool:
        group, _, version = item.api_version.rpartition("/")
        values = dict(zip(_PATTERNS, (group, version, item.kind, item.name, item.namespace or ""), strict=True))
        metadata = _map(item.manifest.get("metadata"))
        return all(fits(values[name]) for name, fits in patterns.items()) and all(
            _selector(selector, _map(metadata.get(where))) for where, selector in selectors.items()
        )

    return matches


def _pattern(found: Kustomization, node: Node) -> Callable[[str], bool]:
    text = str(node.value)
    try:
        return _compiled(f"^(?:{text})$")
    except ValueError:
        hint = "for any text write .*; a pattern is a regular expression of Go's, without [:classes:] and \\Q"
        raise ConfigError(f"'{text[:80]}' is not a pattern", where=found.source(node), hint=hint) from None


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> Callable[[str], bool]:
    """A test for texts; ValueError for what is no pattern."""
    from jsonschema_rs import Draft202012Validator, RegexOptions

    if _UNREAD.search(pattern):
        raise ValueError(pattern)
    return Draft202012Validator({"pattern": pattern}, pattern_options=RegexOptions()).is_valid


def _selector(selector: str, labels: Mapping[str, object]) -> bool:
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


def _idle_images(found: Kustomization, component: RenderedComponent) -> Iterator[Problem]:
    """Entries of `images` that name no image; a later one may name what an earlier one has put there."""
    there = {image for item in component.objects for image in _images(item.manifest)}
    for entry in found.items("images"):
        fields = entry.value if isinstance(entry.value, dict) else {}
        text, where = str(fields["name"].value), found.source(fields["name"])
        try:
            fits = _compiled(f"^{text}(:[a-zA-Z0-9_.{{}}-]*)?(@sha256:[a-zA-Z0-9_.{{}}-]*)?$")
        except ValueError:
            yield Problem(f"'{text[:80]}' is not the name of an image", where)
            continue
        if not any(map(fits, there)):
            hint = f"images of {component.name}: {_first(sorted(there)) or 'none'}"
            yield Problem(f"no object of {component.name} has the image '{text[:200]}'", where, hint)
        if "newName" in fields:
            there.add(str(fields["newName"].value))


def _images(value: object) -> Iterator[str]:
    """The images that kustomize's rule finds: those of containers, however deep, and of volumes."""
    if isinstance(value, list):
        for item in value:
            yield from _images(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in ("containers", "initContainers", "volumes") and isinstance(item, list):
                for each in map(_map, item):
                    image = each.get("image")
                    named = _map(image).get("reference") if key == "volumes" else image
                    if isinstance(named, str):
                        yield named
            yield from _images(item)


def _idle_replicas(found: Kustomization, component: RenderedComponent) -> Iterator[Problem]:
    scaled = {item.name for item in component.objects if item.kind in _SCALED}
    for entry in found.items("replicas"):
        fields = entry.value if isinstance(entry.value, dict) else {}
        name, where = str(fields["name"].value), found.source(fields["name"])
        if name not in scaled:
            hint = nearest(name, scaled)
            yield Problem(f"{component.name} has no '{name[:80]}' that has replicas", where, hint)
