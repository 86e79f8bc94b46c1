"""Workloads: selectors never change, and a StatefulSet's claim templates do not either."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.updates.change import Change, Refused, Row
from platform_def.manifests.updates.comparing import Defaults, differences, fixed, refused, smaller, value_at

_PODS_RESTART = "its pods stop and start again"
_NEW_NAME = "keep the selector, or give the workload a new name: selectors never change"

_BY_ADMISSION = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
"""Tolerations that the API server itself adds to each pod."""

_CLAIM_DEFAULTS: Defaults = {"volumeClaimTemplates.spec": {"volumeMode": "Filesystem"}}
_TEMPLATES_SAY = "the API server does not let the claim templates of a StatefulSet change"
_SET_FIELDS = ("serviceName", "podManagementPolicy")
_SET_SAYS = (
    "the API server lets only replicas, ordinals, template, updateStrategy, minReadySeconds, revisionHistoryLimit "
    "and persistentVolumeClaimRetentionPolicy of a StatefulSet change"
)


def _templates(change: Change) -> Iterator[Refused]:
    old, new = ([_comparable(each) for each in items(at(one, "spec.volumeClaimTemplates"))] for one in _sides(change))
    yield from refused(differences(old, new, "spec.volumeClaimTemplates", _CLAIM_DEFAULTS), _TEMPLATES_SAY)


def _sides(change: Change) -> tuple[object, object]:
    return change.old, change.new


def _comparable(template: object) -> dict[str, object]:
    """Without what the server sets itself."""
    return {key: value for key, value in mapping(template).items() if key not in ("status", "apiVersion", "kind")}


def _set_fields(change: Change) -> Iterator[Refused]:
    defaults: Defaults = {"spec": {"podManagementPolicy": "OrderedReady"}}
    fields = (*_SET_FIELDS, *(("revisionHistoryLimit",) if change.kubernetes.minor < 33 else ()))
    old, new = ({key: mapping(at(one, "spec")).get(key) for key in fields} for one in _sides(change))
    history: Defaults = {"spec": {**defaults["spec"], "revisionHistoryLimit": 10}}
    yield from refused(differences(old, new, "spec", history if len(fields) > 2 else defaults), _SET_SAYS)


def _resize(change: Change) -> str:
    """What to do about the claims that the set has already made."""
    wanted = list(_sizes(change))
    if not wanted:
        return "keep the templates: they say what claims of new pods are like, and change none that exists"
    if any(less for *_, less in wanted):
        return "keep the size: a volume cannot shrink. For a smaller one, restore a backup into a set with a new name"
    return f"keep the size here, and grow the claims by hand, where their class allows expansion: {_by_hand(change)}"


def _by_hand(change: Change) -> str:
    return "; ".join(_patch(change, claim, size) for claim, size, less in _sizes(change) if not less)


def _grow(change: Change) -> str:
    commands = _by_hand(change)
    grow = f"; grow them by hand, where their class allows expansion: {commands}" if commands else ""
    return f"the claims that exist keep their size{grow}" if [*_sizes(change)] else ""


def _sizes(change: Change) -> Iterator[tuple[str, object, bool]]:
    """Claim, new size, and whether it is smaller, of each template whose size changes."""
    where = "spec.resources.requests.storage"
    sizes = {text(at(each, "metadata.name")): at(each, where) for each in items(at(change.old, _TEMPLATES))}
    replicas = at(change.new, "spec.replicas")
    count = replicas if isinstance(replicas, int) else 1
    for template in items(at(change.new, _TEMPLATES)):
        name, size = text(at(template, "metadata.name")), at(template, where)
        less = smaller(sizes.get(name), size)
        if less is not None and sizes[name] != size:
            yield f"{name}-{change.name}-{'0' if count <= 1 else 'N'}", size, less


_TEMPLATES = "spec.volumeClaimTemplates"


def _patch(change: Change, claim: str, size: object) -> str:
    patch = f'{{"spec":{{"resources":{{"requests":{{"storage":"{size}"}}}}}}}}'
    which = " (for each N)" if claim.endswith("-N") else ""
    return f"{change.kubectl} patch pvc {claim} --type merge -p '{patch}'{which}"


def _set_loses(change: Change) -> str:
    policy = at(change.old, "spec.persistentVolumeClaimRetentionPolicy.whenDeleted")
    if items(at(change.old, _TEMPLATES)) and policy == "Delete":
        return "its pods stop, and its claims go with all their data: whenDeleted is Delete"
    claims = "; its claims stay, with their data" if items(at(change.old, _TEMPLATES)) else ""
    return f"{_PODS_RESTART}{claims}"


def _selector(kind: str) -> Row:
    return Row(
        id=f"{kind.lower()}-selector",
        kinds=(f"{kind}.apps",),
        find=fixed("spec.selector", f"the API server does not let the selector of a {kind} change"),
        way=_NEW_NAME,
        loses=_set_loses if kind == "StatefulSet" else _PODS_RESTART,
    )


def _strategy(change: Change, field: str, other: str) -> Iterator[Refused]:
    """Server-side apply leaves what the server filled in for the old type, where no apply has named any of it."""
    kind = text(at(change.new, "kind"))
    old, new = (value_at(one, f"spec.{field}.type", "RollingUpdate") for one in (change.old, change.new))
    if (old, new) == ("RollingUpdate", other) and at(change.old, f"spec.{field}.rollingUpdate") is None:
        says = "the API server refuses it under server-side apply because its default rollingUpdate stays"
        patch = f'{{"spec":{{"{field}":{{"type":"{other}","rollingUpdate":null}}}}}}'
        command = f"{change.kubectl} patch {kind.lower()} {change.name} --type merge -p '{patch}'"
        hint = f"write some `rollingUpdate` and deliver that before you change the type; or once, by hand: {command}"
        yield Refused(f"spec.{field}.type", f"changes from {old} to {new}; {says}", hint)


def _pod(change: Change) -> Iterator[Refused]:
    old, new = (_fixed_of_pod(mapping(at(one, "spec"))) for one in _sides(change))
    says = "the API server lets only images, tolerations and activeDeadlineSeconds of a Pod change"
    yield from refused(differences(old, new, "spec", {}), says)
    before, after = (items(value) for value in change.both("spec.tolerations"))
    if any(each not in after for each in before if text(at(each, "key")) not in _BY_ADMISSION):
        yield Refused(
            "spec.tolerations", "a toleration changes or is removed; the API server lets a Pod only gain them"
        )
    limit, later = change.both("spec.activeDeadlineSeconds")
    if limit is not None and (later is None or smaller(later, limit)):
        yield Refused("spec.activeDeadlineSeconds", "is raised or removed; the API server lets it only fall")


def _fixed_of_pod(spec: object) -> dict[str, object]:
    said = {key: value for key, value in mapping(spec).items() if key not in ("tolerations", "activeDeadlineSeconds")}
    for group in ("containers", "initContainers"):
        said[group] = [
            {key: value for key, value in mapping(each).items() if key != "image"} for each in items(said.get(group))
        ]
    return said


WORKLOADS = (
    Row(
        id="statefulset-claims",
        kinds=("StatefulSet.apps",),
        find=_templates,
        way=_resize,
        loses=_set_loses,
        then=_grow,
    ),
    _selector("StatefulSet"),
    Row(
        id="statefulset-fields",
        kinds=("StatefulSet.apps",),
        find=_set_fields,
        way="keep the field as it was",
        loses=_set_loses,
    ),
    Row(
        id="statefulset-strategy",
        kinds=("StatefulSet.apps",),
        find=lambda change: _strategy(change, "updateStrategy", "OnDelete"),
        way="keep the type",
        loses=_set_loses,
    ),
    _selector("Deployment"),
    Row(
        id="deployment-strategy",
        kinds=("Deployment.apps",),
        find=lambda change: _strategy(change, "strategy", "Recreate"),
        way="keep the type",
        loses=_PODS_RESTART,
    ),
    _selector("DaemonSet"),
    _selector("ReplicaSet"),
    Row(
        id="controllerrevision-data",
        kinds=("ControllerRevision.apps",),
        find=fixed("data", "the API server does not let the data of a ControllerRevision change"),
        way="give it a new name",
        loses="a rollback to it restores something else",
    ),
    Row(
        id="pod-spec",
        kinds=("Pod",),
        find=_pod,
        way="let a Deployment make the pod, or give it a new name",
        loses="the pod stops and starts again",
    ),
)
