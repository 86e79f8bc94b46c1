"""Finds what the API types declare about a kind's health, importing only the modules of the groups in a stack."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from platform_def.apis.health import Health
from platform_def.apis.model import Api

MODULES: Mapping[str, tuple[str, ...]] = {
    "kubeflow.org": ("kubeflow_v1", "kubeflow_v1_release_1_7"),
}
"""Modules of `platform_def.apis` by API group; where two know a kind, the first counts."""


def declared_health(group: str, kind: str) -> Health | None:
    """The health of a kind; None for kinds that are ready when they exist, and for those that nobody here knows."""
    return _declared(group).get(kind)


@cache
def _declared(group: str) -> Mapping[str, Health]:
    found: dict[str, Health] = {}
    for name in MODULES.get(group, ()):
        for value in vars(import_module(f"platform_def.apis.{name}")).values():
            if isinstance(value, Api) and value.group == group and value.health is not None:
                found.setdefault(value.kind, value.health)
    return found
