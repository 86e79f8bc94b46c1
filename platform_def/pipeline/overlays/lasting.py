"""What an overlay must leave as it is: which objects there are, what they are called, and who selects which pods.

A live object never changes its name or its selector, and none goes without a reason in the overlay: a strategic patch
with `$patch: delete` says it in the annotation `platform-def/delete`, which goes with the object.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from platform_def.constructs.protection import PROTECTED, PROTECTING
from platform_def.errors import ConfigError, Problem, Source
from platform_def.manifests.loose import server_written
from platform_def.manifests.rendered import Deleted, Manifest, RenderedComponent, RenderedObject
from platform_def.pipeline.kustomize.kustomization import Kustomization
from platform_def.pipeline.overlays.places import place_in, place_of_step
from platform_def.pipeline.overlays.targets import Touched, bodies
from platform_def.yaml import Node

Identity = tuple[str, str, str, str]
"""apiVersion, kind, namespace, name."""

REASON = "platform-def/delete"

_IDENTITY = (("metadata", "name"), ("metadata", "namespace"), ("kind",), ("apiVersion",), ("metadata",))
_BY_LABELS = frozenset({"Service", "ReplicationController"})
_SELECTING = frozenset({"apps", "batch", "policy"})


def identity(manifest: Manifest) -> Identity:
    """What makes an object this one, and kustomize's output another."""
    metadata = manifest["metadata"]
    return (
        str(manifest.get("apiVersion")),
        str(manifest.get("kind")),
        str(metadata.get("namespace") or ""),
        str(metadata.get("name")),
    )


def deletions(found: Kustomization, matched: Touched) -> dict[Identity, Deleted]:
    """The objects that patches delete; ConfigError for those that give no reason."""
    deleted: dict[Identity, Deleted] = {}
    problems = []
    for patch, objects in matched.patches:
        whole = [body for body in bodies(found, patch) if body.get("$patch") == "delete"]
        if not whole:
            continue
        place = place_of_step(found, patch, ("$patch",))[1]
        reasons = [_reason(body) for body in whole]
        if not all(reasons):
            names = ", ".join(map(str, objects[:4])) + (" …" if len(objects) > 4 else "")
            hint = f'say why, in the patch: metadata: {{annotations: {{{REASON}: "handled by …"}}}}'
            problems.append(Problem(f"the patch deletes {names} and gives no reason", place, hint))
            continue
        for item in objects:
            deleted[identity(item.manifest)] = Deleted(str(item), "; ".join(dict.fromkeys(reasons)), str(place))
    if problems:
        raise ConfigError(problems)
    return deleted


def _reason(body: Manifest) -> str:
    annotations = _map(_map(body.get("metadata")).get("annotations"))
    reason = annotations.get(REASON)
    said = reason.strip() if isinstance(reason, str) else ""
    return "" if said.lower() in ("true", "yes") else said


def refuse_what_must_last(
    found: Kustomization,
    component: RenderedComponent,
    matched: Touched,
    after: Mapping[Identity, Manifest],
    deleted: Mapping[Identity, Deleted],
) -> None:
    """ConfigError for everything that the overlay renames, takes away silently, or selects otherwise."""
    problems = [*_gone(found, matched, after, deleted)]
    changed = [(item, after[identity(item.manifest)]) for item in matched.objects if identity(item.manifest) in after]
    problems += _other_selectors(found, changed)
    problems += _left_behind(found, component, dict(_by_identity(changed)))
    for item, manifest in changed:
        problems += _of_others(found, item, manifest)
    if problems:
        raise ConfigError(problems)


def _of_others(found: Kustomization, item: RenderedObject, manifest: Manifest) -> Iterator[Problem]:
    """What keeps an engine from deleting data, what only the API server writes, and a reason where nothing goes."""
    before, after = (_map(_map(each.get("metadata")).get("annotations")) for each in (item.manifest, manifest))
    for key in PROTECTING if item.kind in PROTECTED else ():
        if key in before and before[key] != after.get(key):
            where = place_in(found, item, "metadata.annotations") or Source(found.file)
            text = f"takes {key} from {item}: without it the engine would delete it one day, with all that it holds"
            yield Problem(text, where, "leave it; what is to go is deleted by hand, once it is empty")
    if REASON in after and REASON not in before:
        where = place_in(found, item, "metadata.annotations") or Source(found.file)
        yield Problem(f"says why {item} goes, and deletes nothing", where, "write `$patch: delete` beside it")
    for field in server_written(manifest):
        where = place_in(found, item, field) or Source(found.file)
        yield Problem(f"writes {field} of {item}, which the API server writes alone", where, "take it out")


