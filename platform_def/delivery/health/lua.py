"""Health in Argo CD's Lua: each text is the body of a function of `obj` that returns `{status, message}`.

Only the base and table libraries exist there: no string functions.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from textwrap import indent

from platform_def.crds.health import AnyHealth, FinalizerHealth, HealthConditions, StateHealth

WEBHOOKS = """\
for _, webhook in ipairs(obj.webhooks or {}) do
  local client = webhook.clientConfig or {}
  if client.service ~= nil and (client.caBundle == nil or client.caBundle == "") then
    return {status = "Progressing", message = webhook.name .. " waits for its CA"}
  end
end
return {status = "Healthy"}
"""
"""A webhook behind a Service can't be called before the CA of its certificate is injected."""

DEFINITION = """\
if obj.metadata.deletionTimestamp ~= nil then
  return {status = "Progressing", message = "is being deleted"}
end
for _, condition in ipairs((obj.status or {}).conditions or {}) do
  if condition.type == "NamesAccepted" and condition.status == "False" then
    return {status = "Degraded", message = condition.message or "its names are taken"}
  end
  if condition.type == "Established" and condition.status == "True" then
    return {status = "Healthy"}
  end
end
return {status = "Progressing", message = "waits to be established"}
"""
"""Argo CD's own rule calls a definition failed that is not served yet, as every one is for a moment."""

DAEMON_SET = """\
local status = obj.status or {}
if status.observedGeneration ~= obj.metadata.generation then
  return {status = "Progressing", message = "its controller has not seen the last change"}
end
local wanted = status.desiredNumberScheduled or 0
local available = status.numberAvailable or 0
local updated = status.updatedNumberScheduled or 0
if ((obj.spec or {}).updateStrategy or {}).type == "OnDelete" then
  updated = wanted
end
local message = available .. " of " .. wanted .. " pods are available, " .. updated .. " up to date"
if wanted == 0 or (available > 0 and updated > 0) then
  return {status = "Healthy", message = message}
end
return {status = "Progressing", message = message}
"""
"""One broken node is for a person to repair. It is reported, and delays nothing."""


def claims(immediate: Iterable[str]) -> str:
    """Health of PersistentVolumeClaims: a pending one is waited for only where its class binds at once."""
    names = ", ".join(f"[{_quoted(name)}] = true" for name in immediate)
    return (
        f"local immediate = {{{names}}}\n"
        "local phase = (obj.status or {}).phase\n"
        'if phase == "Bound" then\n'
        '  return {status = "Healthy"}\n'
        "end\n"
        'if phase == "Lost" then\n'
        '  return {status = "Degraded", message = "its volume is lost"}\n'
        "end\n"
        'if phase == "Pending" and not immediate[obj.spec.storageClassName or ""] then\n'
        '  return {status = "Healthy", message = "bound when the first pod needs it"}\n'
        "end\n"
        'return {status = "Progressing", message = "waits for a volume"}\n'
    )


def judged(health: AnyHealth) -> str:
    """Health as a kind's type declares it."""
    if isinstance(health, FinalizerHealth):
        return _finalizer(health)
    return _state(health) if isinstance(health, StateHealth) else _conditions(health)


def _finalizer(health: FinalizerHealth) -> str:
    return (
        "if obj.metadata.deletionTimestamp ~= nil then\n"
        '  return {status = "Progressing", message = "is being deleted"}\n'
        "end\n"
        f"local wanted = {_quoted(health.name)}\n"
        "for _, name in ipairs(obj.metadata.finalizers or {}) do\n"
        "  if name == wanted then\n"
        '    return {status = "Healthy"}\n'
        "  end\n"
        "end\n"
        'local message = "waits for " .. wanted .. ", which its controller adds last; see its log"\n'
        'return {status = "Progressing", message = message}\n'
    )


def _state(health: StateHealth) -> str:
    steps = ", ".join(map(_quoted, health.path.split(".")))
    chosen = (("Healthy", health.ready), ("Degraded", health.failed), ("Suspended", health.suspended))
    known = ", ".join(f"[{json.dumps(value)}] = {_quoted(status)}" for status, values in chosen for value in values)
    return (
        "local value = obj\n"
        f"for _, step in ipairs({{{steps}}}) do\n"
        '  if type(value) == "table" then\n'
        "    value = value[step]\n"
        "  else\n"
        "    value = nil\n"
        "  end\n"
        "end\n"
        f"local known = {{{known}}}\n"
        f'local message = {_quoted(health.path)} .. " is " .. tostring(value)\n'
        'return {status = value ~= nil and known[value] or "Progressing", message = message}\n'
    )


def _conditions(health: HealthConditions) -> str:
    degraded = '{status = "Degraded", message = name .. ": " .. %s[name]}'
    suspended = '{status = "Suspended", message = name .. ": " .. yes[name]}'
    waiting = '{status = "Progressing", message = "waits for " .. name}'
    return (
        (_READ_CURRENT if health.generation else _READ)
        + _each(health.failed, "yes[name]", degraded % "yes")
        + _each(health.false_is_failed, "no[name]", degraded % "no")
        + _each(health.suspended, "yes[name]", suspended)
        + _each(health.ready, "not yes[name]", waiting)
        + 'return {status = "Healthy"}\n'
    )


_TAKE = """\
  if condition.status == "True" then
    yes[condition.type] = condition.message or ""
  elseif condition.status == "False" then
    no[condition.type] = condition.message or ""
  end
"""

_READ = f"""\
local yes, no = {{}}, {{}}
for _, condition in ipairs((obj.status or {{}}).conditions or {{}}) do
{_TAKE}end
"""

_READ_CURRENT = f"""\
local status = obj.status or {{}}
local generation = obj.metadata.generation
if status.observedGeneration ~= nil and status.observedGeneration ~= generation then
  return {{status = "Progressing", message = "its controller has not seen the last change"}}
end
local yes, no = {{}}, {{}}
for _, condition in ipairs(status.conditions or {{}}) do
  if condition.observedGeneration == nil or condition.observedGeneration == generation then
{indent(_TAKE, "  ")}  end
end
"""


def _each(names: tuple[str, ...], when: str, result: str) -> str:
    if not names:
        return ""
    listed = ", ".join(map(_quoted, names))
    return f"for _, name in ipairs({{{listed}}}) do\n  if {when} then\n    return {result}\n  end\nend\n"


def _quoted(text: str) -> str:
    """Condition types and class names are plain ASCII, where JSON and Lua write strings alike."""
    return json.dumps(text)
