"""What the cluster makes for an object at run time, read from the object alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from platform_def.config.objects import Made
from platform_def.crds.model import Api, Makes
from platform_def.crds.schema import Manifest
from platform_def.manifests.loose import at, items, mapping, text

NUMBERED = "*"
"""Ends a name behind which a number stands: `data-postgres-*` are the claims `data-postgres-0`, `data-postgres-1` …"""
_ISSUERS = ("cert-manager.io/issuer", "cert-manager.io/cluster-issuer", "kubernetes.io/tls-acme")
"""Annotations by which cert-manager makes certificates for what carries them."""


def made(manifest: Manifest, group: str, kind: str, api: Api[Any] | None) -> Iterator[Made]:
    """What is made for an object of a kind; `api` is its type where the kind is a custom one."""
    own, namespace = _own(manifest)
    for makes in api.makes if api else ():
        home = text(at(manifest, makes.namespace)) if makes.namespace else namespace
        yield from (Made(makes.group, makes.kind, home, name) for name in _names(manifest, makes, own))
    maker = _MAKERS.get((group, kind))
    if maker:
        yield from maker(manifest)


def _own(manifest: Manifest) -> tuple[str, str]:
    return text(at(manifest, "metadata.name")), text(at(manifest, "metadata.namespace"))


def _names(manifest: Manifest, makes: Makes, own: str) -> Iterator[str]:
    path, listed, below = makes.name.partition("[]")
    said = at(manifest, path)
    if listed:
        found = (at(each, below[1:]) if below else each for each in items(said))
        before = f"{own}-" if makes.prefixed else ""
        yield from (before + name + makes.suffix for name in found if isinstance(name, str))
    else:
        yield (makes.fixed or text(said) or own) + makes.suffix


def _claims_of_a_set(manifest: Manifest) -> Iterator[Made]:
    own, namespace = _own(manifest)
    for template in items(at(manifest, "spec.volumeClaimTemplates")):
        name = text(at(template, "metadata.name"))
        yield Made("", "PersistentVolumeClaim", namespace, f"{name}-{own}-{NUMBERED}")


def _claims_of_a_pod(manifest: Manifest) -> Iterator[Made]:
    own, namespace = _own(manifest)
    for volume in items(at(manifest, "spec.volumes")):
        if mapping(at(volume, "ephemeral")):
            yield Made("", "PersistentVolumeClaim", namespace, f"{own}-{text(at(volume, 'name'))}")


def _class_of_a_volume(manifest: Manifest) -> Iterator[Made]:
    """Claims and volumes that name one class meet, whether or not there is an object of that name."""
    name = text(at(manifest, "spec.storageClassName"))
    if name:
        yield Made("storage.k8s.io", "StorageClass", "", name)


def _certificates_of_an_ingress(manifest: Manifest) -> Iterator[Made]:
    if _asks_for_certificates(manifest):
        for entry in items(at(manifest, "spec.tls")):
            yield from _certificate(text(at(entry, "secretName")), _own(manifest)[1])


def _certificates_of_a_gateway(manifest: Manifest) -> Iterator[Made]:
    if _asks_for_certificates(manifest):
        for listener in items(at(manifest, "spec.listeners")):
            for reference in items(at(listener, "tls.certificateRefs")):
                home = text(at(reference, "namespace")) or _own(manifest)[1]
                yield from _certificate(text(at(reference, "name")), home)


def _asks_for_certificates(manifest: Manifest) -> bool:
    annotations = mapping(at(manifest, "metadata.annotations"))
    return any(annotations.get(key) for key in _ISSUERS)


def _certificate(name: str, namespace: str) -> Iterator[Made]:
    if name:
        yield Made("cert-manager.io", "Certificate", namespace, name)
        yield Made("", "Secret", namespace, name)


_MAKERS: Mapping[tuple[str, str], Callable[[Manifest], Iterator[Made]]] = {
    ("apps", "StatefulSet"): _claims_of_a_set,
    ("", "Pod"): _claims_of_a_pod,
    ("", "PersistentVolume"): _class_of_a_volume,
    ("networking.k8s.io", "Ingress"): _certificates_of_an_ingress,
    ("gateway.networking.k8s.io", "Gateway"): _certificates_of_a_gateway,
}
