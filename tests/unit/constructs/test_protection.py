"""Kinds that no engine deletes, and workloads that bear one pod."""

from __future__ import annotations

import pytest

from platform_def.constructs.knobs import Roles
from platform_def.constructs.protection import protection


@pytest.mark.parametrize(
    "kind", ["CustomResourceDefinition", "Namespace", "PersistentVolume", "PersistentVolumeClaim", "Profile"]
)
def test_what_cannot_be_made_again_is_kept(kind: str) -> None:
    assert protection(kind, "argocd")
    assert protection(kind, "flux")
    assert not protection(kind, "none")


def test_all_else_may_go() -> None:
    assert not protection("Deployment", "argocd")


def test_a_workload_bears_one_pod_and_follows_no_node_unless_it_is_said() -> None:
    role = Roles().add("controller")

    assert (role.scales, role.belongs_to_nodes) == (False, False)
