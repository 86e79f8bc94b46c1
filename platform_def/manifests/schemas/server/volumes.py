"""Volumes of pods, claims for storage, the volumes and classes of a cluster, and drivers."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.crds.quantity import amount
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.names import GRAMMARS, words
from platform_def.manifests.schemas.server.containers import field_version, resource_field, volume_field
from platform_def.manifests.schemas.server.selectors import labelled
from platform_def.manifests.schemas.server.words import (
    AMOUNT,
    FILLED,
    MODE,
    SOME,
    Limits,
    Rules,
    Value,
    Wrong,
    choice,
    each,
    given,
    maybe,
    needed,
    number,
    one_of,
)
from platform_def.manifests.schemas.server.words import text as filled

_ACCESS = each(choice("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"))
_LUN = number(0, 255)
_PATH_TYPES = ("DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket", "CharDevice", "BlockDevice")
_MODE = choice("Filesystem", "Block")
_NFS = {"server": FILLED, "path": filled("absolute-path")}
_CSI = {"driver": filled("driver")}
_MONITORS = {"monitors": SOME, "image": FILLED}
_DISK = {"pdName": FILLED, "partition": _LUN}

LIMITS: Limits = {
    "core.v1.Volume": {"name": needed(filled("label"))},
    "core.v1.EmptyDirVolumeSource": {"sizeLimit": AMOUNT},
    "core.v1.HostPathVolumeSource": {"path": filled("no-way-up"), "type": choice(*_PATH_TYPES, empty=True)},
    "core.v1.ConfigMapVolumeSource": {"name": needed(FILLED), "defaultMode": MODE},
    "core.v1.SecretVolumeSource": {"secretName": needed(FILLED), "defaultMode": MODE},
    "core.v1.KeyToPath": {"key": FILLED, "path": filled("local-path"), "mode": MODE},
    "core.v1.PersistentVolumeClaimVolumeSource": {"claimName": FILLED},
    "core.v1.NFSVolumeSource": _NFS,
    "core.v1.CSIVolumeSource": _CSI,
    "core.v1.CSIPersistentVolumeSource": {**_CSI, "volumeHandle": FILLED},
    "core.v1.ProjectedVolumeSource": {"defaultMode": MODE},
    "core.v1.ConfigMapProjection": {"name": needed(FILLED)},
    "core.v1.SecretProjection": {"name": needed(FILLED)},
    "core.v1.ServiceAccountTokenProjection": {
        "path": needed(filled("local-path")),
        "expirationSeconds": number(600, 2**32),
    },
    "core.v1.DownwardAPIVolumeSource": {"defaultMode": MODE},
    "core.v1.DownwardAPIVolumeFile": {"path": filled("local-path"), "mode": MODE},
    "core.v1.ISCSIVolumeSource": {"targetPortal": FILLED, "iqn": FILLED, "lun": _LUN},
    "core.v1.ISCSIPersistentVolumeSource": {"targetPortal": FILLED, "iqn": FILLED, "lun": _LUN},
    "core.v1.RBDVolumeSource": _MONITORS,
    "core.v1.RBDPersistentVolumeSource": _MONITORS,
    "core.v1.CephFSVolumeSource": {"monitors": SOME},
    "core.v1.CephFSPersistentVolumeSource": {"monitors": SOME},
    "core.v1.GCEPersistentDiskVolumeSource": _DISK,
    "core.v1.AWSElasticBlockStoreVolumeSource": {"volumeID": FILLED, "partition": _LUN},
    "core.v1.CinderVolumeSource": {"volumeID": FILLED},
    "core.v1.CinderPersistentVolumeSource": {"volumeID": FILLED},
    "core.v1.FlexVolumeSource": {"driver": FILLED},
    "core.v1.FlexPersistentVolumeSource": {"driver": FILLED},
    "core.v1.GlusterfsVolumeSource": {"endpoints": FILLED, "path": FILLED},
    "core.v1.LocalVolumeSource": {"path": filled("no-way-up")},
    "core.v1.PersistentVolumeClaimTemplate": {"spec": needed()},
    "core.v1.EphemeralVolumeSource": {"volumeClaimTemplate": needed()},
    "core.v1.PersistentVolumeClaimSpec": {
        "accessModes": needed({**_ACCESS, **SOME}),
        "resources": needed(),
        "storageClassName": maybe("subdomain"),
        "volumeMode": _MODE,
        "volumeAttributesClassName": maybe("subdomain"),
    },
    "core.v1.PersistentVolumeSpec": {
        "accessModes": needed({**_ACCESS, **SOME}),
        "capacity": needed(),
        "persistentVolumeReclaimPolicy": choice("Retain", "Delete", "Recycle", empty=True),
        "storageClassName": maybe("subdomain"),
        "volumeMode": _MODE,
    },
    "core.v1.PersistentVolumeClaim": {"spec": needed()},
    "core.v1.PersistentVolume": {"spec": needed()},
    "storage.v1.StorageClass": {
        "provisioner": filled("domain-or-name"),
        "reclaimPolicy": choice("Delete", "Retain", empty=True),
        "volumeBindingMode": choice("Immediate", "WaitForFirstConsumer"),
    },
    "core.v1.TopologySelectorLabelRequirement": {"key": filled("label-key"), "values": SOME},
    "storage.v1.CSIDriverSpec": {
        "fsGroupPolicy": choice("ReadWriteOnceWithFSType", "None", "File"),
        "volumeLifecycleModes": each(choice("Persistent", "Ephemeral")),
    },
    "storage.v1.TokenRequest": {"expirationSeconds": number(600, 2**32)},
    "storage.v1.CSINodeDriver": {
        "name": filled("driver"),
        "nodeID": {**FILLED, "maxLength": 256},
        "topologyKeys": each(filled("label-key")),
    },
    "storage.v1.VolumeNodeResources": {"count": number(0)},
    "storage.v1.CSIStorageCapacity": {
        "storageClassName": filled("subdomain"),
        "capacity": AMOUNT,
        "maximumVolumeSize": AMOUNT,
    },
    "storage.v1.VolumeAttachmentSpec": {"attacher": filled("driver"), "nodeName": filled("subdomain")},
    "storage.v1.VolumeAttributesClass": {"driverName": filled("driver"), "parameters": needed({"minProperties": 1})},
}
_POD_SOURCES = words(
    "awsElasticBlockStore azureDisk azureFile cephfs cinder configMap csi downwardAPI emptyDir ephemeral "
    "fc flexVolume flocker gcePersistentDisk gitRepo glusterfs hostPath image iscsi nfs "
    "persistentVolumeClaim photonPersistentDisk portworxVolume projected quobyte rbd scaleIO secret "
    "storageos vsphereVolume"
)
_VOLUME_SOURCES = words(
    "awsElasticBlockStore azureDisk azureFile cephfs cinder csi fc flexVolume flocker gcePersistentDisk "
    "glusterfs hostPath iscsi local nfs photonPersistentDisk portworxVolume quobyte rbd scaleIO storageos "
    "vsphereVolume"
)


def _source(value: Value) -> Iterator[Wrong]:
    found = given(value, *_POD_SOURCES)
    for other in found[1:]:
        yield Wrong((other,), f"is set together with {found[0]}: a volume has one source", f"leave out {other}")
    if mapping(value.get("csi")).get("nodePublishSecretRef") is not None:
        problem = GRAMMARS["subdomain"](text(at(value, "csi.nodePublishSecretRef.name")))
        if problem:
            yield Wrong(("csi", "nodePublishSecretRef", "name"), problem)
    labels = mapping(at(value, "ephemeral.volumeClaimTemplate.metadata.labels"))
    yield from labelled(labels, ("ephemeral", "volumeClaimTemplate", "metadata", "labels"))


def _projected(value: Value) -> Iterator[Wrong]:
    sources = ("clusterTrustBundle", "configMap", "downwardAPI", "podCertificate", "secret", "serviceAccountToken")
    paths: dict[str, int] = {}
    for index, source in enumerate(items(value.get("sources"))):
        for other in given(mapping(source), *sources)[1:]:
            yield Wrong(("sources", index, other), "a source is of one kind", "make two sources of it")
        for path in _files(mapping(source)):
            if paths.setdefault(path, index) != index or (path in paths and _files(mapping(source)).count(path) > 1):
                yield Wrong(("sources", index), f"two files are to be at '{path[:60]}'")
                break


def _files(source: Value) -> list[str]:
    listed = [each_ for kind in ("configMap", "secret", "downwardAPI") for each_ in items(at(source, f"{kind}.items"))]
    found = [text(at(each_, "path")) for each_ in listed]
    return [path for path in found if path]


def _downward(value: Value) -> Iterator[Wrong]:
    yield from one_of("fieldRef", "resourceFieldRef")(value)
    path = text(at(value, "fieldRef.fieldPath"))
    if path and not volume_field(path):
        yield Wrong(
            ("fieldRef", "fieldPath"),
            f"'{path[:60]}' is no field that a file may hold",
            "metadata.name, metadata.labels and the like may be",
        )
    yield from field_version(mapping(value.get("fieldRef")), ("fieldRef",))
    yield from resource_field(value.get("resourceFieldRef"), ("resourceFieldRef",))
    if value.get("resourceFieldRef") is not None and not text(at(value, "resourceFieldRef.containerName")):
        yield Wrong(("resourceFieldRef", "containerName"), "is missing")


def _claim(value: Value) -> Iterator[Wrong]:
    if isinstance(value.get("resources"), dict):
        yield from _size(at(value, "resources.requests.storage"), ("resources", "requests", "storage"))
    modes = items(value.get("accessModes"))
    yield from _once_per_pod(modes)
    source = mapping(value.get("dataSourceRef"))
    if source:
        yield from _data_source(source, ("dataSourceRef",))
    kept = (text(at(value, "dataSource.apiGroup")), text(at(value, "dataSource.kind"))) in _SOURCES
    if kept and not text(at(value, "dataSource.name")):
        yield Wrong(("dataSource", "name"), "is missing")


_SOURCES = (("", "PersistentVolumeClaim"), ("snapshot.storage.k8s.io", "VolumeSnapshot"))
"""What claims are filled from; the server drops all others from dataSource without a word."""


def _data_source(source: Value, path: tuple[str | int, ...]) -> Iterator[Wrong]:
    for field in ("kind", "name"):
        if not source.get(field):
            yield Wrong((*path, field), "is missing")
    group = text(source.get("apiGroup"))
    if not group and text(source.get("kind")) not in ("", "PersistentVolumeClaim"):
        yield Wrong((*path, "apiGroup"), "is missing: only a PersistentVolumeClaim has none")
    if group and (problem := GRAMMARS["subdomain"](group)):
        yield Wrong((*path, "apiGroup"), problem)


def _size(size: object, path: tuple[str | int, ...]) -> Iterator[Wrong]:
    if size is None:
        yield Wrong(path, "is missing", "say how much storage: 10Gi")
    elif (value := amount(size)) is not None and value <= 0:
        yield Wrong(path, f"{size} is not more than 0")


def _once_per_pod(modes: object) -> Iterator[Wrong]:
    listed = [mode for mode in items(modes) if isinstance(mode, str)]
    if "ReadWriteOncePod" in listed and len({*listed}) > 1:
        yield Wrong(("accessModes",), "ReadWriteOncePod goes with no other mode")


def _volume(value: Value) -> Iterator[Wrong]:
    found = given(value, *_VOLUME_SOURCES)
    if not found:
        yield Wrong((), "names no source", "write csi:, nfs:, local: or another")
    for other in found[1:]:
        yield Wrong((other,), f"is set together with {found[0]}: a volume has one source", f"leave out {other}")
    if value.get("capacity") is not None:
        yield from _size(at(value, "capacity.storage"), ("capacity", "storage"))
        for name in mapping(value.get("capacity")):
            if name != "storage":
                yield Wrong(("capacity", name), "a volume has storage, and nothing else")
    yield from _once_per_pod(value.get("accessModes"))
    if value.get("local") is not None and at(value, "nodeAffinity.required") is None:
        yield Wrong(
            ("nodeAffinity",), "is missing: a local volume is on one node", "name the node under nodeAffinity.required"
        )
    if text(at(value, "hostPath.path")) == "/" and value.get("persistentVolumeReclaimPolicy") == "Recycle":
        yield Wrong(("persistentVolumeReclaimPolicy",), "the node's root cannot be recycled")
    for field in (
        "controllerPublishSecretRef",
        "nodePublishSecretRef",
        "controllerExpandSecretRef",
        "nodeExpandSecretRef",
    ):
        secret = at(value, f"csi.{field}")
        for part in ("name", "namespace"):
            if isinstance(secret, dict):
                name = text(secret.get(part))
                problem = GRAMMARS["subdomain" if part == "name" else "label"](name) if name else "is missing"
                if problem:
                    yield Wrong(("csi", field, part), problem)


def _affinity(value: Value) -> Iterator[Wrong]:
    if "required" not in value or value.get("required") is None:
        yield Wrong(("required",), "is missing")


def _topologies(value: Value) -> Iterator[Wrong]:
    terms = [repr(term) for term in items(value.get("allowedTopologies"))]
    for index, term in enumerate(items(value.get("allowedTopologies"))):
        if isinstance(term, dict) and not items(term.get("matchLabelExpressions")):
            yield Wrong(("allowedTopologies", index, "matchLabelExpressions"), "is missing")
    for index, term in enumerate(terms):
        if term in terms[:index]:
            yield Wrong(("allowedTopologies", index), "is listed twice")
    parameters = mapping(value.get("parameters"))
    if len(parameters) > 512:
        yield Wrong(("parameters",), "has more than 512 entries")
    if "" in parameters:
        yield Wrong(("parameters", ""), "an entry has no name")


def _topology(value: Value) -> Iterator[Wrong]:
    seen = set()
    for index, expression in enumerate(items(value.get("matchLabelExpressions"))):
        key = text(at(expression, "key"))
        if key in seen:
            yield Wrong(("matchLabelExpressions", index, "key"), f"{key} is listed twice")
        seen.add(key)
        values = [text(each_) for each_ in items(at(expression, "values"))]
        if len(values) != len({*values}):
            yield Wrong(("matchLabelExpressions", index, "values"), "holds a value twice")


def _tokens(value: Value) -> Iterator[Wrong]:
    seen = set()
    for index, request in enumerate(items(value.get("tokenRequests"))):
        audience = text(at(request, "audience"))
        if audience in seen:
            yield Wrong(("tokenRequests", index, "audience"), f"'{audience[:60]}' is listed twice")
        seen.add(audience)


def _attached(value: Value) -> Iterator[Wrong]:
    for wrong in one_of("persistentVolumeName", "inlineVolumeSpec")(mapping(value.get("source"))):
        yield wrong._replace(path=("source", *wrong.path))
    if (
        value.get("source") is not None
        and text(at(value, "source.persistentVolumeName")) == ""
        and at(value, "source.inlineVolumeSpec") is None
    ):
        yield Wrong(("source", "persistentVolumeName"), "is empty")
    name = text(at(value, "source.persistentVolumeName"))
    if name and (problem := GRAMMARS["subdomain"](name)):
        yield Wrong(("source", "persistentVolumeName"), problem)


def _driver(value: Value) -> Iterator[Wrong]:
    keys = items(value.get("topologyKeys"))
    for index, key in enumerate(keys):
        if key in keys[:index]:
            yield Wrong(("topologyKeys", index), f"{key} is listed twice")


RULES: Rules = {
    "core.v1.Volume": _source,
    "core.v1.ProjectedVolumeSource": _projected,
    "core.v1.DownwardAPIVolumeFile": _downward,
    "core.v1.PersistentVolumeClaimSpec": _claim,
    "core.v1.PersistentVolumeSpec": _volume,
    "core.v1.VolumeNodeAffinity": _affinity,
    "storage.v1.StorageClass": _topologies,
    "core.v1.TopologySelectorTerm": _topology,
    "storage.v1.CSIDriverSpec": _tokens,
    "storage.v1.VolumeAttachmentSpec": _attached,
    "storage.v1.CSINodeDriver": _driver,
}
