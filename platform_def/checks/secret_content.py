"""No Secret carries its content: what is in Git is known to everybody who ever reads it."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.fault import Fault
from platform_def.checks.rule import ObjectRule, reads_nothing
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import Manifest

_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def _check(manifest: Manifest, _: None) -> Iterator[Fault]:
    for field in ("data", "stringData"):
        values = manifest.get(field)
        for key, value in sorted(values.items()) if isinstance(values, dict) else ():
            if value:
                yield Fault(dotted((field, key)), "the Secret carries its content")
    metadata = manifest.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    if isinstance(annotations, dict) and _LAST_APPLIED in annotations:
        yield Fault(dotted(("metadata", "annotations", _LAST_APPLIED)), "the annotation repeats the Secret's content")


SECRET_CONTENT = ObjectRule(
    id="secret-content",
    severity="error",
    title="No Secret carries its content",
    why="A credential in Git stays readable in its history, to everybody who can clone the repository.",
    fix="make it in the cluster, or use External Secrets, Sealed Secrets or SOPS; then change the credential",
    reads=reads_nothing,
    check=_check,
    alone="as a warning",
    kinds=frozenset({"Secret"}),
)
