"""What trials may be: the kinds that Katib knows, as far as the stack serves them, and those that a stack adds.

Katib looks at start which of them exist and never again, so its configuration follows from the stack: a kind that comes
later changes its configuration, and that restarts it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from platform_def.components.tuning.katib.config import FurtherTrialKind
from platform_def.components.tuning.katib.releases import TrialKind
from platform_def.constructs import ConfigError, Platform, Problem
from platform_def.crds.catalogue import definition_of
from platform_def.crds.core.kinds import CORE_KINDS
from platform_def.jobs.kubeflow.mpi_over_ssh import over_ssh

if TYPE_CHECKING:
    from platform_def.components.tuning.katib.config import AnyKatib

STANDING = {"replicasets": "ReplicaSet", "statefulsets": "StatefulSet", "daemonsets": "DaemonSet"}
"""Plurals and kinds of core workloads whose pods are no trials, unless a stack runs trials by them."""


def kinds(component: AnyKatib) -> tuple[TrialKind, ...]:
    """What trials may be in this stack."""
    served = (_as_served(each, component.platform) for each in component.release.trial_kinds)
    known = tuple(each for each in served if _is_there(each, component.platform))
    return (*known, *map(trial_kind, component.config.trial_kinds))


def trial_kind(chosen: FurtherTrialKind) -> TrialKind:
    """A kind that a stack adds; ConfigError where its plural is unknown."""
    kind, version, group = chosen.kind.split(".", 2)
    between = tuple((group, plural) for plural, _, group in (each.partition(".") for each in chosen.between))
    plural = chosen.plural or _plural(kind, version, group)
    if plural is None:
        raise ConfigError(
            f"trialKinds: the plural of {chosen.kind} is not known", hint="write `plural:` beside `kind:`"
        )
    return TrialKind(kind=kind, version=version, group=group, plural=plural, between=between)


def problems(chosen: Sequence[FurtherTrialKind], platform: Platform, who: str) -> Iterator[Problem]:
    """Kinds that the stack does not serve: Katib silently ignores them."""
    for index, each in enumerate(chosen):
        if not _is_there(trial_kind(each), platform):
            kind, _, group = each.kind.split(".", 2)
            text = f"components.{who}.trialKinds: the stack serves no {kind}.{group}"
            hint = f"add who serves it, or name a folder of yours that does: `serves: [{kind}.{group}]`"
            yield Problem(text, hint=hint, at=("components", who, "trialKinds", index))


def excluded_owners(found: Sequence[TrialKind]) -> list[str]:
    """Kinds whose pods are never a trial's, so that Katib need not be asked about them."""
    used = {each.plural for each in found} | {plural for each in found for _, plural in each.between}
    return [kind for plural, kind in STANDING.items() if plural not in used]


def _as_served(kind: TrialKind, platform: Platform) -> TrialKind:
    """The kind by the version that the stack serves: jobs of the MPI operator are of another than v1."""
    return replace(kind, version="v2beta1") if kind.kind == "MPIJob" and over_ssh(platform) else kind


def _is_there(kind: TrialKind, platform: Platform) -> bool:
    core = (f"{kind.group}/{kind.version}", kind.kind) in CORE_KINDS
    return core or platform.serves(kind.full_name)


def _plural(kind: str, version: str, group: str) -> str | None:
    core = CORE_KINDS.get((f"{group}/{version}", kind))
    if core:
        return core.plural
    found = definition_of(group, kind)
    return found.api.plural if found else None
