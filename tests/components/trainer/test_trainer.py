"""Kubeflow Trainer: its runtimes and what a stack makes of them, certificates, gangs, rights."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.capabilities import TrainingRuntimes
from platform_def.components.training.trainer.component import Trainer
from platform_def.components.training.trainer.runtimes import RUNTIMES
from platform_def.config.capability import Provision
from platform_def.config.pools import NodePool
from platform_def.config.teams import Team
from platform_def.yaml import load
from tests.unit.built import Objects, built, grants, platform, setting, stack_of, told

MANAGER = "kubeflow-trainer-controller-manager"
RUNTIME = "ClusterTrainingRuntime"
ALIKE = ["jax-distributed", "torch-distributed", "xgboost-distributed"]
"""Runtimes whose nodes are all alike."""
CPU = "torch-distributed-cpu"
WHOLE: dict[str, Any] = {
    "name": "train",
    "nodes": 2,
    "selector": {"pool": "train"},
    "taints": ["gpu=train:NoSchedule"],
    "gpu": {"model": "a100-80gb", "perNode": 8},
}
SHARED = {**WHOLE, "name": "share", "gpu": {"model": "t4", "perNode": 4, "sharing": {"mode": "mps", "replicas": 2}}}
TRAIN, SLICED = NodePool.from_file(WHOLE), NodePool.from_file(SHARED)


def on(*pools: NodePool, config: dict[str, Any] | None = None) -> Objects:
    beside = {"trainer": config or {}, "jobset": {}, "nvidia-device-plugin": {}}
    return built(Trainer, stack_of(beside, node_pools=pools), **(config or {}))


def pods(made: Objects, runtime: str) -> dict[str, dict[str, Any]]:
    """Pods of a runtime by the group that they belong to."""
    groups = made.one(RUNTIME, runtime)["spec"]["template"]["spec"]["replicatedJobs"]
    return {each["name"]: each["template"]["spec"]["template"]["spec"] for each in groups}


def configuration(made: Objects) -> dict[str, Any]:
    text = made.one("ConfigMap", "kubeflow-trainer-config")["data"]["controller_manager_config.yaml"]
    found = load(text.encode(), file="config")
    assert isinstance(found, dict)
    return found


def test_all_runtimes_of_the_release_are_there_where_a_pool_has_their_gpus() -> None:
    assert on(TRAIN, config={"withoutGpus": ALIKE}).names(RUNTIME) == sorted(each.name for each in RUNTIMES)


@pytest.mark.parametrize("pools", [(), (SLICED,)])
def test_runtimes_that_bring_their_own_gpus_are_left_out_where_no_pool_has_them(pools: tuple[NodePool, ...]) -> None:
    made = on(*pools, config={"withoutGpus": ALIKE})

    assert made.names(RUNTIME) == sorted(each.name for each in RUNTIMES if not each.program)


def test_where_gpus_need_a_class_a_runtime_of_equal_nodes_is_there_without_it_too() -> None:
    made, by_default = on(TRAIN), on(TRAIN, config={"withoutGpus": ["xgboost-distributed"]})
    spec = made.one(RUNTIME, "torch-distributed-cpu")["spec"]
    classes = [pods(made, name)["node"].pop("runtimeClassName", "") for name in ("torch-distributed", CPU)]

    assert {name for name in made.names(RUNTIME) if name.endswith("-cpu")} == {f"{name}-cpu" for name in ALIKE}
    assert classes == ["nvidia", ""]
    assert spec == made.one(RUNTIME, "torch-distributed")["spec"]
    assert made.part(RUNTIME, CPU) == "after"
    assert "xgboost-distributed-cpu" not in by_default.names(RUNTIME)
    assert CPU not in built(Trainer).names(RUNTIME)


def test_they_run_on_the_pool_that_has_them() -> None:
    node = pods(on(SLICED, TRAIN), "torchtune-llama3.2-1b")["node"]

    assert node["nodeSelector"] == {"pool": "train"}
    assert node["tolerations"][0]["value"] == "train"
    assert node["containers"][0]["resources"]["limits"] == {"nvidia.com/gpu": "2"}
    assert {each["mountPath"] for each in node["containers"][0]["volumeMounts"]} == {"/workspace", "/dev/shm"}


def test_what_they_fetch_first_takes_no_gpus() -> None:
    made = pods(on(TRAIN), "torchtune-qwen2.5-1.5b")

    assert set(made) == {"dataset-initializer", "model-initializer", "node"}
    assert "resources" not in made["model-initializer"]["containers"][0]


def test_a_pool_that_is_named_must_have_them() -> None:
    said = told(Trainer, {"fineTuningPool": "share"}, beside={"jobset": {}}, node_pools=(SLICED, TRAIN))

    told_once = "components.trainer.fineTuningPool: pool share has no 2 whole GPUs a node"
    assert any(told_once in each and each.count("fineTuningPool") == 1 for each in said)


def test_a_runtime_that_no_pool_can_run_is_refused_where_it_is_named() -> None:
    said = told(Trainer, {"runtimes": ["torchtune-llama3.2-1b"]}, beside={"jobset": {}}, node_pools=(SLICED,))

    assert any("torchtune-llama3.2-1b asks for 2 whole GPUs a node" in each for each in said)


def test_runtimes_are_chosen_by_name() -> None:
    assert on(TRAIN, config={"runtimes": ["mlx-distributed"]}).names(RUNTIME) == ["mlx-distributed"]
    assert on(TRAIN, config={"runtimes": []}).names(RUNTIME) == []


def test_runtimes_come_after_the_webhook_that_judges_them() -> None:
    made = on(TRAIN)

    assert {made.part(RUNTIME, each.name) for each in RUNTIMES} == {"after"}
    assert made.part("ValidatingWebhookConfiguration") == "main"


def test_pods_have_time_for_a_checkpoint_keep_their_last_words_and_have_no_proxy_beside_them() -> None:
    made = on(TRAIN, config={"gracePeriodSeconds": 300})
    for runtime in RUNTIMES:
        for job in made.one(RUNTIME, runtime.name)["spec"]["template"]["spec"]["replicatedJobs"]:
            template = job["template"]["spec"]["template"]
            assert template["spec"]["terminationGracePeriodSeconds"] == 300
            assert template["spec"]["restartPolicy"] == "Never"
            assert template["metadata"]["labels"]["sidecar.istio.io/inject"] == "false"
            (container,) = template["spec"]["containers"]
            assert container["terminationMessagePolicy"] == "FallbackToLogsOnError"


def test_gpus_are_reached_by_their_runtimeclass_unless_a_runtime_is_for_processors() -> None:
    made = on(TRAIN, config={"withoutGpus": ["xgboost-distributed"]})

    assert pods(made, "torch-distributed")["node"]["runtimeClassName"] == "nvidia"
    assert "runtimeClassName" not in pods(made, "xgboost-distributed")["node"]
    assert "runtimeClassName" not in pods(built(Trainer), "torch-distributed")["node"]


def test_the_job_that_trains_is_marked_so_that_trainjobs_change_it() -> None:
    step = "trainer.kubeflow.org/trainjob-ancestor-step"
    launched = on(TRAIN).one(RUNTIME, "deepspeed-distributed")["spec"]["template"]["spec"]
    node, launcher = launched["replicatedJobs"]

    assert launcher["template"]["metadata"]["labels"] == {step: "trainer"}
    assert "metadata" not in node["template"]
    assert launched["successPolicy"]["targetReplicatedJobs"] == ["launcher"]


def test_images_of_runtimes_come_through_the_mirror() -> None:
    made = built(Trainer, platform(registry="registry.example.com/m"))

    image = pods(made, "torch-distributed")["node"]["containers"][0]["image"]
    assert image.startswith("registry.example.com/m/docker.io/pytorch/pytorch:")


@pytest.mark.parametrize(("kind", "policy"), [("volcano", "volcano"), ("scheduler-plugins", "coscheduling")])
def test_a_gang_scheduler_starts_the_pods_of_every_runtime_together(kind: str, policy: str) -> None:
    config: dict[str, Any] = {"gangScheduler": kind, "runtimes": ["torch-distributed"]}
    outside = Provision("gangScheduler", "external", {"implementation": kind, "scheduler": "gangs"})
    made = built(Trainer, platform(provisions=(outside,)), **config)

    assert made.one(RUNTIME)["spec"]["podGroupPolicy"] == {policy: {}}
    assert pods(made, "torch-distributed")["node"]["schedulerName"] == "gangs"


def test_pods_that_come_one_after_the_other_are_no_gang() -> None:
    facts = stack_of({"trainer": {}, "jobset": {}, "nvidia-device-plugin": {}}, node_pools=(TRAIN,))
    outside = Provision("gangScheduler", "external", {"implementation": "volcano", "scheduler": "gangs"})
    made = built(Trainer, facts.with_facts(provisions=(*facts.provisions, outside)), gangScheduler="volcano")
    first, *_ = made.one(RUNTIME, "torchtune-llama3.2-1b")["spec"]["template"]["spec"]["replicatedJobs"]

    gangs = {name for name in made.names(RUNTIME) if "podGroupPolicy" in made.one(RUNTIME, name)["spec"]}
    assert gangs == {each.name for each in RUNTIMES if not each.program} | {f"{name}-cpu" for name in ALIKE}
    assert first["template"]["spec"]["template"]["spec"]["schedulerName"] == "gangs"


def test_a_launcher_waits_for_its_nodes_unless_a_gang_waits_for_the_launcher() -> None:
    def launcher(**config: Any) -> dict[str, Any]:
        spec = built(Trainer, runtimes=["deepspeed-distributed"], **config).one(RUNTIME)["spec"]["template"]["spec"]
        found: dict[str, Any] = spec["replicatedJobs"][-1]
        return found

    assert launcher()["dependsOn"] == [{"name": "node", "status": "Ready"}]
    assert "dependsOn" not in launcher(gangScheduler="volcano")
    assert launcher()["name"] == launcher(gangScheduler="volcano")["name"] == "launcher"


def test_keys_of_a_launcher_are_its_users_to_read() -> None:
    made = pods(on(TRAIN), "mlx-distributed")

    assert {made[name]["securityContext"]["fsGroup"] for name in ("launcher", "node")} == {1000}
    assert {made[name]["containers"][0]["securityContext"]["runAsUser"] for name in ("launcher", "node")} == {1000}


def test_runtimes_alone_may_be_spared_the_webhooks_judgement() -> None:
    hooks = built(Trainer).one("ValidatingWebhookConfiguration")["webhooks"]
    spared = {each["name"].split(".")[1] for each in hooks if "webhook-validation" in str(each["objectSelector"])}

    assert spared == {"clustertrainingruntime", "trainingruntime"}


@pytest.mark.parametrize(("queue", "gangs"), [("research", False), (None, True)])
def test_where_jobs_wait_in_kueue_volcano_keeps_no_room_for_them(queue: str | None, gangs: bool) -> None:
    outside = (
        Provision("gangScheduler", "external", {"implementation": "volcano", "scheduler": "gangs"}),
        Provision("jobQueue", "external", {"implementation": "kueue", "label": "kueue.x-k8s.io/queue-name"}),
    )
    made = built(Trainer, platform(provisions=outside, teams=(Team(name="vision", queue=queue),)))

    assert ("podGroupPolicy" in made.one(RUNTIME, "torch-distributed")["spec"]) is gangs
    assert pods(made, "torch-distributed")["node"]["schedulerName"] == "gangs"


def test_the_webhook_may_look_for_priorities_of_pods() -> None:
    rules = built(Trainer).one("ClusterRole", MANAGER)["rules"]

    assert grants(rules, "scheduling.k8s.io", "priorityclasses") == {"get", "list", "watch"}


def test_without_jobsets_it_says_what_to_add() -> None:
    assert any("jobs become JobSets" in each for each in told(Trainer))
    assert told(Trainer, beside={"jobset": {}}) == []


def test_it_makes_its_own_certificate_or_has_no_right_to() -> None:
    own, signed = built(Trainer), built(Trainer, certificates="cert-manager")
    group, kind = "admissionregistration.k8s.io", "validatingwebhookconfigurations"

    assert configuration(own)["certManagement"]["enable"] is True
    assert "update" in grants(own.rules("ClusterRole", MANAGER), group, kind)
    assert configuration(signed)["certManagement"]["enable"] is False
    assert not grants(signed.rules("ClusterRole", MANAGER), group, kind)
    assert signed.names("Secret") == []
    names = signed.one("Certificate")["spec"]["dnsNames"]
    assert f"{MANAGER}.kubeflow-system.svc" in names


def test_the_lease_is_held_in_its_own_namespace_by_rights_of_that_namespace() -> None:
    made = built(Trainer, namespace="training")

    assert configuration(made)["leaderElection"]["resourceNamespace"] == "training"
    assert made.one("Role", f"{MANAGER}-leader-election")["metadata"]["namespace"] == "training"
    assert not grants(made.rules("ClusterRole", MANAGER), "coordination.k8s.io", "leases")


def test_progress_opens_the_server_that_pods_report_to() -> None:
    off, on_ = built(Trainer), built(Trainer, progress=True)

    assert "featureGates" not in configuration(off)
    assert configuration(on_)["featureGates"] == {"TrainJobStatus": True}
    assert [len(each.one("Service")["spec"]["ports"]) for each in (off, on_)] == [2, 3]


def test_people_write_trainjobs_and_read_runtimes() -> None:
    made = built(Trainer)
    edit = made.rules("ClusterRole", "kubeflow-trainer-edit")

    assert "create" in grants(edit, "trainer.kubeflow.org", "trainjobs")
    assert grants(edit, "trainer.kubeflow.org", "trainingruntimes") == {"get", "list", "watch"}
    everybody = made.one("ClusterRoleBinding", "kubeflow-trainer-view-cluster-runtimes")["subjects"]
    assert [each["name"] for each in everybody] == ["system:authenticated"]


def test_its_names_are_none_of_the_training_operator_s() -> None:
    from platform_def.components.training.training_operator.component import TrainingOperator

    def named(made: Objects) -> set[tuple[str, str]]:
        return {(each["kind"], each["metadata"]["name"]) for each in made.all}

    assert not named(built(Trainer)) & named(built(TrainingOperator))


def test_runtimes_are_offered_as_a_trainjob_must_know_them() -> None:
    (given,) = Trainer.offers(setting(Trainer, {"runtimes": ["mlx-distributed"]})).capabilities

    assert given.plain()["runtimes"] == [
        {
            "name": "mlx-distributed",
            "groups": ["launcher", "node"],
            "program": False,
            "gpus": True,
            "onProcessors": "",
        }
    ]


def test_which_runtime_jobs_without_gpus_train_on_is_offered() -> None:
    beside: dict[str, dict[str, Any]] = {"jobset": {}, "nvidia-device-plugin": {}}
    at = setting(Trainer, {"runtimes": ["torch-distributed"]}, beside=beside, node_pools=(TRAIN,))
    (given,) = Trainer.offers(at).capabilities

    assert isinstance(given, TrainingRuntimes)
    assert [(each.name, each.gpus, each.on_processors) for each in given.runtimes] == [
        ("torch-distributed", True, CPU),
        (CPU, False, ""),
    ]
