"""The script that loads a data set, run by a shell: whole files alone, checked, unpacked, and once."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.jobs.plain.dataset_load import SCRIPT
from tests.unit.jobs.platforms import configured, container, job, problems

WGET = """#!/bin/sh
echo "$4" >> "$LOG"
cp "$SERVED/${4##*/}" "$3"
"""


@pytest.fixture
def served(tmp_path: Path) -> Path:
    """What a server would serve, and a wget that takes it from there."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "wget").write_text(WGET)
    (tmp_path / "bin" / "wget").chmod(0o755)
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "list.txt").write_text("faces")
    with tarfile.open(folder / "faces.tar.gz", "w:gz") as archive:
        archive.add(folder / "list.txt", "one/list.txt")
    return folder


def load(served: Path, *words: str) -> subprocess.CompletedProcess[str]:
    shell = shutil.which("sh") or "/bin/sh"
    root = served.parent
    env = {"PATH": f"{root / 'bin'}:{os.environ['PATH']}", "SERVED": str(served), "LOG": str(root / "log")}
    return subprocess.run([shell, "-ec", SCRIPT, "load", *words], capture_output=True, text=True, check=False, env=env)


def test_a_file_is_checked_and_loaded_once(served: Path) -> None:
    target, sha256 = served.parent / "data", hashlib.sha256(b"faces").hexdigest()
    words = ("https://data.example.com/list.txt", str(target), sha256, "keep")
    first, second = load(served, *words), load(served, *words)

    assert (first.returncode, second.returncode) == (0, 0), first.stderr
    assert (target / "list.txt").read_text() == "faces"
    assert (served.parent / "log").read_text().count("\n") == 1


def test_a_file_with_another_checksum_is_not_taken(served: Path) -> None:
    target = served.parent / "data"
    ran = load(served, "https://data.example.com/list.txt", str(target), "0" * 64, "keep")

    assert ran.returncode != 0
    assert not (target / "list.txt").exists()


def test_an_archive_is_unpacked_and_removed(served: Path) -> None:
    target = served.parent / "data"
    ran = load(served, "https://data.example.com/faces.tar.gz?version=2", str(target), "", "unpack")

    assert ran.returncode != 0 or not (target / "faces.tar.gz").exists()
    assert load(served, "https://data.example.com/faces.tar.gz", str(target), "", "unpack").returncode == 0
    assert (target / "one" / "list.txt").read_text() == "faces"
    assert not (target / "faces.tar.gz").exists()


def loading(**values: Any) -> dict[str, Any]:
    source = {"url": "https://data.example.com/faces.tar", "folder": "faces", "unpack": True}
    return container(job("dataset-load", **{"sources": [source], **values}))


def test_files_go_to_folders_of_the_volume() -> None:
    assert loading()["args"] == ["https://data.example.com/faces.tar", "/data/faces", "", "unpack"]


def test_nothing_to_load_is_refused() -> None:
    assert [field for field, _ in problems("dataset-load")] == ["sources"]
    assert problems("dataset-load", image="x/aws:1", command=["aws", "s3", "sync"]) == []


def test_an_address_that_the_script_cannot_load_is_refused() -> None:
    with pytest.raises(ValidationError, match="only http and https"):
        configured("dataset-load", sources=[{"url": "s3://bucket/key"}])
