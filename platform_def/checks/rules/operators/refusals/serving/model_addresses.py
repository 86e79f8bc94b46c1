"""Addresses of models that nothing in the cluster can fetch.

Facts: KServe 0.20 (controller/v1beta1/inferenceservice/utils/utils.go: ValidateStorageURI): the formats of
ClusterStorageContainers, then these; what names no protocol is a path.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault, Severity
from platform_def.errors import nearest
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.rendered import Manifest

_PROTOCOLS = ("gs", "s3", "pvc", "file", "https", "http", "hdfs", "webhdfs", "oci", "hf")
_PROTOCOL = re.compile(r"(\w+)://")
_COMPONENTS = ("predictor", "transformer", "explainer")


class StorageFormats(NamedTuple):
    """What the cluster's own containers fetch."""

    prefixes: tuple[str, ...] = ()
    expressions: tuple[str, ...] = ()
    sure: bool = True
    """Whether all such containers are known."""


def formats(context: Context) -> StorageFormats:
    """Those of the stack's ClusterStorageContainers."""
    found = [
        mapping(each)
        for item in context.index.by_kind.get(("serving.kserve.io", "ClusterStorageContainer"), ())
        for each in items(at(item.manifest, "spec.supportedUriFormats"))
    ]
    prefixes = tuple(text(each.get("prefix")) for each in found if each.get("prefix"))
    expressions = tuple(text(each.get("regex")) for each in found if not each.get("prefix") and each.get("regex"))
    return StorageFormats(prefixes, expressions, not context.stack.foreign)


def of_inference_service(manifest: Manifest, given: StorageFormats) -> Iterator[Fault]:
    """An InferenceService, in whatever framework's words it names its model."""
    for name in _COMPONENTS:
        for key, part in mapping(at(manifest, f"spec.{name}")).items():
            uri = text(mapping(part).get("storageUri"))
            if not (found := _PROTOCOL.search(uri)) or _fetched(uri, given):
                continue
            said = f"no storage initializer fetches {found[0]}: KServe's controller refuses the model"
            severity: Severity | None = None if given.sure else "warning"
            yield Fault(f"spec.{name}.{key}.storageUri", said, nearest(found[1], _PROTOCOLS), severity)


def _fetched(uri: str, given: StorageFormats) -> bool:
    return uri.startswith((*given.prefixes, *(f"{each}://" for each in _PROTOCOLS))) or any(
        _matches(each, uri) for each in given.expressions
    )


def _matches(expression: str, uri: str) -> bool:
    try:
        return re.search(expression, uri) is not None
    except re.error:  # one of Go's, which Python reads otherwise
        return True
