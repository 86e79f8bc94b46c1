"""Pipelines of the SDK 2.17 with kfp-kubernetes: what its compiler writes is read by the types of KFP's API and taken by the
template `pipeline`, and the SDK's local runner runs what needs neither an image nor a cluster.

Real: kfp and kfp-kubernetes 2.17.0 with compiler, types and local runner. The server, which makes a Workflow of a package, is in
no package registry and does not run.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from platform_def.manifests.rendered import RenderedStack
from tests.cluster.client import Manifest
from tests.cluster.conftest import or_skip
from tests.cluster.pipelines import compile_v2
from tests.cluster.stacks import rendered_stack

pytestmark = pytest.mark.cluster

MIRROR = "registry.example.com/mirror"
STACK = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36", registry: {MIRROR}}}
storage:
  shared: {{driver: existing, accessModes: [ReadWriteOnce, ReadWriteMany], default: true}}
components:
  argo-workflows: {{artifacts: false}}
  mysql: {{nativePassword: true}}
  seaweedfs: {{}}
  kfp: {{serves: one, ui: {{access: administrators}}}}
jobs:
  - {{template: pipeline, name: hello, namespace: kubeflow, file: pipelines/hello.yaml, schedule: {{cron: "0 3 * * 1"}}}}
  - {{template: pipeline, name: calculation, namespace: kubeflow, file: pipelines/calculation.yaml, parameters: {{a: 1}}}}
  - {{template: pipeline, name: sequential, namespace: kubeflow, file: pipelines/sequential.yaml}}
  - {{template: pipeline, name: lines, namespace: kubeflow, file: pipelines/lines.yaml, parameters: {{count: 2}}}}
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository with the packages."""
    return tmp_path_factory.mktemp("packages")


@pytest.fixture(scope="module")
def found(root: Path) -> Manifest:
    """What reading and running the packages came to."""
    return or_skip(lambda: compile_v2(root / "pipelines"))


@pytest.fixture(scope="module")
def rendered(root: Path, found: Manifest) -> RenderedStack:
    """What the template makes of them."""
    assert found
    return rendered_stack(root, STACK, name="packages")


def asked(rendered: RenderedStack, name: str) -> dict[str, Any]:
    """What the Job of a pipeline asks the server to run."""
    (files,) = (each.manifest for each in rendered.jobs[name] if each.manifest["kind"] == "ConfigMap")
    plan = json.loads(files["data"]["plan.json"])
    given: dict[str, Any] = plan["pipeline_spec"]
    return given


def test_packages_are_read_by_the_types_of_the_api(found: Manifest) -> None:
    assert {name: each["schema"] for name, each in found["read"].items()} == dict.fromkeys(
        ("hello", "calculation", "sequential", "lines"), "2.1.0"
    )
    assert found["read"]["sequential"]["kubernetes"] == ["exec-keep", "exec-read"], "both mount the volume"


def test_functions_values_and_files_run_in_the_local_runner(found: Manifest) -> None:
    assert found["ran"] == {"hello": "Hello world", "calculation": 19.0, "lines": "one|two"}


def test_what_runs_an_image_is_refused_by_the_runner_that_has_none(found: Manifest) -> None:
    assert "attempting to run a Container Component" in found["refused"]


def test_the_server_gets_each_package_whole_with_images_from_the_mirror(rendered: RenderedStack) -> None:
    whole = {name: asked(rendered, name) for name in rendered.jobs}
    spec = whole["sequential"]["pipeline_spec"]
    images = {name: each["container"]["image"] for name, each in spec["deploymentSpec"]["executors"].items()}

    assert whole["sequential"]["platform_spec"]["platforms"]["kubernetes"]["deploymentSpec"]["executors"].keys() == {
        "exec-keep",
        "exec-read",
    }
    assert images["exec-createpvc"] == "argostub/createpvc", (
        "the server makes the claim itself where it reads this word"
    )
    assert whole["hello"]["deploymentSpec"]["executors"]["exec-echo"]["container"]["image"].startswith(f"{MIRROR}/")
