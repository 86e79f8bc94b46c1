"""Storage: classes, drivers and volumes are nearly all fixed, for there are data behind them."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.manifests.loose import at, mapping, text
from platform_def.manifests.updates.change import Change, Refused, Row
from platform_def.manifests.updates.comparing import Defaults, differences, fixed, refused, together

_CLASS_SAYS = "the API server lets only allowVolumeExpansion, mountOptions and allowedTopologies of a class change"
_CLASS_FIELDS = ("provisioner", "parameters", "reclaimPolicy", "volumeBindingMode")
_CLASS_DEFAULTS: Defaults = {"": {"reclaimPolicy": "Delete", "volumeBindingMode": "Immediate"}}
_DRIVER_DEFAULTS = {"attachRequired": True, "volumeLifecycleModes": ["Persistent"]}
_DRIVER_DEFAULTS_BEFORE_30 = {"fsGroupPolicy": "ReadWriteOnceWithFSType", "podInfoOnMount": False}
_VOLUME_DEFAULTS: Defaults = {
    "rbd": {"pool": "rbd", "user": "admin", "keyring": "/etc/ceph/keyring"},
    "iscsi": {"iscsiInterface": "default"},
    "azureDisk": {"cachingMode": "ReadWrite", "fsType": "ext4", "readOnly": False, "kind": "Shared"},
    "scaleIO": {"storageMode": "ThinProvisioned", "fsType": "xfs"},
}
_NO_SOURCES = frozenset(
    {
        *("accessModes", "capacity", "claimRef", "mountOptions", "nodeAffinity", "persistentVolumeReclaimPolicy"),
        *("storageClassName", "volumeAttributesClassName", "volumeMode"),
    }
)
"""Fields of a volume other than its source."""


def _class(change: Change) -> Iterator[Refused]:
    old, new = ({key: one.get(key) for key in _CLASS_FIELDS} for one in (change.old, change.new))
    yield from refused(differences(old, new, "", _CLASS_DEFAULTS), _CLASS_SAYS)


def _driver(change: Change) -> Iterator[Refused]:
    fields = _DRIVER_DEFAULTS | (_DRIVER_DEFAULTS_BEFORE_30 if change.kubernetes.minor < 30 else {})
    old, new = ({key: mapping(at(one, "spec")).get(key) for key in fields} for one in (change.old, change.new))
    yield from refused(differences(old, new, "spec", {"spec": fields}), "the API server does not let it change")


def _source(change: Change) -> Iterator[Refused]:
    old, new = (_source_of(mapping(at(one, "spec"))) for one in (change.old, change.new))
    found = differences(old, new, "spec", _VOLUME_DEFAULTS)
    first_secret = ("spec", "csi", "controllerExpandSecretRef")
    found = [each for each in found if not (each.path == first_secret and each.old is None)]
    yield from refused(found, "the API server does not let the source of a PersistentVolume change")


def _source_of(spec: object) -> dict[str, object]:
    return {key: value for key, value in mapping(spec).items() if key not in _NO_SOURCES}


def _affinity(change: Change) -> Iterator[Refused]:
    """It may be set once; after that only beta labels, such as those of zones, may become their successors."""
    old, new = (_with_new_labels(one) for one in change.both("spec.nodeAffinity"))
    if old:
        says = "the API server does not let the node affinity of a PersistentVolume change once it is set"
        yield from refused(differences(old, new, "spec.nodeAffinity", {}), says)


_LABELS = {
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
    "beta.kubernetes.io/os": "kubernetes.io/os",
    "beta.kubernetes.io/arch": "kubernetes.io/arch",
}


def _with_new_labels(value: object) -> object:
    if isinstance(value, dict):
        return {
            key: _LABELS.get(text(each), each) if key == "key" else _with_new_labels(each)
            for key, each in value.items()
        }
    return [_with_new_labels(each) for each in value] if isinstance(value, list) else value


_VOLUMES_STAY = "volumes of it and their data stay, and so does the policy that each was made with"
_VOLUME_GOES = "the volume waits until its claim is gone; what it points to stays where it is, and no claim finds it"

STORAGE = (
    Row(
        id="storageclass-fields",
        kinds=("StorageClass.storage.k8s.io",),
        find=_class,
        way="add a class with a new name, and let new claims name that",
        loses=f"between the two no claim of the class is served; {_VOLUMES_STAY}",
    ),
    Row(
        id="volumeattributesclass-fields",
        kinds=("VolumeAttributesClass.storage.k8s.io",),
        find=together(
            fixed("driverName", "the API server does not let it change"),
            fixed("parameters", "the API server does not let it change"),
        ),
        way="make a class with a new name, and let claims name that",
        loses="volumes keep what they were given",
    ),
    Row(
        id="csidriver-fields",
        kinds=("CSIDriver.storage.k8s.io",),
        find=_driver,
        way="keep the field as it was",
        loses="between the two no volume of the driver is attached or mounted; those that are stay",
    ),
    Row(
        id="persistentvolume-source",
        kinds=("PersistentVolume",),
        find=together(_source, fixed("spec.volumeMode", "the API server does not let it change", default="Filesystem")),
        way="make a volume with a new name, and a claim of it; copy the data that is to stay",
        loses=_VOLUME_GOES,
    ),
    Row(
        id="persistentvolume-affinity",
        kinds=("PersistentVolume",),
        find=_affinity,
        way="make a volume with a new name, and a claim of it",
        loses=_VOLUME_GOES,
    ),
)
