"""What a caller may do: expressions may ask (`authorizer.group('').resource('pods').check('get')`), a cluster knows."""

from __future__ import annotations

from typing import Any, NoReturn

from platform_def.manifests.cel.functions.function import (
    AUTHORIZER,
    DECISION,
    GROUP_CHECK,
    PATH_CHECK,
    RESOURCE_CHECK,
    Function,
    UnjudgedError,
)


def _unknown(*_: Any) -> NoReturn:
    raise UnjudgedError("only a cluster knows what its users may do")


_SIGNATURES = (
    ("path", (AUTHORIZER, "string"), PATH_CHECK, 27),
    ("check", (PATH_CHECK, "string"), DECISION, 27),
    ("group", (AUTHORIZER, "string"), GROUP_CHECK, 27),
    ("serviceAccount", (AUTHORIZER, "string", "string"), AUTHORIZER, 27),
    ("resource", (GROUP_CHECK, "string"), RESOURCE_CHECK, 27),
    ("subresource", (RESOURCE_CHECK, "string"), RESOURCE_CHECK, 27),
    ("namespace", (RESOURCE_CHECK, "string"), RESOURCE_CHECK, 27),
    ("name", (RESOURCE_CHECK, "string"), RESOURCE_CHECK, 27),
    ("check", (RESOURCE_CHECK, "string"), DECISION, 27),
    ("fieldSelector", (RESOURCE_CHECK, "string"), RESOURCE_CHECK, 31),
    ("labelSelector", (RESOURCE_CHECK, "string"), RESOURCE_CHECK, 31),
    ("errored", (DECISION,), "bool", 28),
    ("error", (DECISION,), "string", 28),
    ("allowed", (DECISION,), "bool", 27),
    ("reason", (DECISION,), "string", 27),
)

PERMISSIONS: tuple[Function, ...] = tuple(
    Function(name, parameters, returns, _unknown, since) for name, parameters, returns, since in _SIGNATURES
)
