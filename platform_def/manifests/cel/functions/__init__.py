"""The functions that Kubernetes adds to CEL (k8s.io/apiserver/pkg/cel/library), each with the release that brought it.

Addresses, quantities and the like are values of types that only these functions know. Google's library has no way to
hold them, so between calls such a value is a map with one key, the type's name, and its canonical text.
"""

from __future__ import annotations

from platform_def.manifests.cel.functions.addresses import ADDRESSES
from platform_def.manifests.cel.functions.amounts import AMOUNTS
from platform_def.manifests.cel.functions.function import Function
from platform_def.manifests.cel.functions.named_formats import FORMATS
from platform_def.manifests.cel.functions.permissions import PERMISSIONS
from platform_def.manifests.cel.functions.sequences import SEQUENCES
from platform_def.manifests.cel.functions.urls import URLS
from platform_def.manifests.cel.functions.versions import VERSIONS

FUNCTIONS: tuple[Function, ...] = (
    *SEQUENCES,
    *URLS,
    *AMOUNTS,
    *ADDRESSES,
    *FORMATS,
    *VERSIONS,
    *PERMISSIONS,
)

__all__ = ["FUNCTIONS", "Function"]
