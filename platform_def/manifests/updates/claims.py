"""Claims: the size of a bound one may grow where its class allows it; all else is fixed."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.manifests.loose import at, mapping, text
from platform_def.manifests.updates.change import Change, Refused, Row
from platform_def.manifests.updates.comparing import Defaults, differences, fixed, refused, shown, smaller, together

_SIZE = "spec.resources.requests.storage"
_CLASS = "spec.storageClassName"
_BETA_CLASS = "volume.beta.kubernetes.io/storage-class"
_DATA_GOES = (
    "the claim waits until no pod uses it, and goes with its data unless the reclaim policy of its volume is Retain"
)


def _claim_class(change: Change) -> Iterator[Refused]:
    old, new = change.both(_CLASS)
    beta, later = (mapping(at(one, "metadata.annotations")).get(_BETA_CLASS) for one in (change.old, change.new))
    if old is None and new is not None and beta in (None, new):
        if beta is None:
            asks = f"{change.kubectl} get pvc {change.name} -o jsonpath='{{.spec.storageClassName}}'"
            yield Refused(
                _CLASS,
                f"is set to {shown(new)}; the API server takes it only if the claim has no class yet or this one, and "
                "gives a claim without one the default class, if there is one",
                f"ask which class the claim has: {asks}",
                "warning",
            )
        return
    says = "the API server does not let the class of a claim change"
    yield from refused(differences(old, new, _CLASS, {}), says)
    if beta != later:
        path = f'metadata.annotations["{_BETA_CLASS}"]'
        yield Refused(path, f"changes; {says}")


def _claim_size(change: Change) -> Iterator[Refused]:
    old, new = change.both(_SIZE)
    less = smaller(old, new)
    if less is None or not differences(old, new, _SIZE, {}):
        return
    moved = f"changes from {shown(old)} to {shown(new)}"
    if less:
        way = "keep the size: a volume cannot shrink. For a smaller one, copy the data into a claim with a new name"
        yield Refused(_SIZE, f"{moved}; the API server does not let a claim shrink", way)
        return
    yield _growth(change, moved)


def _growth(change: Change, moved: str) -> Refused:
    name = text(at(change.old, _CLASS))
    made = change.classes.get(name)
    if made is not None and made.get("allowVolumeExpansion") is not True:
        way = f"set allowVolumeExpansion of the class {name}, if its driver can expand volumes; or keep the size"
        return Refused(
            _SIZE, f"{moved}; the API server refuses it because the class {name} does not allow expansion", way
        )
    bound = f"{change.kubectl} get pvc {change.name} -o jsonpath='{{.status.phase}} {{.spec.storageClassName}}'"
    allows = f"kubectl get storageclass {name or 'CLASS'} -o jsonpath='{{.allowVolumeExpansion}}'"
    if made is not None:
        says = "the API server takes it only if the claim is bound"
        return Refused(_SIZE, f"{moved}; {says}", f"ask whether it is: {bound}", "warning")
    says = "the API server takes it only if the claim is bound and its class allows expansion"
    return Refused(_SIZE, f"{moved}; {says}", f"ask whether that is so: {bound}; {allows}", "warning")


_CLAIM_FIELDS = ("accessModes", "selector", "volumeMode", "dataSource", "dataSourceRef")


def _claim_fields(change: Change) -> Iterator[Refused]:
    says = "the API server lets only the size of a claim change"
    defaults: Defaults = {"spec": {"volumeMode": "Filesystem"}}
    old, new = ({key: mapping(at(one, "spec")).get(key) for key in _CLAIM_FIELDS} for one in (change.old, change.new))
    yield from refused(differences(old, new, "spec", defaults), says)
    yield from fixed("spec.resources.limits", says)(change)
    before, after = change.both("spec.volumeName")
    if before and before != after:
        yield from refused(differences(before, after, "spec.volumeName", {}), says)


def _attributes_class(change: Change) -> Iterator[Refused]:
    path = "spec.volumeAttributesClassName"
    old, new = change.both(path)
    if old == new or change.kubernetes.minor < 34:
        return
    asks = f"{change.kubectl} get pvc {change.name} -o jsonpath='{{.status.phase}}'"
    says = "the API server takes it only if the claim is bound"
    for each in refused(differences(old, new, path, {}), says):
        yield Refused(each.path, each.text, f"ask whether it is: {asks}", "warning")


CLAIMS = (
    Row(
        id="claim-class",
        kinds=("PersistentVolumeClaim",),
        find=_claim_class,
        way="make a claim with a new name in the other class, and copy the data",
        loses=_DATA_GOES,
    ),
    Row(
        id="claim-size",
        kinds=("PersistentVolumeClaim",),
        find=_claim_size,
        way="keep the size",
        loses=_DATA_GOES,
    ),
    Row(
        id="claim-fields",
        kinds=("PersistentVolumeClaim",),
        find=together(_claim_fields, _attributes_class),
        way="make a claim with a new name, and copy the data",
        loses=_DATA_GOES,
    ),
)