def _by_identity(changed: list[tuple[RenderedObject, Manifest]]) -> Iterator[tuple[Identity, Manifest]]:
    yield from ((identity(item.manifest), manifest) for item, manifest in changed)


def _gone(
    found: Kustomization, matched: Touched, after: Mapping[Identity, Manifest], deleted: Mapping[Identity, Deleted]
) -> Iterator[Problem]:
    for item in matched.objects:
        key = identity(item.manifest)
        if key not in after and key not in deleted:
            patches = [patch for patch, objects in matched.patches if item in objects]
            text = f"gives {item} another name, namespace or kind, or takes it out: what it is never changes"
            hint = "what is to go is deleted with `$patch: delete` and a reason; what is new comes under `resources:`"
            yield Problem(text, _identity_place(found, patches), hint)


def _identity_place(found: Kustomization, patches: list[Node]) -> Source:
    """The line that names what an object is; strategic patches do so anyway, so theirs counts after JSON patches'."""
    first = sorted(patches, key=lambda patch: bool(bodies(found, patch)))
    places = [place_of_step(found, patch, steps) for patch in first for steps in _IDENTITY]
    exact = [place for score, place in places if score]
    return (exact or [found.source(patch) for patch in first] or [Source(found.file)])[0]


def _other_selectors(found: Kustomization, changed: list[tuple[RenderedObject, Manifest]]) -> Iterator[Problem]:
    """No cluster takes another selector for a workload that is there already; what others select is theirs to trust."""
    for item, manifest in changed:
        selects = item.group in _SELECTING or (not item.group and item.kind in _BY_LABELS)
        if selects and _map(manifest.get("spec")).get("selector") != _map(item.manifest.get("spec")).get("selector"):
            where = place_in(found, item, "spec.selector") or Source(found.file)
            yield Problem(f"changes the selector of {item}, which never changes once released", where)


def _left_behind(
    found: Kustomization, component: RenderedComponent, changed: Mapping[Identity, Manifest]
) -> Iterator[Problem]:
    """Pods whose labels an overlay changes, so that what selects them selects them no more."""
    for item in component.objects:
        new = changed.get(identity(item.manifest))
        before, labels = _pod_labels(item.manifest), _pod_labels(new) if new is not None else None
        if before is None or labels == before or new is None:
            continue
        for other in component.objects:
            selector = _selector(other)
            if (
                other.namespace == item.namespace
                and _selects(selector, before)
                and not _selects(selector, labels or {})
            ):
                where = place_in(found, item, "spec.template.metadata.labels") or Source(found.file)
                by = "its own selector" if other is item else str(other)
                text = f"changes labels of the pods of {item}, by which {by} selects them"
                yield Problem(text, where, "add labels under other names; those that are there stay")


def _pod_labels(manifest: Manifest | None) -> Mapping[str, Any] | None:
    """Labels of a workload's pods; None for what makes no pods."""
    template = _map(_map((manifest or {}).get("spec")).get("template"))
    return _map(_map(template.get("metadata")).get("labels")) if template else None


def _selector(item: RenderedObject) -> Mapping[str, Any] | None:
    """How an object selects pods; None where it does not, or all of them."""
    spec = _map(item.manifest.get("spec"))
    if not item.group and item.kind in _BY_LABELS:
        return {"matchLabels": _map(spec.get("selector"))} if spec.get("selector") else None
    if item.kind == "NetworkPolicy":
        return _map(spec.get("podSelector")) or None
    return (_map(spec.get("selector")) or None) if item.group in _SELECTING else None


def _selects(selector: Mapping[str, Any] | None, labels: Mapping[str, Any]) -> bool:
    if not selector:
        return False
    terms = [_map(term) for term in selector.get("matchExpressions") or ()]
    return all(labels.get(key) == value for key, value in _map(selector.get("matchLabels")).items()) and all(
        _fits(term, labels) for term in terms
    )


def _fits(term: Mapping[str, Any], labels: Mapping[str, Any]) -> bool:
    key, values = str(term.get("key")), term.get("values") or ()
    verdicts = {
        "In": labels.get(key) in values,
        "NotIn": labels.get(key) not in values,
        "Exists": key in labels,
        "DoesNotExist": key not in labels,
    }
    return verdicts.get(str(term.get("operator")), False)


def _map(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
