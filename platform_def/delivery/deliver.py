"""Adds the delivery engine's objects to an ordered stack; overlays never touch these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from platform_def.config.cluster import Delivery
from platform_def.config.words.registered import engines
from platform_def.delivery.argocd import argocd_objects, with_health_checks
from platform_def.delivery.deadlocks import DeadlocksOf, deadlocks
from platform_def.delivery.flux import flux_objects
from platform_def.delivery.health.declared import declared_health
from platform_def.delivery.health.readiness import HealthOf
from platform_def.delivery.markers import with_markers
from platform_def.delivery.origin import origin
from platform_def.delivery.target import Target, target
from platform_def.errors import ConfigError
from platform_def.manifests.rendered import DELIVERY, Manifest, RenderedObject, RenderedStack

COMPONENT = DELIVERY


def deliver(
    stack: RenderedStack,
    delivery: Delivery,
    synced_jobs: Mapping[str, str],
    *,
    recurring: frozenset[str] = frozenset(),
    health_of: HealthOf = declared_health,
    deadlocks_of: DeadlocksOf = deadlocks,
) -> RenderedStack:
    """The stack with `delivery` filled in: what leads back to it, and what the engine reads, where one is chosen.

    `stack.waves` is filled in already. `synced_jobs` maps the names of the jobs that the engine starts to their
    namespaces, and the stack keeps these names; of these jobs it changes and deletes the `recurring` ones with
    their files. An Argo CD of the stack's own gets the health checks of the stack's kinds into its ConfigMap. What
    the engine can't deliver (an address with a password, names too long) raises ConfigError.
    """
    if delivery.engine == "argocd":
        stack = with_health_checks(stack, delivery, health_of)
        stack = with_markers(stack, target(stack.name, delivery)) if delivery.order == "gates" else stack
    back = origin(stack.name, stack.platform.cluster, delivery)
    found = [back, *_read_by_engine(stack, delivery, synced_jobs, recurring, health_of, deadlocks_of)]
    made_by = f"delivery/{delivery.engine}"
    delivered = tuple(RenderedObject(item, COMPONENT, "main", made_by) for item in found)
    started = frozenset(synced_jobs) if delivery.engine != "none" else frozenset[str]()
    return replace(stack, delivery=delivered, synced_jobs=started)


def _read_by_engine(
    stack: RenderedStack,
    delivery: Delivery,
    synced_jobs: Mapping[str, str],
    recurring: frozenset[str],
    health_of: HealthOf,
    deadlocks_of: DeadlocksOf,
) -> Iterable[Manifest]:
    if delivery.engine == "none":
        return ()
    to = target(stack.name, delivery)
    _beside_the_engine(stack, to, engines()[delivery.engine].component)
    if delivery.engine == "argocd":
        return argocd_objects(
            stack,
            to,
            delivery,
            synced_jobs=synced_jobs,
            recurring=recurring,
            health_of=health_of,
            deadlocks_of=deadlocks_of,
        )
    return flux_objects(stack, to, delivery, synced_jobs=synced_jobs, recurring=recurring, health_of=health_of)


def _beside_the_engine(stack: RenderedStack, to: Target, engine: str) -> None:
    """An engine that the stack brings itself reads its objects in its own namespace."""
    own = stack.platform.component(engine)
    if own is not None and not own.provided and own.namespace != to.namespace:
        raise ConfigError(
            f"components.{engine} of the stack {stack.name} is in the namespace {own.namespace}, "
            f"and its objects are to be in {to.namespace}",
            hint=f"write `delivery: {{namespace: {own.namespace}}}`",
        )
