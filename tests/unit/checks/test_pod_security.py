"""Pod Security levels."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.checks.rules.policy.pod_security import ENFORCE, POD_SECURITY
from platform_def.manifests.rendered import Manifest
from tests.unit.checks.samples import deployment, found, rendered

SECURE = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}


def namespace(level: str) -> Manifest:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default", "labels": {ENFORCE: level}}}


@pytest.mark.parametrize(
    ("pod", "container"),
    [
        ({"hostNetwork": True}, {}),
        ({"volumes": [{"name": "v", "hostPath": {"path": "/"}}]}, {}),
        ({}, {"securityContext": {"privileged": True}}),
        ({}, {"securityContext": {"capabilities": {"add": ["IPC_LOCK"]}}}),
        ({}, {"ports": [{"containerPort": 80, "hostPort": 80}]}),
    ],
)
def test_what_baseline_forbids_is_told_where_baseline_is_enforced(pod: Any, container: Any) -> None:
    broken = deployment(pod=pod, **container)

    assert len(found(POD_SECURITY, rendered(namespace("baseline"), broken))) == 1
    assert found(POD_SECURITY, rendered(namespace("privileged"), broken)) == []
    assert found(POD_SECURITY, rendered(broken)) == []


@pytest.mark.parametrize("field", SECURE)
def test_restricted_asks_for_each_of_its_fields(field: str) -> None:
    kept = deployment(securityContext=SECURE)
    broken = deployment(securityContext={key: value for key, value in SECURE.items() if key != field})

    assert found(POD_SECURITY, rendered(namespace("restricted"), kept)) == []
    assert len(found(POD_SECURITY, rendered(namespace("restricted"), broken))) == 1


def test_a_bare_pod_is_refused_and_a_workload_s_pods_are_later() -> None:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "it", "namespace": "default"},
        "spec": {"hostPID": True},
    }
    pod["spec"] = {"hostPID": True, "containers": []}

    severities = [
        each.severity
        for each in found(POD_SECURITY, rendered(namespace("baseline"), pod, deployment(pod={"hostPID": True})))
    ]

    assert sorted(severities) == ["error", "warning"]
