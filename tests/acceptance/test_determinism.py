"""Same input, same bytes: on any machine, for any user, in any order, cached or not, and by whichever command."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from platform_def.pipeline.build.workers import FEW
from platform_def.yaml import load_all
from tests.acceptance.conftest import FILES
from tests.acceptance.repository import HEAD, PLATFORMCTL, PROJECT, Done, Repository

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
    fresh.run("synth", environment=environment)

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
        f"stacks/s{number}.yaml": f"{HEAD}teams: [{{name: t{number}}}, {{name: u}}]\n" for number in range(3 * FEW)
    }
    repository.write(stacks)

    repository.run("synth", "--no-cache", "--jobs", "1", "--out", "alone")
    repository.run("synth", "--no-cache", "--jobs", "4", "--out", "together")

    assert len(repository.files("alone")) > 6 * FEW
    assert repository.files("together") == repository.files("alone")


ANOTHER_USER = ("unshare", "--user", "--map-user=65534", "--map-group=65534")


def test_the_user_does_not_matter_nor_a_home_that_cannot_be_written(synthesised: Repository, fresh: Repository) -> None:
    if (
        not shutil.which("unshare")
        or subprocess.run([*ANOTHER_USER, "true"], check=False, capture_output=True).returncode
    ):
        pytest.skip("this machine does not let a process become another user")

    fresh.call(*ANOTHER_USER, str(PLATFORMCTL), "synth", environment={"HOME": "/dev/null"})

    assert fresh.files() == synthesised.files()


# --- the cdk8s command


def cdk8s_synth(repository: Repository, *words: str, code: int = 0) -> Done:
    if not CDK8S.exists():
        pytest.skip("the cdk8s command is not installed: make node_modules/.stamp")
    # The network is out of reach: without this variable the command would say so at length.
    return repository.call(str(CDK8S), "synth", *words, code=code, environment={"CDK8S_CHECK_UPGRADE": "false"})


@pytest.fixture(scope="module")
def with_cdk8s(synthesised: Repository, tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """The two stacks after `cdk8s synth`; not to be changed."""
    made = Repository(tmp_path_factory.mktemp("cdk8s")).write(FILES)
    shutil.copy(PROJECT / "cdk8s.yaml", made.root)
    done = cdk8s_synth(made)

    assert ".cdk8s/one.yaml" in done.out
    assert ".cdk8s/two.yaml" in done.out
    return made


def test_the_cdk8s_command_leaves_the_same_bytes(synthesised: Repository, with_cdk8s: Repository) -> None:
    assert with_cdk8s.files() == synthesised.files()


def test_the_cdk8s_command_works_in_what_init_writes(repository: Repository) -> None:
    repository.ask("init", ".")
    repository.ask("synth", "--out", "other/dist")

    cdk8s_synth(repository)

    assert repository.files() == repository.files("other/dist")


def test_the_cdk8s_command_prints_every_object_of_a_stack(with_cdk8s: Repository) -> None:
    # Several stacks would be several files, which that command prints all at once, into each other.
    printed = cdk8s_synth(with_cdk8s, "--app", "platformctl synth two", "--stdout").out

    assert len(load_all(printed.encode(), file="stdout")) == len(with_cdk8s.files("dist/two")) - 1


def test_a_failing_app_leaves_the_former_dist(with_cdk8s: Repository, tmp_path: Path) -> None:
    copy = with_cdk8s.copy(tmp_path / "copy")
    before = copy.files()
    copy.write({"stacks/two.yaml": "cluster: nonsense\n"})

    done = cdk8s_synth(copy, code=1)

    assert "stacks/two.yaml" in done.err
    assert copy.files() == before


def test_an_output_folder_that_cdk8s_would_empty_is_named(built: Repository) -> None:
    done = built.run("synth", environment={"CDK8S_OUTDIR": "dist"})

    assert "output: .cdk8s" in done.err
