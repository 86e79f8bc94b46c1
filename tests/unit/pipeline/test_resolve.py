"""Components and jobs of a stack: what is validated, gathered and refused before anything is built."""

from __future__ import annotations

from pathlib import Path

import pytest

from platform_def.errors import ConfigError
from platform_def.pipeline.load import load
from platform_def.pipeline.resolve import Resolved, resolve
from tests.unit.pipeline.repository import synthesise, write

HEAD = 'apiVersion: platform-def/v1\ncluster: {kubernetes: "1.36"}\n'


def resolved(root: Path, text: str) -> Resolved:
    (root / "stacks").mkdir(exist_ok=True)
    (root / "stacks" / "a.yaml").write_text(HEAD + text)
    return resolve(load(root)[0])


def problems(root: Path, text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        resolved(root, text)
    return [str(problem) for problem in caught.value.problems]


def test_namespaces_come_with_every_stack(tmp_path: Path) -> None:
    assert list(resolved(tmp_path, "").components) == ["namespaces"]


def test_each_namespace_is_made_once_at_the_highest_level_that_is_needed(tmp_path: Path) -> None:
    found = resolved(
        tmp_path,
        "components: {training-operator: {namespace: ml}}\nteams: [{name: v, namespace: ml, podSecurity: privileged}]\n",
    )

    assert [(need.name, need.pod_security) for need in found.platform.namespaces] == [("ml", "privileged")]


def test_an_unknown_component_gets_the_nearest_name(tmp_path: Path) -> None:
    found = problems(tmp_path, "components:\n  trainingoperator: {}\n")

    assert found[0].startswith("error: stacks/a.yaml:4: components.trainingoperator: unknown component")
    assert "did you mean 'training-operator'?" in found[0]


def test_an_unknown_field_of_a_component_gets_file_line_and_hint(tmp_path: Path) -> None:
    found = problems(tmp_path, "components:\n  training-operator:\n    replica: 2\n")

    assert found == [
        "error: stacks/a.yaml:5: components.training-operator.replica: unknown field\n  hint: did you mean 'replicas'?"
    ]


def test_an_unknown_release_lists_the_known_ones(tmp_path: Path) -> None:
    found = problems(tmp_path, 'components: {training-operator: {release: "2.0"}}\n')

    assert "release '2.0' is not known; known: 1.9.2, 1.7.0" in found[0]


def test_a_provided_component_renders_nothing_and_its_apis_count(tmp_path: Path) -> None:
    found = resolved(tmp_path, 'components: {training-operator: {provided: "1.9"}}\n')

    assert "training-operator" not in found.components
    assert found.platform.serves("PyTorchJob.kubeflow.org")
    assert found.platform.components["training-operator"].provided


JOB = "jobs:\n  - {template: pytorch-ddp, name: j, image: 'r.example.com/i:1', command: [t.py], %s}\n"
POOL = "components: {training-operator: {}, nvidia-device-plugin: {}}\nnodePools: [{name: p, nodes: 2, gpu: {model: a100, perNode: 8}}]\n"
SHARED = (
    "components: {training-operator: {}, nvidia-device-plugin: {}}\n"
    "nodePools: [{name: p, nodes: 2, gpu: {model: t4, perNode: 4, sharing: {mode: time-slicing, replicas: 4}}}]\n"
)


@pytest.mark.parametrize(
    ("stack", "words"),
    [
        (JOB % "pool: p", "pool 'p' is not in nodePools"),
        (JOB % "team: t", "team 't' is not in teams"),
        (JOB % "workers: 1", "serves no PyTorchJob.kubeflow.org"),
        (POOL + JOB % "pool: p, gpusPerWorker: 16", "offers 8, not 16"),
        (POOL + JOB % "pool: p, gpusPerWorker: 8, workers: 3", "pool p has 16"),
        (POOL + JOB % "pool: p, rdma: true", "has no RDMA fabric"),
        (SHARED + JOB % "pool: p, gpusPerWorker: 2", "may be slices of one card"),
        ("teams: [{name: t, quota: {gpus: 4}}]\n" + POOL + JOB % "team: t, pool: p, gpusPerWorker: 8", "quota of 4"),
    ],
)
def test_an_impossible_job_is_refused_with_the_reason(tmp_path: Path, stack: str, words: str) -> None:
    assert any(words in text for text in problems(tmp_path, stack))


def test_a_job_for_what_nothing_offers_is_refused_with_the_component_to_add(tmp_path: Path) -> None:
    found = problems(tmp_path, POOL.replace(", nvidia-device-plugin: {}", "") + JOB % "pool: p")

    assert "nothing in the stack offers nvidia.com/gpu" in found[0]
    assert "add `nvidia-device-plugin: {}`" in found[0]


def test_a_provided_device_plugin_offers_as_well(tmp_path: Path) -> None:
    found = resolved(tmp_path, POOL.replace("device-plugin: {}", "device-plugin: {provided: true}") + JOB % "pool: p")

    assert list(found.jobs) == ["j"]


@pytest.mark.parametrize(
    "text",
    [
        "components: {training-operator: {proxy: {https: 'http://bob:word@proxy.example.com'}}}\n",
        "delivery: {engine: argocd, repository: 'https://bob:word@git.example.com/x.git'}\n",
    ],
)
def test_credentials_in_addresses_are_refused_and_not_repeated(tmp_path: Path, text: str) -> None:
    found = problems(tmp_path, text)

    assert "credentials" in found[0]
    assert "word" not in "".join(found)


def test_a_gateway_that_is_not_rendered_yet_is_said_so(tmp_path: Path) -> None:
    assert "gateway: istio cannot be rendered yet" in problems(tmp_path, "gateway: istio\n")[0]


@pytest.mark.parametrize("address", ["banana", "10.0.0.9-10.0.0.2", "10.0.0.0/33"])
def test_addresses_must_be_ranges_or_networks(tmp_path: Path, address: str) -> None:
    assert "ingress" in problems(tmp_path, f"ingress: {{kind: metallb, addresses: ['{address}']}}\n")[0]


def test_a_ttl_is_no_parameter_of_a_job(tmp_path: Path) -> None:
    found = problems(tmp_path, POOL + JOB % "ttlSecondsAfterFinished: 60")

    assert "ttlSecondsAfterFinished: unknown field" in found[0]


def test_kinds_must_be_the_releases(tmp_path: Path) -> None:
    assert "does not serve MXJob" in problems(tmp_path, "components: {training-operator: {kinds: [MXJob]}}\n")[0]


def test_mxjob_needs_release_1_7(tmp_path: Path) -> None:
    found = resolved(tmp_path, 'components: {training-operator: {release: "1.7.0"}}\n')

    assert found.platform.serves("MXJob.kubeflow.org")
    assert not found.platform.serves("JAXJob.kubeflow.org")


def test_what_is_wrong_with_the_cluster_hides_nothing_of_the_components(tmp_path: Path) -> None:
    text = "gateway: nginx\ncomponents: {training-operator: {replica: 2}}\njobs: [{template: nothing}]\n"
    write(tmp_path, {"stacks/a.yaml": HEAD + text, "stacks/b.yaml": HEAD + "components: {katib: {}}\n"})

    with pytest.raises(ConfigError) as caught:
        synthesise(tmp_path)

    found = " ".join(problem.text for problem in caught.value.problems)
    assert all(word in found for word in ("gateway", "replica", "nothing", "katib"))
