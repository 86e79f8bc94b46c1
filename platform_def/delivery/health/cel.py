"""Health in Flux's CEL: boolean expressions over the object's own top-level fields.

Flux itself takes an object for in progress while `status.observedGeneration` is behind; the rest is said here. An
expression that fails, as before there is a status, counts as "not yet".
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from platform_def.crds.health import AnyHealth, FinalizerHealth, HealthConditions, StateHealth, Value

WEBHOOKS = (
    "webhooks.all(w, !has(w.clientConfig.service) || (has(w.clientConfig.caBundle) && w.clientConfig.caBundle != ''))"
)
"""A webhook behind a Service can't be called before the CA of its certificate is injected."""

DAEMON_SET = (
    "has(status.observedGeneration) && status.observedGeneration == metadata.generation && "
    "(status.desiredNumberScheduled == 0 || (has(status.numberAvailable) && status.numberAvailable > 0 && "
    "(spec.updateStrategy.type == 'OnDelete' || "
    "(has(status.updatedNumberScheduled) && status.updatedNumberScheduled > 0))))"
)
"""A DaemonSet works where one of its pods does: one broken node delays nothing."""

CLAIM_FAILED = "status.phase == 'Lost'"


def claims(immediate: Iterable[str]) -> str:
    """A claim is ready when it is bound, or pending in a class that binds only when the first pod needs it."""
    names = ", ".join(map(_quoted, immediate))
    return (
        "status.phase == 'Bound' || (status.phase == 'Pending' && "
        f"!(has(spec.storageClassName) && spec.storageClassName in [{names}]))"
    )


def current(health: AnyHealth) -> str:
    """When the object is ready; a suspended one is, for nothing more will happen to it."""
    if isinstance(health, FinalizerHealth):
        return (
            "!has(metadata.deletionTimestamp) && has(metadata.finalizers) && "
            f"{_quoted(health.name)} in metadata.finalizers"
        )
    if isinstance(health, StateHealth):
        return _among(health.path, (*health.ready, *health.suspended))
    if not health.ready:
        return "true"
    ready = " && ".join(_holds(name, "True", health) for name in health.ready)
    suspended = [_holds(name, "True", health) for name in health.suspended]
    return _read([f"({ready})", *suspended] if suspended else [ready])


def failed(health: AnyHealth) -> str:
    """When the object will not become ready; empty where nothing says so.

    Also empty where nothing makes it ready: such an object may never have a status, on which the expression would fail.
    """
    if isinstance(health, FinalizerHealth):
        return ""
    if isinstance(health, StateHealth):
        return _among(health.path, health.failed) if health.failed else ""
    found = [_holds(name, "True", health) for name in health.failed]
    found += [_holds(name, "False", health) for name in health.false_is_failed]
    return _read(found) if found and health.ready else ""


def _among(path: str, values: Iterable[Value]) -> str:
    steps = path.split(".")
    there = " && ".join(f"has({'.'.join(steps[:end])})" for end in range(2, len(steps) + 1))
    return f"{there} && {path} in [{', '.join(_literal(value) for value in values)}]"


def _literal(value: Value) -> str:
    return _quoted(value) if isinstance(value, str) else json.dumps(value)


def _read(alternatives: list[str]) -> str:
    together = " || ".join(alternatives)
    return (
        f"has(status.conditions) && ({together})" if len(alternatives) > 1 else f"has(status.conditions) && {together}"
    )


def _holds(name: str, status: str, health: HealthConditions) -> str:
    seen = " && (!has(c.observedGeneration) || c.observedGeneration == metadata.generation)"
    matches = f"c.type == {_quoted(name)} && c.status == '{status}'{seen if health.generation else ''}"
    return f"status.conditions.exists(c, {matches})"


def _quoted(text: str) -> str:
    """Condition types and class names hold neither quotes nor backslashes."""
    return f"'{text}'"
