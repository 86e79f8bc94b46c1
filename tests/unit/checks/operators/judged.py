"""Manifests as YAML, and what a rule says of them."""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent
from typing import cast

from platform_def.checks.context import Memo
from platform_def.checks.rule import Finding, Rule
from platform_def.manifests.rendered import Manifest
from platform_def.yaml import load_all
from tests.unit.checks.samples import found, rendered

MEMO = Memo()


def findings(rule: Rule, written: str) -> list[Finding]:
    """What a rule finds in manifests that no stack made."""
    stack = rendered(*cast(list[Manifest], load_all(dedent(written))))
    return found(rule, replace(stack, foreign=True), memo=MEMO)


def told(rule: Rule, written: str) -> list[tuple[str, str, str]]:
    """Its findings as severity, path and text."""
    return [(each.severity, each.path, each.text) for each in findings(rule, written)]
