"""`platformctl check -f`: manifests that others made."""

from __future__ import annotations

import pytest

from tests.acceptance.repository import Repository

JOB = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: vision}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: two
      template: {spec: {containers: [{name: pytorch, image: "r.example.com/i:1"}]}}
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: main, image: "r.example.com/i:1"}]}
"""


def write(repository: Repository, name: str, text: str) -> str:
    path = repository.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


def test_manifests_without_fault_are_taken(repository: Repository) -> None:
    asked = repository.ask("check", "-f", write(repository, "out/pod.yaml", POD))

    assert asked.code == 0
    assert "1 object for Kubernetes 1.36 checked: no findings" in asked.err
    assert "not covered without a stack: " in asked.err


def test_a_custom_kind_of_the_catalogue_is_checked_without_its_crd(repository: Repository) -> None:
    asked = repository.ask("check", "-f", write(repository, "job.yaml", JOB), "-o", "json", code=1)

    [finding] = asked.json["findings"]
    assert finding["path"] == "spec.pytorchReplicaSpecs.Worker.replicas"
    assert finding["file"].endswith("job.yaml")


def test_a_folder_is_read_whole_and_kustomize_s_own_files_are_left_out(repository: Repository) -> None:
    write(repository, "out/a/pod.yaml", POD)
    write(repository, "out/b/pod.yaml", POD.replace("web", "other"))
    kustomization = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a, b]\n"
    write(repository, "out/kustomization.yaml", kustomization)

    asked = repository.ask("check", "-f", str(repository.root / "out"))

    assert "2 objects" in asked.err


def test_a_kind_that_nobody_knows_is_a_warning(repository: Repository) -> None:
    path = write(repository, "it.yaml", "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: it}\n")

    asked = repository.ask("check", "-f", path)

    assert "warning" in asked.out
    assert "its fields are not checked" in asked.out


def test_the_version_of_the_cluster_decides(repository: Repository) -> None:
    old = "apiVersion: flowcontrol.apiserver.k8s.io/v1beta3\nkind: FlowSchema\nmetadata: {name: it}\n"
    path = write(repository, "it.yaml", old)

    assert "no flowcontrol" in repository.ask("check", "-f", path, "--kubernetes", "1.36", code=1).out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-f", "nowhere"], "nowhere: there is no such file or folder"),
        (["-f", "empty"], "no Kubernetes object there"),
        (["-f", "broken.yaml"], "broken.yaml"),
        (["-f", "text.yaml"], "text.yaml: holds something without apiVersion and kind"),
        (["-f", "empty", "--kubernetes", "1.99"], "Kubernetes 1.99 is not known here"),
        (["one", "-f", "empty"], "stacks are named without it"),
        (["--kubernetes", "1.36"], "--kubernetes is for manifests"),
    ],
)
def test_what_cannot_be_answered_says_why(repository: Repository, words: list[str], said: str) -> None:
    (repository.root / "empty").mkdir()
    write(repository, "broken.yaml", "a: [1\n")
    write(repository, "text.yaml", "just text\n")

    asked = repository.ask("check", *words, code=2)

    assert said in asked.err


def test_standard_input_is_read(repository: Repository) -> None:
    asked = repository.ask("check", "-f", "-", stdin=POD)

    assert asked.code == 0


def test_what_a_cluster_takes_is_no_error_where_only_our_policy_refuses_it(repository: Repository) -> None:
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: it}\nstringData: {user: somebody}\n"
    claim = (
        "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: it}\n"
        "spec: {accessModes: [ReadWriteOnce], storageClassName: theirs, resources: {requests: {storage: 1Gi}}}\n"
    )

    found = repository.ask("check", "-f", "-", "-o", "json", stdin=f"{secret}---\n{claim}").json["findings"]

    assert [(each["rule"], each["severity"]) for each in found] == [("secret-content", "warning")]


def test_a_generated_name_is_a_name(repository: Repository) -> None:
    generated = POD.replace("name: web", "generateName: web-")

    assert "no findings" in repository.ask("check", "-f", "-", stdin=f"{generated}---\n{generated}").err


def test_another_release_of_a_known_kind_is_a_warning(repository: Repository) -> None:
    later = "apiVersion: kubeflow.org/v9\nkind: PyTorchJob\nmetadata: {name: it}\nspec: {}\n"

    assert "served as v1, not as kubeflow.org/v9" in repository.ask("check", "-f", "-", stdin=later).out


def test_what_the_operator_s_webhook_fills_in_may_be_left_out(repository: Repository) -> None:
    job = (
        "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: it}\n"
        "spec: {failurePolicy: {rules: [{action: FailJobSet}, {name: other}]}}\n"
    )

    found = repository.ask("check", "-f", "-", "-o", "json", stdin=job, code=1).json["findings"]

    assert [each["path"] for each in found] == ["spec.failurePolicy.rules[1].action"]
