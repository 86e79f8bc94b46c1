"""What an encrypted Secret looks like, sealed or by SOPS, and what tells it from one that anybody can read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

_SOPS_VALUE = re.compile(r"ENC\[AES256_GCM,data:[A-Za-z0-9+/=]*,iv:[A-Za-z0-9+/=]+,tag:[A-Za-z0-9+/=]+,type:[a-z]+\]")
_SEALED_VALUE = re.compile(r"[A-Za-z0-9+/]{64,}={0,2}")
"""Base64 of a session key wrapped by RSA, and of what it encrypts: never as short as a password."""


class Misfit(NamedTuple):
    """Why a document is no encrypted Secret."""

    text: str
    hint: str = ""


def misfit(document: Any, way: Literal["sealed", "sops"]) -> Misfit | None:
    """Why a document cannot lie in a repository as a Secret of this kind; None where it can."""
    if not isinstance(document, dict) or not isinstance(document.get("metadata"), dict):
        return Misfit("holds something that is no object of Kubernetes")
    if not isinstance(document["metadata"].get("name"), str):
        return Misfit("holds an object without a name")
    return _unsealed(document) if way == "sealed" else _unencrypted(document)


def encrypted(secret: Mapping[str, Any]) -> bool:
    """Whether a Secret is SOPS' own, every value of it encrypted."""
    return not any(True for _ in _readable(secret))


def _unsealed(document: Mapping[str, Any]) -> Misfit | None:
    if (document.get("apiVersion"), document.get("kind")) != ("bitnami.com/v1alpha1", "SealedSecret"):
        return Misfit(f"holds a {document.get('kind')}, and no SealedSecret", "make it with `kubeseal --format yaml`")
    spec = document.get("spec")
    values = spec.get("encryptedData") if isinstance(spec, dict) else None
    if not isinstance(values, dict) or not values:
        return Misfit("holds a SealedSecret without `encryptedData`", "make it with `kubeseal --format yaml`")
    for key, value in values.items():
        if not (isinstance(value, str) and _SEALED_VALUE.fullmatch(value)):
            return Misfit(f"the value of {key} is not sealed", "make it with `kubeseal --format yaml`")
    template = spec.get("template") if isinstance(spec, dict) else None
    if isinstance(template, dict) and template.get("data"):
        return Misfit("its template holds values in the clear", "seal these too")
    return None


def _unencrypted(document: Mapping[str, Any]) -> Misfit | None:
    if (document.get("apiVersion"), document.get("kind")) != ("v1", "Secret"):
        return Misfit(f"holds a {document.get('kind')}, and no Secret", "leave apiVersion, kind and metadata readable")
    hint = "encrypt it with `sops --encrypt --encrypted-regex '^(data|stringData)$' --in-place`"
    readable = next(_readable(document), "")
    return Misfit(readable, hint) if readable else None


def _readable(secret: Mapping[str, Any]) -> Iterator[str]:
    """What of a Secret is not encrypted, in words without its content."""
    sops = secret.get("sops")
    if not isinstance(sops, dict) or not _SOPS_VALUE.fullmatch(str(sops.get("mac"))):
        yield "it is not encrypted by SOPS"
    values = [(field, secret[field]) for field in ("data", "stringData") if secret.get(field)]
    for field, held in values:
        if not isinstance(held, dict):
            yield f"{field} is not encrypted value by value"
            continue
        for key, value in held.items():
            if not (isinstance(value, str) and (not value or _SOPS_VALUE.fullmatch(value))):
                yield f"the value of {key} is not encrypted"
    if not values:
        yield "it holds no values"
