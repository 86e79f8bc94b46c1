"""What Argo CD and Flux make of an object by a rule: the rule is run, in Lua and in CEL."""

from __future__ import annotations

from typing import Any

import cel
from lupa.lua51 import LuaRuntime

from platform_def.manifests.rendered import Manifest


def argocd(rule: str, item: Manifest) -> tuple[str, str]:
    """Status and message; as in Argo CD there are no string functions."""
    lua = LuaRuntime(register_eval=False)
    lua.execute("string = nil; io = nil; os = nil")
    judge = lua.eval(f"function(obj) {rule} end")
    answer: dict[str, Any] = dict(judge(lua.table_from(item, recursive=True)))
    return answer["status"], answer.get("message", "")


def flux(item: Manifest, *, current: str, failed: str = "") -> str:
    """`Failed`, `Current` or `InProgress`; an expression that fails says nothing yet."""
    if failed and holds(failed, item):
        return "Failed"
    return "Current" if holds(current, item) else "InProgress"


def holds(expression: str, item: Manifest) -> bool:
    """Whether an expression over these variables holds; one that fails does not."""
    program = cel.compile(expression)
    try:
        return program.execute(item) is True
    except (RuntimeError, ValueError, TypeError, KeyError):
        return False
