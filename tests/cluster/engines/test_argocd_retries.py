"""Plain Applications (`order: retries`) bring a stack to Ready without a person, and take over from gates and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from platform_def.delivery.comparisons import NAME as COMPARISONS
from platform_def.delivery.gates import REMOVAL
from platform_def.delivery.markers import is_marker
from platform_def.delivery.pods.definitions import NAME as DEFINITIONS
from tests.acceptance.repository import PROJECT
from tests.cluster.client import Api
from tests.cluster.engines import state
from tests.cluster.engines.conftest import EmptyCluster, StartArgoCd
from tests.cluster.engines.repository import SAMPLE
from tests.cluster.engines.story import handed_over, keeps_what_is_in_git, removes
from tests.cluster.engines.test_argocd import EMISSARY, LISTENER
from tests.cluster.engines.test_moving import hand_over

pytestmark = pytest.mark.cluster

POLICIES = tuple(
    f"/apis/admissionregistration.k8s.io/v1/{kind}admissionpolicies" for kind in ("validating", "mutating")
)
PLAIN = [COMPARISONS, REMOVAL]
"""The policies of plain Applications."""
GATES, RETRIES = "order: gates", "order: retries"
SMALL = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36"}}
delivery: {{engine: argocd, {GATES}, repository: "{SAMPLE}"}}
components:
  training-operator: {{}}
  cert-manager: {{selfSignedIssuer: self-signed}}
"""
OWN = ("Application", "AppProject", "ConfigMap")


def test_plain_applications_bring_a_stack_to_ready_follow_git_and_keep_programs_until_they_may_go(
    empty_cluster: EmptyCluster, argo_cd: StartArgoCd, tmp_path: Path
) -> None:
    text = (PROJECT / "stacks/onprem-gpu.yaml").read_text(encoding="utf-8")
    plain = text.replace("  engine: argocd\n", f"  engine: argocd\n  {RETRIES}\n")
    with handed_over(empty_cluster, "onprem-gpu", tmp_path, argo_cd, text=plain) as there:
        there.engine.wait(there.repository, there.repository.revision)
        # Emissary reads once, as it starts, which kinds there are.
        assert policies(there.api) == sorted([*PLAIN, DEFINITIONS])
        keeps_what_is_in_git(there, "replicas: 2", "replicas: 1")
        removes(there, "emissary", EMISSARY, LISTENER)


def test_a_stack_moves_from_gates_to_retries_and_back_by_one_word(
    empty_cluster: EmptyCluster, argo_cd: StartArgoCd, tmp_path: Path
) -> None:
    with handed_over(empty_cluster, "small", tmp_path, argo_cd, text=SMALL) as there:
        repository = there.repository
        there.engine.wait(repository, repository.revision)
        before = state.objects(there.api)
        gates = policies(there.api)
        assert len(gates) > len(PLAIN)
        for old, new, expected in ((GATES, RETRIES, PLAIN), (RETRIES, GATES, gates)):
            revision = repository.change(old, new)
            hand_over(there)
            there.follow(revision)
            assert policies(there.api) == expected
            assert any(map(is_marker, repository.manifests())) is (new == GATES)
            after = state.objects(there.api)
            moved = {
                key for key in state.changed(before, after) | (before.keys() ^ after.keys()) if key.kind not in OWN
            }
            assert [name for name in state.names(moved) if "AdmissionPolicy" not in name] == []


def policies(api: Api) -> list[str]:
    """Names of those that hold Argo CD's objects."""
    return sorted(each["metadata"]["name"] for path in POLICIES for each in api.get(path).body["items"])
