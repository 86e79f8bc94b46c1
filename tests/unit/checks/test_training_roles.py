"""Roles and words of training jobs that their operator does not know."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.checks.rules.platform.training_job import TRAINING_JOB
from tests.unit.checks.samples import found, rendered

FIELDS = {
    "JAXJob": "jaxReplicaSpecs",
    "PaddleJob": "paddleReplicaSpecs",
    "PyTorchJob": "pytorchReplicaSpecs",
    "TFJob": "tfReplicaSpecs",
    "XGBoostJob": "xgbReplicaSpecs",
    "MPIJob": "mpiReplicaSpecs",
}


def job(kind: str, *roles: str, cleaning: str = "Running") -> dict[str, Any]:
    specs = {role: {"replicas": 1} for role in roles}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": kind,
        "metadata": {"name": "it", "namespace": "default"},
        "spec": {FIELDS[kind]: specs, "runPolicy": {"cleanPodPolicy": cleaning}},
    }


@pytest.mark.parametrize(
    ("kind", "role", "hint"),
    [
        ("PyTorchJob", "Wroker", "did you mean 'Worker'?"),
        ("TFJob", "Cheif", "did you mean 'Chief'?"),
        ("PaddleJob", "Masters", "did you mean 'Master'?"),
        ("JAXJob", "Master", "known: Worker"),
        ("MPIJob", "Launch", "did you mean 'Launcher'?"),
        ("XGBoostJob", "Workers", "did you mean 'Worker'?"),
    ],
)
def test_an_unknown_role_is_refused(kind: str, role: str, hint: str) -> None:
    roles = ("Master", role) if kind == "XGBoostJob" else (role,)
    (finding,) = found(TRAINING_JOB, rendered(job(kind, *roles)))

    assert (finding.severity, finding.path) == ("error", f"spec.{FIELDS[kind]}.{role}")
    assert finding.text == f"the operator knows no role '{role}' of a {kind}, and refuses the job"
    assert finding.hint == hint


def test_known_roles_are_let_be_in_any_case() -> None:
    jobs = [
        job("TFJob", "Chief", "PS", "Evaluator", "worker"),
        job("PyTorchJob", "Master", "Worker"),
        job("JAXJob", "Worker"),
        job("MPIJob", "Launcher", "Worker"),
    ]

    assert found(TRAINING_JOB, rendered(*jobs)) == []


def test_a_word_that_is_no_policy_takes_all_pods() -> None:
    (finding,) = found(TRAINING_JOB, rendered(job("TFJob", "Worker", cleaning="Runing")))

    assert (finding.severity, finding.path) == ("warning", "spec.runPolicy.cleanPodPolicy")
    assert finding.text == "'Runing' is none of All, None, Running: the operator takes it as All, and logs go"
    assert finding.hint == "did you mean 'Running'?"
