"""No Secret carries its content: what is in Git is known to everybody who ever reads it."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import ObjectRule
from platform_def.manifests.ciphertext import encrypted
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import Manifest, RenderedObject

_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def _opens(context: Context, _: RenderedObject) -> str:
    """Who applies the Secret; what is not of a stack may be applied by anybody."""
    return "flux" if context.stack.foreign else context.stack.platform.delivery


def _check(manifest: Manifest, engine: str) -> Iterator[Fault]:
    closed = encrypted(manifest)
    if closed and engine != "flux":
        who = "Argo CD applies it as it is" if engine == "argocd" else "no engine decrypts it"
        hint = "use External Secrets or Sealed Secrets, or have Flux deliver: `delivery: {engine: flux}`"
        yield Fault("sops", f"the Secret is encrypted by SOPS, and {who}: programs would read the ciphertext", hint)
    for field in () if closed else ("data", "stringData"):
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
    why="A credential in Git stays readable in its history, to everyone who can clone the repository.",
    fix="make it in the cluster, or use External Secrets, Sealed Secrets or SOPS; then change the credential",
    reads=_opens,
    check=_check,
    without_stack="as a warning",
    waivable=False,
    kinds=frozenset({"Secret"}),
)
