"""Expressions in Kubernetes' own kinds compile: those of admission policies, webhooks and selectors of devices."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import ObjectRule, OfKind
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import Kind, Manifest

_KINDS = frozenset(
    {
        *("ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"),
        *("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"),
        *("DeviceClass", "ResourceClaim", "ResourceClaimTemplate"),
    }
)


def _reads(context: Context, _: Kind) -> int:
    """The minor version of Kubernetes."""
    return int(context.stack.platform.kubernetes.partition(".")[2])


def _check(manifest: Manifest, minor: int) -> Iterator[Fault]:
    if not str(manifest.get("apiVersion")).startswith(("admissionregistration.k8s.io/", "resource.k8s.io/")):
        return
    if not _speaks(manifest):
        return
    from platform_def.manifests.cel.policies import policy_problems

    for problem in policy_problems(manifest, minor):
        yield Fault(dotted(problem.path), problem.text, "")


def _speaks(value: object) -> bool:
    """Whether there is any expression: without one, the language is not loaded."""
    if isinstance(value, dict):
        return any(key.endswith("xpression") or _speaks(inner) for key, inner in value.items())
    return isinstance(value, list) and any(map(_speaks, value))


EXPRESSION_VALID = ObjectRule(
    id="expression-valid",
    severity="error",
    title="Expressions of policies, webhooks and device selectors compile",
    why="The API server refuses the object: an unknown name, a wrong type or a syntax error stops the sync.",
    fix="write what the error names otherwise",
    reads=OfKind(_reads),
    check=_check,
    kinds=_KINDS,
    lasting=True,
)
"""Kinds are named here, and not taken from where they are compiled, because that loads the language."""
