"""Which syncs are ended because their part is told to go."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from platform_def.config.kubernetes import Kubernetes
from platform_def.delivery.deliver import deliver
from platform_def.delivery.endings import LEAVES, NAME
from platform_def.delivery.target import BOOTSTRAP, MANAGED
from platform_def.manifests.rendered import Manifest

from .samples import ARGOCD, GATES, NAMESPACES, ordered
from .verdicts import holds

LEAVING: Manifest = {"name": "a", "deletionTimestamp": "2026-01-01T00:00:00Z"}
SYNC: Manifest = {"sync": {"prune": True}}


def application(*, metadata: Manifest = LEAVING, phase: str = "Running", **fields: Any) -> Manifest:
    """One whose sync is under way, as Argo CD writes it while it waits to try again."""
    state = {"phase": phase, "finishedAt": "2026-01-01T00:00:00Z", "retryCount": 3}
    return {"metadata": metadata, "operation": SYNC, "status": {"operationState": state}, **fields}


def ends(found: Manifest) -> bool:
    return holds(LEAVES, {"object": found})


def test_the_sync_of_a_part_that_is_told_to_go_is_ended() -> None:
    assert ends(application())


@pytest.mark.parametrize(
    "found",
    [
        application(metadata={"name": "a"}),
        application(phase="Terminating"),
        application(phase="Failed"),
        application(status={}),
        {"metadata": LEAVING},
        {"metadata": LEAVING, "status": {"operationState": {"phase": "Running"}}},
    ],
    ids=["stays", "ends already", "has ended", "has said nothing", "is new", "has no sync"],
)
def test_every_other_application_stays_as_argo_cd_writes_it(found: Manifest) -> None:
    assert not ends(found)


@pytest.mark.parametrize("delivery", [ARGOCD, GATES], ids=["retries", "gates"])
def test_both_forms_have_the_policy_where_a_cluster_can_change_objects(delivery: Any) -> None:
    stack = ordered(NAMESPACES)
    older = replace(stack, platform=stack.platform.with_facts(kubernetes=Kubernetes("1.35")))

    found = {item.kind: item.manifest for item in deliver(stack, delivery, {}).delivery if item.name == NAME}

    assert sorted(found) == ["MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"]
    assert all(each["metadata"]["labels"] == MANAGED | BOOTSTRAP for each in found.values())
    assert found["MutatingAdmissionPolicy"]["spec"]["failurePolicy"] == "Ignore"
    assert [item.name for item in deliver(older, delivery, {}).delivery if item.name == NAME] == []
