"""TensorFlow Serving: flags and files of its release, models from volume or store, GPUs, routes and canaries."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.text_format import ParseError

from platform_def.capabilities import ObjectStore
from platform_def.components.serving.tf_serving import component, files
from platform_def.components.serving.tf_serving.component import TfServing
from platform_def.components.serving.tf_serving.config import Batching, TfModel
from platform_def.config.capability import EXTERNAL, Provision
from platform_def.config.platform import ComponentFact, Platform
from platform_def.config.pools import NodePool
from tests.components.tf_serving.messages import parsed
from tests.unit.built import Objects, built, setting, told

FLAGS = {
    "--port",
    "--rest_api_port",
    "--rest_api_timeout_in_ms",
    "--model_config_file",
    "--model_config_file_poll_wait_seconds",
    "--file_system_poll_wait_seconds",
    "--monitoring_config_file",
    "--allow_version_labels_for_unavailable_models",
    "--enable_model_warmup",
    "--enable_batching",
    "--batching_parameters_file",
    "--per_process_gpu_memory_fraction",
}
"""Of `tensorflow_model_server` 2.20.0, those that may be here."""
STORE = ObjectStore.model_validate({"host": "s3.example.com", "credentials": {"existing": "models"}})
POOL = NodePool.from_file(
    {
        "name": "serve",
        "nodes": 2,
        "selector": {"pool": "serve"},
        "taints": ["gpu=serve:NoSchedule"],
        "gpu": {"model": "l4", "perNode": 2},
    }
)
EVERYTHING: dict[str, Any] = {
    "models": [{"name": "digits", "labels": {"stable": 3}}],
    "warmUp": False,
    "batching": {},
    "gpus": 1,
    "gpuMemory": 0.5,
}


def made(*models: dict[str, Any], platform: Platform | None = None, name: str = "", **config: Any) -> Objects:
    facts = platform or Platform(provisions=(Provision.of(STORE, EXTERNAL),))
    return built(TfServing, facts, name=name, **{"models": [*models] or [{"name": "digits"}], **config})


def server(objects: Objects) -> dict[str, Any]:
    return objects.container("Deployment", container="server")


def served(**fields: Any) -> dict[str, Any]:
    model = TfModel.from_file({"name": "digits", **fields})
    (config,) = parsed("ModelServerConfig", files.models([model]))["model_config_list"]["config"]
    found: dict[str, Any] = config
    return found


def test_all_flags_are_those_of_the_release() -> None:
    facts = Platform(provisions=(Provision.of(STORE, EXTERNAL),), node_pools=(POOL,))

    given = {each.partition("=")[0] for each in server(made(platform=facts, pool="serve", **EVERYTHING))["args"]}

    assert given == FLAGS


@pytest.mark.parametrize(
    ("fields", "policy"),
    [
        ({}, {"latest": {"num_versions": "1"}}),
        ({"latest": 2}, {"latest": {"num_versions": "2"}}),
        ({"allVersions": True}, {"all": {}}),
        ({"versions": [3, 4]}, {"specific": {"versions": ["3", "4"]}}),
    ],
)
def test_versions_are_served_as_the_policy_says(fields: dict[str, Any], policy: dict[str, Any]) -> None:
    assert served(**fields)["model_version_policy"] == policy


def test_a_model_lies_in_its_folder_and_labels_name_versions() -> None:
    config = served(folder="mnist/digits", versions=[3, 4], labels={"stable": 3, "next": 4})

    assert config["base_path"] == "/models/mnist/digits"
    assert config["version_labels"] == [{"key": "next", "value": "4"}, {"key": "stable", "value": "3"}]


def test_the_other_files_are_messages_of_its_protocol() -> None:
    batching = Batching.from_file({"maxSize": 64, "threads": 4, "sizes": [8, 64]})

    assert parsed("MonitoringConfig", files.monitoring())["prometheus_config"]["enable"] is True
    assert parsed("BatchingParameters", files.batching(batching)) == {
        "max_batch_size": {"value": "64"},
        "batch_timeout_micros": {"value": "1000"},
        "max_enqueued_batches": {"value": "100"},
        "num_batch_threads": {"value": "4"},
        "allowed_batch_sizes": ["8", "64"],
    }
    with pytest.raises(ParseError):
        parsed("MonitoringConfig", files.proto({"prometheus": True}))


def test_quotes_in_a_text_do_not_end_it() -> None:
    text = files.proto({"name": 'a"b\\c'})

    assert parsed("ModelConfig", text)["name"] == 'a"b\\c'


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"models": [{"name": "a", "latest": 1, "versions": [1]}]}, "one of latest"),
        ({"models": [{"name": "a", "versions": [1], "labels": {"x": 2}}]}, "not among"),
        ({"models": [{"name": "a"}, {"name": "a"}]}, "listed twice"),
        ({"models": [{"name": "a"}], "gpuMemory": 0.5}, "how many"),
        ({"models": [{"name": "a"}], "batching": {"maxSize": 8, "sizes": [4]}}, "the last is"),
    ],
)
def test_what_the_server_would_refuse_is_refused(config: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        TfServing.config_model().from_file(config)


def test_a_claim_is_mounted_and_nothing_is_fetched() -> None:
    pod = made(claim="models").pod("Deployment")

    claim = next(volume for volume in pod["volumes"] if volume["name"] == "models")
    assert claim["persistentVolumeClaim"] == {"claimName": "models", "readOnly": True}
    assert "initContainers" not in pod
    assert len(pod["containers"]) == 1


def test_models_of_the_store_are_there_before_the_server_starts_and_new_versions_come() -> None:
    pod = made({"name": "digits", "folder": "mnist"}, lookSeconds=60).pod("Deployment")

    (first,) = pod["initContainers"]
    again = next(each for each in pod["containers"] if each["name"] == "fetch-versions")
    assert (first["args"], again["args"]) == (["0", "mnist"], ["60", "mnist"])
    secret = next(each for each in first["env"] if each["name"].endswith("SECRET_ACCESS_KEY"))
    assert secret["valueFrom"]["secretKeyRef"]["name"] == "models"


def test_gpus_bring_their_image_their_pool_and_its_tolerations() -> None:
    facts = Platform(provisions=(Provision.of(STORE, EXTERNAL),), node_pools=(POOL,))

    objects = made(platform=facts, pool="serve", gpus=1)

    assert server(objects)["image"].endswith("-gpu")
    assert server(objects)["resources"]["limits"]["nvidia.com/gpu"] == "1"
    assert objects.pod("Deployment")["nodeSelector"]["pool"] == "serve"
    assert objects.pod("Deployment")["tolerations"]


def test_more_gpus_than_a_node_has_are_refused() -> None:
    problems = told(TfServing, {"models": [{"name": "a"}], "pool": "serve", "gpus": 4}, node_pools=(POOL,))

    assert any("components.tf-serving.gpus" in problem for problem in problems)


def test_a_changed_model_is_loaded_by_the_running_server_and_changed_batching_restarts_it() -> None:
    def annotations(**config: Any) -> dict[str, str]:
        found: dict[str, str] = made(**config).one("Deployment")["spec"]["template"]["metadata"]["annotations"]
        return found

    assert annotations() == annotations(models=[{"name": "other"}])
    assert annotations() != annotations(batching={})


@pytest.mark.parametrize(
    ("server_name", "words"), [("missing", "no other TensorFlow Serving"), ("next", "namespace elsewhere")]
)
def test_a_canary_is_another_server_of_the_namespace(server_name: str, words: str) -> None:
    config = {"models": [{"name": "a"}], "canary": {"server": server_name, "percent": 10}}
    at = setting(TfServing, config, beside={"emissary": {}}, gateway="emissary")
    there = {**at.platform.components, "next": ComponentFact("2.20.0", "elsewhere", component="tf-serving")}

    found = list(
        component.canary_problems(type(at)(at.name, at.config, at.platform.with_facts(components=there)), server_name)
    )

    assert any(words in str(each) for each in found)


def fake_store(folder: Path, *, broken: bool = False) -> Path:
    """A program that lists and copies folders as rclone does."""
    program = folder / "rclone"
    program.write_text(
        "#!/bin/sh\nset -eu\n"
        'case "$1" in\n'
        f'  lsf) cd "{folder}/store/${{3#store:bucket/}}" && for each in */; do echo "$each"; done ;;\n'
        f'  copy) cp -r "{folder}/store/${{2#store:bucket/}}" "$3"{"; exit 1" if broken else ""} ;;\n'
        "esac\n"
    )
    program.chmod(0o755)
    return program


def fetched(folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": f"{folder}{os.pathsep}{os.defpath}", "MODELS": str(folder / "models"), "BUCKET": "bucket"}
    script = Path(component.__file__).with_name("fetch.sh")
    return subprocess.run(
        ["sh", str(script), "0", "mnist"], env=environment, capture_output=True, text=True, check=False
    )


def test_versions_that_are_missing_are_fetched_whole_and_others_are_left(tmp_path: Path) -> None:
    for name in ("1", "2", "notes"):
        (tmp_path / "store/mnist" / name).mkdir(parents=True)
        (tmp_path / "store/mnist" / name / "saved_model.pb").write_text(name)
    (tmp_path / "models/mnist/1").mkdir(parents=True)
    fake_store(tmp_path)

    result = fetched(tmp_path)

    assert result.returncode == 0, result.stderr
    assert {path.relative_to(tmp_path / "models").as_posix() for path in (tmp_path / "models").rglob("*")} == {
        "mnist",
        "mnist/1",
        "mnist/2",
        "mnist/2/saved_model.pb",
    }


def test_a_version_that_came_in_part_is_not_served(tmp_path: Path) -> None:
    (tmp_path / "store/mnist/1").mkdir(parents=True)
    (tmp_path / "store/mnist/1/saved_model.pb").write_text("half")
    fake_store(tmp_path, broken=True)

    result = fetched(tmp_path)

    assert result.returncode != 0
    assert not (tmp_path / "models/mnist/1").exists()
