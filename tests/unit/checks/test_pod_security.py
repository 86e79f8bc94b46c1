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


def _made(api: str, kind: str, **spec: Any) -> Manifest:
    return {"apiVersion": api, "kind": kind, "metadata": {"name": "it", "namespace": "default"}, "spec": spec}


_TEMPLATE = {"template": {"spec": {"hostNetwork": True, "containers": [{"name": "c", "securityContext": SECURE}]}}}


@pytest.mark.parametrize(
    ("item", "path"),
    [
        (
            _made("kubeflow.org/v1", "PyTorchJob", pytorchReplicaSpecs={"Worker": _TEMPLATE}),
            "pytorchReplicaSpecs.Worker",
        ),
        (_made("kubeflow.org/v1", "Notebook", **_TEMPLATE), ""),
        (_made("ray.io/v1", "RayCluster", headGroupSpec=_TEMPLATE), "headGroupSpec"),
        (_made("batch.volcano.sh/v1alpha1", "Job", tasks=[_TEMPLATE]), "tasks[0]"),
        (
            _made("jobset.x-k8s.io/v1alpha2", "JobSet", replicatedJobs=[{"template": {"spec": _TEMPLATE}}]),
            "replicatedJobs[0].template.spec",
        ),
        (
            _made(
                "leaderworkerset.x-k8s.io/v1",
                "LeaderWorkerSet",
                leaderWorkerTemplate={"workerTemplate": {"spec": _TEMPLATE["template"]["spec"]}},
            ),
            "leaderWorkerTemplate.workerTemplate",
        ),
    ],
    ids=lambda each: each["kind"] if isinstance(each, dict) else "",
)
def test_pods_that_an_operator_makes_as_they_are_written_are_told(item: Manifest, path: str) -> None:
    [finding] = found(POD_SECURITY, rendered(namespace("restricted"), item))

    assert (finding.severity, finding.object) == ("warning", f"{item['kind']} default/it")
    assert finding.path.startswith(f"spec.{path}" if path else "spec.template")
    assert finding.path.endswith("hostNetwork")


def test_what_several_objects_make_together_is_told_only_of_what_it_takes() -> None:
    runtime = _made("serving.kserve.io/v1alpha1", "ServingRuntime", containers=[{"name": "kserve-container"}])
    model = {"securityContext": {"privileged": True}}
    service = _made("serving.kserve.io/v1beta1", "InferenceService", predictor={"hostIPC": True, "model": model})
    findings = found(POD_SECURITY, rendered(namespace("restricted"), runtime, service))

    assert sorted(each.path for each in findings) == [
        "spec.predictor.hostIPC",
        "spec.predictor.model.securityContext.privileged",
    ]


def test_containers_that_an_operator_changes_are_not_judged() -> None:
    patched = _made("monitoring.coreos.com/v1", "Prometheus", containers=[{"name": "prometheus"}])

    assert found(POD_SECURITY, rendered(namespace("restricted"), patched)) == []
