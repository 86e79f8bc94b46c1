"""No CRD outgrows the annotation into which client-side apply copies it, where it may be applied so.

Argo CD and Flux apply server-side here, and the CRDs of the catalogue cannot be made smaller.
"""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import ObjectRule
from platform_def.manifests.index import CRD
from platform_def.manifests.rendered import Manifest, RenderedObject

LIMIT_BYTES = 256 * 1024


def _may_be_applied_client_side(context: Context, item: RenderedObject) -> bool:
    return context.stack.platform.delivery == "none" and context.is_users_own(item)


def _check(manifest: Manifest, client_side: bool) -> Iterator[Fault]:
    if not client_side:
        return
    try:
        size = len(orjson.dumps(manifest))
    except TypeError:
        return  # a number that no server reads: the schema rule's to report
    if size > LIMIT_BYTES:
        yield Fault("", f"{size:,} bytes as JSON, more than the {LIMIT_BYTES:,} that client-side apply can take")


CRD_SIZE = ObjectRule(
    id="crd-size",
    severity="warning",
    title="Every CRD fits into the last-applied annotation",
    why="`kubectl apply` without --server-side, and tools that do the same, refuse it.",
    fix="leave out descriptions, or apply it server-side only",
    reads=_may_be_applied_client_side,
    check=_check,
    kinds=frozenset({CRD}),
)
