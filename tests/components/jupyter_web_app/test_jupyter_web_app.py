"""The form of notebooks: what it offers follows from the stack; whom the application believes."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from platform_def.capabilities import MeshCaller
from platform_def.components.notebooks.jupyter_web_app.component import JupyterWebApp
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.constructs import ConfigError, Setting
from tests.unit.built import Objects, built
from tests.unit.meshed import HTTP, meshed, problems, variables

TRAIN = NodePool.from_file(
    {
        "name": "train",
        "selector": {"pool": "train"},
        "taints": ["gpu=present:NoSchedule"],
        "gpu": {"model": "a100-80gb", "perNode": 8},
    }
)
MIG = NodePool.from_file(
    {
        "name": "mig",
        "selector": {"pool": "mig"},
        "gpu": {"model": "h100-80gb", "perNode": 8, "mig": {"strategy": "mixed", "layout": {"1g.10gb": 7}}},
    }
)
VIRTUAL = NodePool.from_file(
    {
        "name": "virtual",
        "gpu": {"model": "t4", "perNode": 4, "sharing": {"mode": "vgpu", "layer": "hami", "replicas": 4}},
    }
)
CULLER = MeshCaller(purpose="notebook-activity", namespace="kubeflow", account="notebook-controller")
IMAGES = {"jupyter": ["registry.example.com/lab:1"], "vscode": ["registry.example.com/code:1"]}


def app(platform: Platform | None = None, **config: Any) -> Objects:
    chosen = JupyterWebApp.config_model().from_file(config)
    fields = {name: getattr(chosen, name) for name in chosen.model_fields_set}
    return built(JupyterWebApp, platform or meshed(), **fields)


def form(made: Objects) -> dict[str, Any]:
    text = made.one("ConfigMap", "jupyter-web-app-config")["data"]["spawner_ui_config.yaml"]
    found: dict[str, Any] = yaml.safe_load(text)["spawnerFormDefaults"]
    return found


def names(field: dict[str, Any]) -> list[str]:
    return [each.rpartition("/")[2].partition(":")[0] for each in field["options"]]


def test_cuda_images_are_offered_only_where_there_are_gpus() -> None:
    assert "jupyter-pytorch-cuda-full" not in names(form(app())["image"])
    assert "jupyter-pytorch-cuda-full" in names(form(app(meshed(node_pools=(TRAIN,))))["image"])


def test_servers_that_do_not_say_when_they_are_idle_are_left_out_where_idle_ones_are_stopped() -> None:
    assert names(form(app())["imageGroupOne"]) == ["codeserver-python"]
    stopped = form(app(meshed(CULLER)))

    assert stopped["imageGroupOne"]["options"] == stopped["imageGroupTwo"]["options"] == []
    assert names(form(app(meshed(CULLER), images=IMAGES))["imageGroupOne"]) == ["code"]


def test_images_pass_through_the_mirror_and_are_known_to_it() -> None:
    made = form(app(meshed(registry="mirror.example.com"), images=IMAGES))
    config = JupyterWebApp.config_model().from_file({"images": IMAGES})
    known = JupyterWebApp.runtime_images(Setting("jupyter-web-app", config, meshed()))

    assert made["image"]["value"] == "mirror.example.com/registry.example.com/lab:1"
    assert {"registry.example.com/lab:1", "registry.example.com/code:1"} <= {*known}


def test_devices_are_those_of_the_pools_that_one_limit_asks_for() -> None:
    vendors = form(app(meshed(node_pools=(TRAIN, MIG, VIRTUAL))))["gpus"]["value"]["vendors"]

    assert {each["limitsKey"] for each in vendors} == {"nvidia.com/gpu", "nvidia.com/mig-1g.10gb"}


def test_a_notebook_can_choose_a_pool() -> None:
    found = form(app(meshed(node_pools=(TRAIN,))))
    (affinity,), (group,) = found["affinityConfig"]["options"], found["tolerationGroup"]["options"]

    assert (affinity["configKey"], group["groupKey"]) == ("train", "train")
    assert group["tolerations"] == [{"key": "gpu", "operator": "Equal", "value": "present", "effect": "NoSchedule"}]
    assert "'pool'" in str(affinity["affinity"])


def test_the_home_folder_is_on_the_storage_that_the_stack_names() -> None:
    claim = form(app())["workspaceVolume"]["value"]["newPvc"]["spec"]

    assert "storageClassName" not in claim
    assert claim["resources"] == {"requests": {"storage": "5Gi"}}
    with pytest.raises(ConfigError, match="storage 'missing' is not in the stack"):
        app(homeStorage="missing")


def test_every_field_that_the_program_reads_has_its_form() -> None:
    found = form(app())
    read = [
        "image",
        "imagePullPolicy",
        "cpu",
        "memory",
        "gpus",
        "shm",
        "environment",
        "configurations",
        "tolerationGroup",
        "affinityConfig",
    ]

    assert all("value" in found[each] for each in read)
    assert isinstance(found["cpu"]["value"], str)
    assert found["cpu"]["limitFactor"] == found["memory"]["limitFactor"] == "1.2"
    assert form(app(limitFactor="none"))["cpu"]["limitFactor"] == "none"


def test_it_believes_the_header_of_the_stack_below_its_prefix() -> None:
    found = variables(app())

    assert (found["APP_PREFIX"], found["USERID_HEADER"], found["USERID_PREFIX"]) == ("/jupyter", "kubeflow-userid", "")
    assert found["APP_SECURE_COOKIES"] == "true"
    assert variables(app(meshed(ingress=HTTP)))["APP_SECURE_COOKIES"] == "false"


def test_the_gateway_alone_reaches_it_and_takes_its_prefix_off() -> None:
    made = app()
    (route,) = made.one("VirtualService")["spec"]["http"]
    (rule,) = made.one("AuthorizationPolicy", "jupyter-web-app-deployment")["spec"]["rules"]

    assert (route["match"], route["rewrite"]) == ([{"uri": {"prefix": "/jupyter/"}}], {"uri": "/"})
    assert rule["from"] == [{"source": {"principals": ["ml.example.com/ns/front/sa/front"]}}]


def test_administrators_reach_it_by_port_forward_alone() -> None:
    made = app(access="administrators")
    found = variables(made)

    assert made.of("VirtualService") == []
    assert (found["APP_PREFIX"], found["APP_SECURE_COOKIES"], found["APP_DISABLE_AUTH"]) == ("/", "false", "true")


def test_a_form_for_notebooks_that_nothing_runs_is_refused() -> None:
    assert problems(JupyterWebApp, meshed()) == []
    assert problems(JupyterWebApp, meshed(apis=frozenset())) == [
        "components.jupyter-web-app: nothing in the stack serves the notebooks that it makes"
    ]


def test_notebooks_whose_account_nothing_makes_are_refused() -> None:
    assert problems(JupyterWebApp, meshed(access=None)) == [
        "components.jupyter-web-app: notebooks run under the account default-editor, which nothing in the stack makes"
    ]
