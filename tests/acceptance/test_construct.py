"""A component is an ordinary cdk8s construct: it stands in anybody's App, beside anything else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from platform_def.components.training.training_operator.component import TrainingOperator, TrainingOperatorConfig
from platform_def.config.platform import Platform
from platform_def.config.workloads import WorkloadConfig
from platform_def.constructs.render import render
from platform_def.yaml import load_all

import cdk8s  # isort: skip - jsii is pointed at the pinned Node by what is above

Objects = dict[tuple[str, str], Mapping[str, Any]]

CONFIG = TrainingOperatorConfig(
    namespace="training", workloads={"training-operator": WorkloadConfig(replicas=2)}, kinds=["PyTorchJob", "TFJob"]
)
PLATFORM = Platform(registry="registry.example.com/mirror")


def by_kind_and_name(manifests: list[Any]) -> Objects:
    found = {(each["kind"], each["metadata"]["name"]): each for each in manifests}
    assert len(found) == len(manifests)
    return found


def synthesised(app: cdk8s.App, folder: Path) -> Objects:
    app.synth()
    return by_kind_and_name([
        manifest
        for path in sorted(folder.glob("*.k8s.yaml"))
        for manifest in load_all(path.read_text(encoding="utf-8"))
    ])  # fmt: skip


def test_a_stock_app_writes_the_objects_that_a_stack_gets(tmp_path: Path) -> None:
    app = cdk8s.App(outdir=str(tmp_path))
    chart = cdk8s.Chart(app, "training", disable_resource_name_hashes=True)
    cdk8s.ApiObject(chart, "home", api_version="v1", kind="Namespace", metadata={"name": "training"})
    TrainingOperator(chart, config=CONFIG, platform=PLATFORM)

    made = synthesised(app, tmp_path)
    home = made.pop(("Namespace", "training"))
    in_a_stack = render(lambda scope: TrainingOperator(scope, config=CONFIG, platform=PLATFORM)).objects

    assert home["apiVersion"] == "v1"
    assert made == by_kind_and_name([item.manifest for item in in_a_stack])


def test_defaults_are_enough_and_labels_of_the_chart_stay_on_its_own_objects(tmp_path: Path) -> None:
    app = cdk8s.App(outdir=str(tmp_path))
    chart = cdk8s.Chart(app, "training", labels={"team": "vision"}, disable_resource_name_hashes=True)
    cdk8s.ApiObject(chart, "words", api_version="v1", kind="ConfigMap", metadata={"name": "words"})
    TrainingOperator(chart)

    made = synthesised(app, tmp_path)

    assert made["ConfigMap", "words"]["metadata"]["labels"] == {"team": "vision"}
    assert "team" not in made["Deployment", "training-operator"]["metadata"]["labels"]
    assert made["Deployment", "training-operator"]["metadata"]["namespace"] == "kubeflow"


def test_its_objects_can_be_found_patched_and_depended_on(tmp_path: Path) -> None:
    app = cdk8s.App(outdir=str(tmp_path))
    chart = cdk8s.Chart(app, "training", disable_resource_name_hashes=True)
    operator = TrainingOperator(chart, config=CONFIG)
    after = cdk8s.ApiObject(chart, "after", api_version="v1", kind="ConfigMap", metadata={"name": "after"})
    after.node.add_dependency(operator)
    deployment = next(
        item for item in operator.node.find_all() if isinstance(item, cdk8s.ApiObject) and item.kind == "Deployment"
    )
    deployment.add_json_patch(cdk8s.JsonPatch.replace("/spec/replicas", 3))

    made = synthesised(app, tmp_path)

    assert list(made)[-1] == ("ConfigMap", "after")
    assert made["Deployment", "training-operator"]["spec"]["replicas"] == 3


def test_two_stand_in_two_charts_of_one_app(tmp_path: Path) -> None:
    app = cdk8s.App(outdir=str(tmp_path))
    for name in ("one", "two"):
        chart = cdk8s.Chart(app, name, disable_resource_name_hashes=True)
        TrainingOperator(chart, config=TrainingOperatorConfig(namespace=name, kinds=["PyTorchJob"]))
    app.synth()
    texts = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}

    assert "namespace: two" not in texts["one.k8s.yaml"]
    assert texts["one.k8s.yaml"].replace("namespace: one", "namespace: two") == texts["two.k8s.yaml"]
