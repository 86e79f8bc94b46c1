"""The job templates, by name, as import strings; packages add theirs by the entry point group `platform_def.jobs`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from platform_def.jobs.template import Job

GROUP = "platform_def.jobs"

BUILT_IN: Mapping[str, str] = {
    "insightface": "platform_def.jobs.insightface:InsightFace",
    "pytorch-ddp": "platform_def.jobs.pytorch_ddp:PyTorchDdp",
}


@lru_cache(maxsize=1)
def templates() -> Mapping[str, str]:
    """Import string by name; the project's own come before those of packages."""
    external = {point.name: point.value for point in entry_points(group=GROUP)}
    return dict(sorted((external | dict(BUILT_IN)).items()))


@cache
def template(name: str) -> type[Job[Any]]:
    """The class of a template."""
    module, _, attribute = templates()[name].partition(":")
    found: type[Job[Any]] = getattr(import_module(module), attribute)
    return found
