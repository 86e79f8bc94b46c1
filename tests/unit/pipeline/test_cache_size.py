"""The cache stays within its limit: the oldest results go, and only now and then is it looked at."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from platform_def.pipeline import cache as module
from platform_def.pipeline.cache import Cache


@pytest.fixture
def filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cache:
    """Ten results of about 1000 bytes, each a second younger than the one before, where there is room for five."""
    monkeypatch.setattr(module, "LARGEST_BYTES", 5600)
    made = Cache(tmp_path, "code")
    for number in range(10):
        key = made.key(number)
        made.put(key, {"x": "x" * 1000})
        os.utime(tmp_path / key[:2] / key, (number + 1, number + 1))
    return made


def kept(folder: Path) -> list[int]:
    fresh = Cache(folder, "code")
    return [number for number in range(10) if fresh.get(fresh.key(number)) is not None]


def test_the_oldest_results_go_when_there_are_too_many(filled: Cache, tmp_path: Path) -> None:
    filled.tidy()

    assert kept(tmp_path) == [5, 6, 7, 8, 9]


def test_a_cache_that_was_tidied_today_is_left_alone(filled: Cache, tmp_path: Path) -> None:
    (tmp_path / "tidied").touch()
    filled.tidy()

    assert kept(tmp_path) == list(range(10))
