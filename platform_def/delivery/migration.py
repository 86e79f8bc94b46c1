"""What a person does when a stack changes its engine: the previous one must let go before it sees the change.

Both engines take the loss of their own objects in `_delivery/` for an order to delete what these brought.
"""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.config.words.registered import engines
from platform_def.delivery.gates import MARKER
from platform_def.delivery.target import BOOTSTRAP, MANAGED, ROOT

_MINE = ",".join(f"{key}={value}" for key, value in MANAGED.items())
_FIRST = ",".join(f"{key}={value}" for key, value in BOOTSTRAP.items())
_MARKERS = ",".join(f"{key}={value}" for key, value in MARKER.items())
_POLICIES = "{0}admissionpolicybindings,{0}admissionpolicies"
_KINDS = {"argocd": "applications.argoproj.io", "flux": "kustomizations.kustomize.toolkit.fluxcd.io"}


def migration(stack: str, before: str, after: str, *, namespace: str, mutates: bool, gated: bool) -> Iterator[str]:
    """The steps, a line each; `before` and `after` are engines, `namespace` is that of the previous engine's objects,
    `mutates` says whether it has policies that change objects, which not every cluster knows, `gated` whether parts
    have markers."""
    yield f"{stack}: delivery moves from {_title(before)} to {_title(after)}"
    if before != "none":
        yield f"  Before this reaches the branch that {_title(before)} reads, or it deletes what it has brought:"
        yield from (f"    {command}" for command in letting_go(before, namespace, mutates=mutates, gated=gated))
        yield "  Then commit it; everything stays as it is in the cluster."
    if after != "none":
        yield f"  After that: platformctl bootstrap {stack}"
    else:
        yield "  From then on no engine applies dist/, and none removes what leaves it."


def letting_go(engine: str, namespace: str, *, mutates: bool, gated: bool) -> Iterator[str]:
    """Commands after which an engine no longer knows what it has brought, and all of that is still there."""
    kubectl, kind = f"kubectl -n {namespace}", _KINDS[engine]
    every = f"{kubectl} get {kind} -l {_MINE} -o name | xargs -I% {kubectl} patch % --type=merge -p"
    if engine == "argocd":
        # The root has no finalizer: only the root goes, and nothing puts it back.
        yield f"{kubectl} delete {kind} {ROOT}"
        yield f"""{every} '{{"metadata":{{"finalizers":null}}}}'"""
    else:
        # A suspended root puts nothing back; what is orphaned is not deleted with its Kustomization.
        yield f"""{kubectl} patch {kind} {ROOT} --type=merge -p '{{"spec":{{"suspend":true}}}}'"""
        yield f"""{every} '{{"spec":{{"suspend":true,"deletionPolicy":"Orphan"}}}}'"""
    yield f"{kubectl} delete {kind} -l {_MINE}"
    policies = [_POLICIES.format(what) for what in ("validating", *(["mutating"] if mutates else []))]
    yield f"kubectl delete {','.join(policies)} -l {_FIRST}"
    if gated:
        yield f"{kubectl} delete configmaps -l {_MARKERS}"


def _title(engine: str) -> str:
    return engines()[engine].title if engine in engines() else "no engine"
