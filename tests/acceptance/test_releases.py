"""What synth says of releases that upstream has left or that can be attacked, and where what is known is listed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from platform_def.components.queues.kueue.config import KueueConfig
from platform_def.config.releases.upkeep import Support, Upkeep, Vulnerability
from platform_def.constructs.release import Release
from platform_def.version import RELEASED
from tests.acceptance.repository import HEAD, Repository
from tests.test_repository import unsound

HOLE = Vulnerability("CVE-2026-1", "anyone may admit a workload")
Seed = Callable[[Upkeep], tuple[Release, ...]]


@pytest.fixture
def seed(monkeypatch: pytest.MonkeyPatch) -> Seed:
    """Gives the default release of Kueue another upkeep."""

    def seeded(upkeep: Upkeep, **facts: str) -> tuple[Release, ...]:
        default, *others = KueueConfig.releases
        assert isinstance(default, Release)
        monkeypatch.setattr(KueueConfig, "releases", (replace(default, upkeep=upkeep), *others))
        return tuple(each for each in KueueConfig.releases if isinstance(each, Release))

    return seeded


@pytest.mark.parametrize(
    ("upkeep", "told", "fails"),
    [
        (Upkeep(RELEASED - timedelta(1)), f"upstream's support ended on {RELEASED - timedelta(1)}", "ended"),
        (Upkeep(Support.ENDED), "upstream's support ended [release-support]", "ended"),
        (Upkeep(vulnerabilities=(HOLE,)), "CVE-2026-1: anyone may admit a workload [release-vul", "CVE-2026-1"),
        (
            Upkeep(RELEASED, (replace(HOLE, fixed_in="0.99.1"),)),
            "a workload (fixed in 0.99.1) [release-vulnerability]",
            "CVE-2026-1",
        ),
    ],
)
def test_a_seeded_release_that_is_dead_or_vulnerable_is_told_and_may_not_be_a_default(
    seed: Seed, repository: Repository, upkeep: Upkeep, told: str, fails: str
) -> None:
    offered = seed(upkeep)
    repository.write({"stacks/a.yaml": HEAD + "components: {kueue: {}}\n"})

    assert told in repository.ask("check").out
    assert told in repository.ask("synth").err
    assert fails in " ".join(unsound(offered))


@pytest.mark.parametrize(
    "upkeep", [Upkeep(RELEASED, (replace(HOLE, fixed_in="0.1.0"),)), Upkeep(), Upkeep(Support.CURRENT)]
)
def test_a_seeded_release_that_is_maintained_or_of_which_nothing_is_known_is_not(
    seed: Seed, repository: Repository, upkeep: Upkeep
) -> None:
    offered = seed(upkeep)
    repository.write({"stacks/a.yaml": HEAD + "components: {kueue: {}}\n"})

    assert "[release-" not in repository.ask("check").out
    assert unsound(offered) == []


def test_the_hint_names_the_releases_that_are_sound(repository: Repository) -> None:
    repository.write({"stacks/a.yaml": HEAD + "components: {training-operator: {release: 1.7.0}}\n"})

    assert "hint: take release 1.9." in repository.ask("check").out


@pytest.mark.parametrize(
    ("kubernetes", "hint"),
    [
        ("1.32", "hint: take release 1.21.2, which is for Kubernetes 1.33 to 1.36\n"),
        ("1.33", "hint: take release 1.21.2\n"),
    ],
)
def test_the_hint_says_which_kubernetes_a_sound_release_needs_where_the_stacks_is_another(
    repository: Repository, kubernetes: str, hint: str
) -> None:
    head = HEAD.replace('"1.36"', f'"{kubernetes}"')
    repository.write({"stacks/a.yaml": head + 'components: {cert-manager: {release: "1.19.6"}}\n'})

    assert hint in repository.ask("check").out


def test_releases_are_listed_with_what_is_known_of_them(repository: Repository) -> None:
    listed = repository.ask("list", "components", "--releases", "-o", "json").json
    text = repository.ask("list", "components", "--releases").out
    [mxnet] = listed["mxnet-operator"]

    assert (mxnet["support"], mxnet["supported"], mxnet["vulnerabilities"]) == ("ended", False, None)
    assert mxnet["kept"].startswith("it is the last")
    assert listed["istio"][0]["kubernetesBy"] == "upstream"
    assert listed["argo-cd"][0]["licenses"]["redis"].endswith("AGPL-3.0-only")
    assert [each["default"] for each in listed["flux"]][:2] == [True, False]
    assert "\n  upstream's support: ended; offered because it is the last" in text


def test_a_release_that_left_the_catalogue_is_refused_with_what_to_take_and_what_changes(
    repository: Repository,
) -> None:
    repository.write({"stacks/a.yaml": HEAD + 'components:\n  argo-cd: {release: "3.3.4"}\n'})

    told = repository.ask("synth", code=2).err

    assert "stacks/a.yaml:" in told
    assert (
        "release '3.3.4' is no longer offered: upstream's support ended on 2026-11-03 and it has CVE-2026-45738" in told
    )
    assert "Write '3.4.14'; what changes: ApplicationSets get a health in their status" in told


def test_what_the_cluster_has_is_judged_too(repository: Repository) -> None:
    delivery = 'delivery: {engine: argocd, repository: "https://git.example.com/platform.git"}\n'
    repository.write({"stacks/a.yaml": HEAD + delivery + 'components:\n  argo-cd: {provided: "v3.3.4"}\n'})

    found = repository.ask("check").out

    assert "release v3.3.4 of argo-cd: upstream's support ended on 2026-11-03 [release-support]" in found
    assert "CVE-2026-45738: who may write an Application acts as the administrator" in found
    assert "(fixed in 3.3.10) [release-vulnerability]" in found


def test_only_components_have_releases(repository: Repository) -> None:
    assert "platformctl list components --releases" in repository.ask("list", "apis", "--releases", code=2).err
