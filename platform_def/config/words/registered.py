"""What the components have registered, from `index.json`: `make docs` gathers it, and a test fails when it lags."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from platform_def.config.words.kinds import BalancerWord, DriverWord, EngineWord, LayerWord, SchedulerWord

FILE = Path(__file__).with_name("index.json")


@cache
def _read() -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(FILE.read_bytes())
    return found


@cache
def balancers() -> Mapping[str, BalancerWord]:
    """Programs with pools of addresses, by the word for them."""
    return {row["word"]: BalancerWord(**row) for row in _read()["balancers"]}


@cache
def layers() -> Mapping[str, LayerWord]:
    """Programs that divide cards, by the word for them."""
    return {row["word"]: LayerWord(**{**row, "percent": tuple(row["percent"])}) for row in _read()["layers"]}


def default_layer() -> str:
    """The layer of a pool that names none."""
    return next(word for word, layer in layers().items() if layer.default)


@cache
def schedulers() -> Mapping[str, SchedulerWord]:
    """Schedulers, by the name that pods ask for."""
    return {row["word"]: SchedulerWord(**row) for row in _read()["schedulers"]}


@cache
def gang_schedulers() -> Mapping[str, str]:
    """The name that pods ask for, by the implementation that starts gangs."""
    return {each.gangs: each.word for each in schedulers().values() if each.gangs}


@cache
def engines() -> Mapping[str, EngineWord]:
    """Delivery engines, by the word for them."""
    rows = ({**row, "proven": tuple(row["proven"]), "flags": tuple(row["flags"])} for row in _read()["engines"])
    return {row["word"]: EngineWord(**row) for row in rows}


@cache
def drivers() -> Mapping[str, DriverWord]:
    """Drivers of volumes, by the word for them."""
    return {row["word"]: DriverWord(**row) for row in _read()["drivers"]}


def notes(model: str, name: str) -> tuple[str, ...]:
    """What components say of a field of stack files."""
    return tuple(_read()["notes"].get(f"{model}.{name}", {}).values())
