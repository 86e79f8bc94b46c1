"""Which keys a ConfigMap or a Secret will have: as it is rendered, or as the controller that makes it fills it.

Facts: cert-manager 1.21 (Certificate), External Secrets 2.1 (ExternalSecret), Sealed Secrets 0.36 (SealedSecret).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.rendered import RenderedObject

_CERTIFICATE = ("tls.crt", "tls.key", "ca.crt")
_STORES = {"jks": ("keystore.jks", "truststore.jks"), "pkcs12": ("keystore.p12", "truststore.p12")}
_FORMATS = {"CombinedPEM": "tls-combined.pem", "DER": "key.der"}


def keys_of(maker: RenderedObject, kind: str) -> frozenset[str] | None:
    """Keys of the object of a kind that `maker` is, or is made for; None where they are unknown."""
    if maker.kind == kind and maker.group == "":
        fields = ("data", "binaryData", "stringData")
        return frozenset(key for field in fields for key in mapping(maker.manifest.get(field)))
    reader = _MAKERS.get((maker.group, maker.kind)) if kind == "Secret" else None
    return reader(maker.manifest) if reader else None


def _certificate(manifest: Mapping[str, Any]) -> frozenset[str]:
    stores = [name for store, names in _STORES.items() if at(manifest, f"spec.keystores.{store}") for name in names]
    formats = [
        _FORMATS.get(text(mapping(each).get("type")), "")
        for each in items(at(manifest, "spec.additionalOutputFormats"))
    ]
    template = mapping(at(manifest, "spec.secretTemplate.data"))
    return frozenset([*_CERTIFICATE, *stores, *formats, *template])


def _external(manifest: Mapping[str, Any]) -> frozenset[str] | None:
    template = mapping(at(manifest, "spec.target.template"))
    if items(at(manifest, "spec.dataFrom")) or items(template.get("templateFrom")):
        return None
    own = frozenset(text(mapping(each).get("secretKey")) for each in items(at(manifest, "spec.data")))
    written = frozenset(mapping(template.get("data")))
    if not written:
        return own
    return own | written if template.get("mergePolicy") == "Merge" else written


def _sealed(manifest: Mapping[str, Any]) -> frozenset[str]:
    sealed = mapping(at(manifest, "spec.encryptedData"))
    return frozenset([*sealed, *mapping(at(manifest, "spec.template.data"))])


_MAKERS: Mapping[tuple[str, str], Callable[[Mapping[str, Any]], frozenset[str] | None]] = {
    ("cert-manager.io", "Certificate"): _certificate,
    ("external-secrets.io", "ExternalSecret"): _external,
    ("bitnami.com", "SealedSecret"): _sealed,
}
