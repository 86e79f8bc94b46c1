"""What holds for all tests: none depends on how fast the machine is."""

from __future__ import annotations

import gc
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, settings

from tests.memory import in_memory

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "100"))
"""How many examples a property test takes that names no number of its own; `make fuzz` takes more."""
settings.register_profile(
    "any machine", deadline=None, max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")

gc.disable()  # until all modules of tests are there: see below


def pytest_collection_finish() -> None:
    """Modules, tests and the catalogue are hundreds of thousands of objects that live to the end.

    Python would look through them again and again: that was a third of what the tests computed.
    Rarer still, it would look for what has become unused too late: a gigabyte more in one process.
    """
    gc.freeze()
    gc.set_threshold(5_000, 10, 10)
    gc.enable()


@pytest.fixture
def fast_folder() -> Iterator[Path]:
    """In memory where there is such a place: ext4 is slow to make what was removed just before."""
    with TemporaryDirectory(dir=in_memory()) as folder:
        yield Path(folder)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A tmpfs of 400 KiB, for root alone."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=400k", "none", folder], check=False, capture_output=True, text=True
    )
    if mounted.returncode:
        pytest.skip(f"can't mount a small disk here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", folder], check=True)
