"""Same input, same bytes: on any machine, for any user, in any order, cached or not, and by whichever command."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.acceptance.conftest import FILES
from tests.acceptance.repository import BIN, HEAD, PLATFORMCTL, PROJECT, Repository

CDK8S = PROJECT / "node_modules/.bin/cdk8s"

ELSEWHERE = (
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "TZ": "Pacific/Kiritimati", "PYTHONHASHSEED": "1"},
    {"LC_ALL": "tr_TR.UTF-8", "TZ": "America/Marquesas", "PYTHONHASHSEED": "4294967295", "COLUMNS": "20"},
)


@pytest.fixture
def fresh(repository: Repository) -> Repository:
    """What `synthesised` was made from, in another folder, without its caches."""
    return repository.write(FILES)


@pytest.mark.parametrize("environment", ELSEWHERE, ids=lambda each: each["LC_ALL"])
def test_locale_time_zone_hash_seed_and_folder_do_not_matter(
    synthesised: Repository, fresh: Repository, environment: dict[str, str]
) -> None:
    fresh.run("synth", **environment)

    assert fresh.files() == synthesised.files()


def test_the_cache_does_not_matter(synthesised: Repository, built: Repository) -> None:
    shutil.rmtree(built.root / "dist")
    built.ask("synth")
    cached = built.files()
    shutil.rmtree(built.root / "dist")
    built.ask("synth", "--no-cache")

    assert cached == built.files() == synthesised.files()


def test_the_order_of_runs_does_not_matter(synthesised: Repository, fresh: Repository) -> None:
    fresh.ask("synth", "two")
    fresh.ask("synth", "one", "--no-cache")

    assert fresh.files() == synthesised.files()


def test_the_number_of_processes_does_not_matter(repository: Repository) -> None:
    # Each stack has namespaces of its own, so that there are more builds than one process does alone.
    stacks = {
        f"stacks/s{number}.yaml": f"{HEAD}teams: [{{name: t{number}}}, {{name: grüße-{number}, namespace: n{number}}}]\n"
        for number in range(40)
    }
    repository.write({name: text.replace("grüße", "other") for name, text in stacks.items()})

    repository.run("synth", "--no-cache", "--jobs", "1", "--out", "alone")
    repository.run("synth", "--no-cache", "--jobs", "4", "--out", "together")

    assert len(repository.files("alone")) > 80
    assert repository.files("together") == repository.files("alone")


def test_the_user_does_not_matter(synthesised: Repository, tmp_path_factory: pytest.TempPathFactory) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    nobody = pwd.getpwnam("nobody")
    probe = subprocess.run(
        [BIN / "python", "-c", "import platform_def.cli.main"],
        user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[], cwd="/", capture_output=True, check=False,
    )  # fmt: skip
    if probe.returncode:
        pytest.skip("nobody may not read the virtual environment")
