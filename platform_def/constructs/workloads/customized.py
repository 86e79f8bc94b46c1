"""Pods that a controller makes from its settings, as the stack wants them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from platform_def.apis.core.core_v1 import Container, PersistentVolumeClaimSpec
from platform_def.constructs.component import AnyComponent
from platform_def.constructs.knobs import changed
from platform_def.constructs.workloads.chosen import chosen_for
from platform_def.constructs.workloads.claims import Claim, claim_spec


def customized(
    component: AnyComponent,
    role: str,
    container: Container,
    *,
    takes: Sequence[str] = ("resources",),
    claim: Claim | None = None,
) -> tuple[Container, PersistentVolumeClaimSpec | None]:
    """The only container of pods that a controller makes from its settings, as the stack wants it, and its claim.

    `role` is what stacks call these pods; `takes` is what the controller has a place for: resources, env, flags.
    """
    entry = component.roles.add(role)
    entry.containers.add(container["name"])
    entry.takes = frozenset((*takes, "volumes") if claim else takes)
    chosen = chosen_for(component, role)
    where = f"components.{component.name}.workloads.{role}.containers.{container['name']}"
    made = changed(container, chosen.containers.get(container["name"]) if chosen else None, where)
    if "image" in made:
        made = cast(Container, {**made, "image": component.image(made["image"])})
    if claim is None:
        return made, None
    entry.volumes.add(claim.name)
    return made, claim_spec(component, claim, chosen)
