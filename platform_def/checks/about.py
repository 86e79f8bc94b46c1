"""What a check says of itself to people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from platform_def.checks.fault import Severity

WithoutStack = Literal["as in a stack", "as a warning", "not at all", "with --existing"]
"""`as a warning`: a cluster would take the object; `not at all`: the rule asks for what only a stack file says."""


@dataclass(frozen=True, kw_only=True)
class About:
    """What users read about a check; everything that reports findings has one."""

    id: str
    """Its name in findings, waivers and the reference; it stays."""
    severity: Severity
    title: str
    """The rule as a fact that holds, in one line."""
    why: str
    """What happens in a cluster otherwise."""
    fix: str
    """What a user does about it: the hint of findings that have none of their own."""
    since: str = "0.1.0"
    """The version of this tool that brought it."""
    waivable: bool = True
    """Whether a stack may let its findings pass; not where the tool itself promises what the rule holds."""
    without_stack: WithoutStack = "as in a stack"
    """How manifests without a stack file are held to it."""
