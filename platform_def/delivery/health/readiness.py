"""When the objects of a stack are ready, where the engines do not know it or know it wrongly: for Argo CD in Lua, for
Flux in CEL, both from one declaration (`Api.health`, or one of the three rules below)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from platform_def.config.platform import Platform
from platform_def.config.storage import ExistingStorage
from platform_def.crds.health import AnyHealth
from platform_def.delivery.health import cel, lua
from platform_def.delivery.health.declared import kinds_with_health
from platform_def.manifests.rendered import RenderedObject, RenderedStack

HealthOf = Callable[[str, str], AnyHealth | None]
"""What the API types declare for (API group, kind)."""

_WEBHOOKS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
_ADMISSION = "admissionregistration.k8s.io"


@dataclass(frozen=True)
class Readiness:
    """When an object of a kind is ready, in both languages."""

    api_version: str
    kind: str
    lua: str
    """Body of a function of `obj` that returns `{status, message}`."""
    current: str
    """CEL: the object is ready."""
    failed: str = ""
    """CEL: the object will not become ready."""

    @property
    def group(self) -> str:
        """API group; empty for core."""
        return self.api_version.rpartition("/")[0]


def readiness(objects: Iterable[RenderedObject], stack: RenderedStack, health_of: HealthOf) -> tuple[Readiness, ...]:
    """The rules for the kinds among the objects, one a kind, sorted by group and kind."""
    kinds: dict[tuple[str, str], list[RenderedObject]] = {}
    for item in objects:
        kinds.setdefault((item.group, item.kind), []).append(item)
    found = (_rule(items, stack, health_of) for _, items in sorted(kinds.items()))
    return tuple(rule for rule in found if rule is not None)


def foreseen(stack: RenderedStack) -> dict[tuple[str, str], str]:
    """Lua for every kind that a stack may bring later, by group and kind."""
    core = {
        ("apps", "DaemonSet"): lua.DAEMON_SET,
        ("", "PersistentVolumeClaim"): lua.claims(sorted(_bound_at_once(stack))),
    }
    webhooks = {(_ADMISSION, kind): lua.WEBHOOKS for kind in _WEBHOOKS}
    return {**core, **webhooks, **{(group, kind): lua.judged(health) for group, kind, health in kinds_with_health()}}


def _rule(items: list[RenderedObject], stack: RenderedStack, health_of: HealthOf) -> Readiness | None:
    """The rule for objects of one kind."""
    one = items[0]
    if one.group == _ADMISSION and one.kind in _WEBHOOKS:
        # CEL has no name for a field that is absent at the top of an object.
        served = all(item.manifest.get("webhooks") for item in items)
        return Readiness(one.api_version, one.kind, lua.WEBHOOKS, cel.WEBHOOKS) if served else None
    if (one.group, one.kind) == ("apps", "DaemonSet"):
        return Readiness(one.api_version, one.kind, lua.DAEMON_SET, cel.DAEMON_SET)
    if (one.group, one.kind) == ("", "PersistentVolumeClaim"):
        immediate = sorted(_bound_at_once(stack))
        return Readiness(one.api_version, one.kind, lua.claims(immediate), cel.claims(immediate), cel.CLAIM_FAILED)
    health = health_of(one.group, one.kind)
    if health is None:
        return None
    return Readiness(one.api_version, one.kind, lua.judged(health), cel.current(health), cel.failed(health))


def _bound_at_once(stack: RenderedStack) -> Iterator[str]:
    """Storage classes whose claims need no pod to be bound: the only ones that an engine may wait for."""
    yield from _declared(stack.platform)
    for component in stack.components.values():
        for item in component.objects:
            immediate = item.manifest.get("volumeBindingMode", "Immediate") == "Immediate"
            if (item.group, item.kind) == ("storage.k8s.io", "StorageClass") and immediate:
                yield item.name


def _declared(platform: Platform) -> Iterator[str]:
    for name, storage in platform.storage.items():
        if isinstance(storage, ExistingStorage) and storage.binding == "Immediate":
            yield storage.class_name or name
