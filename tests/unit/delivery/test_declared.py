"""Health that API types declare."""

from __future__ import annotations

from importlib import import_module
from pkgutil import walk_packages

import platform_def.apis
from platform_def.crds.model import Api
from platform_def.delivery.health.declared import declared_health


def test_every_declared_health_is_found() -> None:
    modules = [import_module(item.name) for item in walk_packages(platform_def.apis.__path__, "platform_def.apis.")]
    apis = [value for module in modules for value in vars(module).values() if isinstance(value, Api) and value.health]

    missing = {f"{api.group}/{api.kind}" for api in apis if declared_health(api.group, api.kind) is None}

    assert missing == set()


def test_a_kind_that_nobody_knows_has_no_health() -> None:
    assert declared_health("example.com", "Thing") is None
