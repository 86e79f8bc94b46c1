"""API servers of several versions: each takes the stacks for it as `test_apply.py` has it, and the conditions it knows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from platform_def.config.kubernetes import SUPPORTED_KUBERNETES
from tests.cluster.client import Manifest
from tests.cluster.snapshots import Boot
from tests.cluster.stacks import kubernetes_of
from tests.cluster.taken import problems
from tests.cluster.test_expressions import says, with_rule
from tests.cluster.tools import API_SERVERS, version_of
from tests.unit.manifests.cel.tables import SINCE

NEWEST = SUPPORTED_KUBERNETES[-1]
SERVERS = pytest.mark.parametrize("newest", [False, True], ids=["its own version", "the newest"])


@SERVERS
@pytest.mark.cluster
@pytest.mark.thorough
def test_a_stack_is_accepted_kept_entire_and_unchanged_when_applied_again(
    newest: bool,
    stack: str,
    manifests: Mapping[str, list[Manifest]],
    known_crds: list[Manifest],
    boot: Boot,
    programs: Mapping[str, Path],
) -> None:
    kubernetes = NEWEST if newest else kubernetes_of(stack)
    servers = {"etcd": programs["etcd"], "kube-apiserver": programs[API_SERVERS[kubernetes]]}
    assert problems(manifests[stack], known_crds=known_crds, boot=boot, servers=servers) == []


@pytest.mark.parametrize("kubernetes", sorted(API_SERVERS))
@pytest.mark.cluster
@pytest.mark.thorough
def test_an_api_server_takes_the_conditions_that_its_version_knows(
    kubernetes: str, boot: Boot, programs: Mapping[str, Path]
) -> None:
    api = boot(servers={"etcd": programs["etcd"], "kube-apiserver": programs[API_SERVERS[kubernetes]]}).api
    answers = zip(SINCE.items(), api.apply_all(map(with_rule, SINCE), dry_run=True), strict=True)
    minor = int(kubernetes.partition(".")[2])
    wrong = [f"{rule}: {given.refusal}" for (rule, since), given in answers if (since <= minor) == says(given.refusal)]

    assert wrong == []


def test_a_stack_has_an_api_server_of_its_version(stack: str) -> None:
    assert kubernetes_of(stack) in API_SERVERS


def test_an_api_server_is_of_the_version_that_it_is_for() -> None:
    versions = {kubernetes: version_of(name) for kubernetes, name in API_SERVERS.items()}

    assert NEWEST in versions
    assert {kubernetes: version.rpartition(".")[0] for kubernetes, version in versions.items()} == {
        kubernetes: f"v{kubernetes}" for kubernetes in versions
    }
