"""The line that follows a long run."""

from __future__ import annotations

import sys

import pytest

from platform_def.cli.progress import Ticker
from platform_def.pipeline.build.stacks import Progress


@pytest.mark.parametrize(
    ("seconds", "done", "said"),
    [
        (2.0, 10, "(0 cached)  one/kueue"),
        (10.0, 50, ", 10 s left"),
        (10.0, 2, ", 8 min left"),
        (10.0, 100, ", 0 s left"),
    ],
)
def test_a_long_run_says_how_long_it_still_takes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], seconds: float, done: int, said: str
) -> None:
    now = [100.0]
    monkeypatch.setattr("platform_def.cli.progress.time.monotonic", lambda: now[0])
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    ticker = Ticker()
    now[0] += seconds

    ticker(Progress("one/kueue", done, 100, cached=False))

    assert said in capsys.readouterr().err
