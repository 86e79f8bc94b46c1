"""Served models of a stack: their lines, their names, their order, and what they are delivered as."""

from __future__ import annotations

from pathlib import Path

import pytest

from platform_def.errors import ConfigError
from platform_def.explain.capacity import explain_capacity
from platform_def.explain.value import explain_value
from platform_def.pipeline.load import load
from platform_def.pipeline.resolve.resolve import resolve
from platform_def.pipeline.synth import Rendered
from tests.unit.pipeline.repository import HEAD, synthesise, write

KSERVE = (
    "gateway: istio-ingress-gateway\n"
    "ingress: {kind: nodePort, host: ml.example.com}\n"
    "nodePools: [{name: serve, gpu: {model: l4, perNode: 4}}]\n"
    "teams: [{name: vision}]\n"
    "components: {cert-manager: {}, istio: {}, istio-ingress-gateway: {}, gateway-api: {}, kserve: {}, nvidia-device-plugin: {}}\n"
)
IRIS = "  - {template: serve, name: iris, team: vision, model: hf://a/iris, format: sklearn}\n"


def refused(folder: Path, text: str) -> str:
    write(folder, {"stacks/a.yaml": HEAD + text})
    with pytest.raises(ConfigError) as caught:
        resolve(load(folder)[0])
    return str(caught.value)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Rendered]:
    """A stack with one model."""
    root = tmp_path_factory.mktemp("served")
    write(root, {"stacks/a.yaml": f"{HEAD}{KSERVE}serving:\n{IRIS}"})
    return root, synthesise(root)


def test_a_model_is_delivered_as_a_component_after_what_serves_it(served: tuple[Path, Rendered]) -> None:
    root, rendered = served
    (stack,) = rendered.stacks

    assert "iris/main/team-vision/inferenceservice.serving.kserve.io-iris.yaml" in rendered.files()["a"]
    assert stack.components["iris"].requires == ("namespaces", "kserve")
    assert stack.waves["iris/main"] > stack.waves["kserve/after"]
    assert [each.text for each in rendered.findings["a"] if each.severity == "error"] == []
    assert explain_value(root, "a", "serving.iris.mode")[0]["value"] == "standard"
    assert explain_value(root, "a", "serving.iris.cpu")[0]["from"] == "default: what KServe gives a model without GPUs"


def test_what_is_wrong_with_a_model_has_its_line(tmp_path: Path) -> None:
    said = refused(
        tmp_path, "serving:\n  - template: serve\n    name: iris\n    model: hf://a/b\n    format: sklearn\n"
    )

    assert "stacks/a.yaml:4: serving[0] (iris): the stack serves no InferenceService.serving.kserve.io" in said
    assert "add `kserve: {}` under components" in said
    lost = refused(tmp_path, "serving: [{template: srve, name: a}, {name: b}]\n")
    assert "serving[0]: unknown template 'srve'" in lost
    assert "did you mean 'serve'?" in lost
    assert "serving[1]: template is missing" in lost
    team = refused(tmp_path, "serving: [{template: serve, name: iris, model: hf://a/b, format: x, team: visoin}]\n")
    assert "serving[0] (iris): team 'visoin' is not in teams" in team


def test_a_model_shares_its_name_with_nothing_that_has_a_folder(tmp_path: Path) -> None:
    model = "  - {{template: serve, name: {name}, model: hf://a/b, format: sklearn}}\n"
    said = refused(tmp_path, "serving:\n" + model.format(name="mlflow"))
    twice = refused(tmp_path, "serving:\n" + model.format(name="iris") * 2)

    assert "stacks/a.yaml:4: serving[0]: a component is called 'mlflow' too, and both would have one folder" in said
    assert "stacks/a.yaml:5: serving[1]: a model is called 'iris' too" in twice
    assert "give it another name" in twice


def test_models_and_jobs_share_the_cards_of_a_pool(tmp_path: Path) -> None:
    model = "  - {template: serve, name: iris, model: hf://a/b, format: sklearn, pool: serve, gpus: 3}\n"
    job = "jobs: [{template: gpu-job, name: one, sync: true, pool: serve, image: a/b:1, gpusPerWorker: 2}]\n"
    said = refused(tmp_path, f"{KSERVE}{job}serving:\n{model}")

    assert "one and model iris start together and need 5 nvidia.com/gpu, and pool serve has 4 nvidia.com/gpu" in said
    assert "write `sync: false` for those that have ended or are to wait, or add nodes" in said
    write(tmp_path, {"stacks/a.yaml": f"{HEAD}{KSERVE}serving:\n{model}"})
    (line,) = explain_capacity(tmp_path, "a").jobs
    assert (line.job, line.asks, line.started) == ("serving/iris", {"nvidia.com/gpu": 3}, True)
