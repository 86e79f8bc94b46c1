"""Parameters of a StorageClass are such that its driver makes and mounts volumes; and one class is the default.

Facts: ceph-csi 3.17 (secrets of each step, image features and what each needs), the NFS driver 4.13, Kubernetes 1.36
(of several default classes the newest is taken; an Ingress without a class is refused where two are the default).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.manifests.loose import at, mapping, text
from platform_def.manifests.rendered import RenderedObject

_STORAGE = "storage.k8s.io"
_CEPH = ("rbd.csi.ceph.com", "cephfs.csi.ceph.com")
_LOGIN = tuple(
    f"csi.storage.k8s.io/{step}-secret-{part}"
    for step in ("provisioner", "node-stage")
    for part in ("name", "namespace")
)
"""What names the Secrets of the steps of ceph-csi that log in to Ceph."""
_NEEDED: Mapping[str, tuple[str, ...]] = {
    "cephfs.csi.ceph.com": ("clusterID", "fsName"),
    "nfs.csi.k8s.io": ("server", "share"),
    "rbd.csi.ceph.com": ("clusterID", "pool"),
}
_INSTEAD = {"pool": "topologyConstrainedPools"}
_FEATURES: Mapping[str, str] = {
    "fast-diff": "object-map",
    "journaling": "exclusive-lock",
    "object-map": "exclusive-lock",
}
"""What each feature of an RBD image needs."""
_DEFAULTS = {
    (_STORAGE, "StorageClass"): "storageclass.kubernetes.io/is-default-class",
    ("networking.k8s.io", "IngressClass"): "ingressclass.kubernetes.io/is-default-class",
}
_EFFECT = {
    "StorageClass": "claims without a class get the one that was made last",
    "IngressClass": "an Ingress without a class is refused",
}


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    for item in context.index.by_kind.get((_STORAGE, "StorageClass"), ()):
        provisioner = text(item.manifest.get("provisioner"))
        yield from ((item, fault) for fault in _parameters(provisioner, mapping(item.manifest.get("parameters"))))
    for kind, annotation in _DEFAULTS.items():
        yield from _several(context, kind, annotation)


def _parameters(provisioner: str, given: Mapping[str, object]) -> Iterator[Fault]:
    for name in _NEEDED.get(provisioner, ()):
        if not given.get(name) and not given.get(_INSTEAD.get(name, name)):
            yield Fault("parameters", f"{provisioner} makes no volume without {name}", f"add {name}")
    lacking = [name for name in _LOGIN if not given.get(name)] if provisioner in _CEPH else []
    if lacking:
        yield Fault("parameters", f"{provisioner} has no Secret to log in to Ceph", f"add {', '.join(lacking)}")
    if provisioner == _CEPH[0]:
        features = {each.strip() for each in text(given.get("imageFeatures")).split(",")}
        for feature, needed in _FEATURES.items():
            if feature in features and needed not in features:
                said = f"an image with {feature} needs {needed}, too: no volume is made"
                yield Fault("parameters.imageFeatures", said, f"add {needed}")


def _several(context: Context, kind: tuple[str, str], annotation: str) -> Iterator[tuple[RenderedObject, Fault]]:
    found = [
        item
        for item in context.index.by_kind.get(kind, ())
        if mapping(at(item.manifest, "metadata.annotations")).get(annotation) == "true"
    ]
    for item in found[1:]:
        said = f"is the default as {found[0].name} is: {_EFFECT[kind[1]]}"
        yield item, Fault(f'metadata.annotations["{annotation}"]', said, "leave one default", "warning")


CLASS_PARAMETERS = StackRule(
    id="class-parameters",
    severity="error",
    title="Classes of storage have what their driver needs, and one is the default",
    why="Claims stay Pending, or get a volume of another class than was meant.",
    fix="give the driver's parameters as its documentation has them",
    kinds=frozenset(kind for _, kind in _DEFAULTS),
    check=_check,
)
