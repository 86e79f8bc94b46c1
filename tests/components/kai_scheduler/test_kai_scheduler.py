"""KAI: what its operator is told, queues from teams, and rights of programs whose accounts it makes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.capabilities import BinPacker, DashboardReader, GangScheduler, JobQueue, Metrics
from platform_def.components.queues.kai_scheduler.component import KaiScheduler
from platform_def.components.queues.kai_scheduler.config import KaiSchedulerConfig
from platform_def.components.queues.kai_scheduler.releases import OPERANDS
from platform_def.components.training.kuberay_operator.component import KuberayOperator
from platform_def.components.training.trainer.component import Trainer
from platform_def.components.training.training_operator.component import TrainingOperator
from platform_def.config.capability import Provision
from platform_def.config.pools import NodePool
from platform_def.config.teams import Team
from tests.unit.built import Objects, built, grants, platform, setting, stack_of, told

TEAMS = (
    Team.from_file({"name": "vision", "queue": "vision", "quota": {"gpus": 12}, "borrow": {"gpus": 2}}),
    Team.from_file({"name": "text", "queue": "language"}),
    Team.from_file({"name": "other"}),
)
ALL = {"quota": -1, "limit": -1, "overQuotaWeight": 1}


def pool(name: str = "train", **gpu: Any) -> NodePool:
    fields = {"model": "a100-80gb", "perNode": 8, **gpu}
    return NodePool.from_file({"name": name, "nodes": 2, "selector": {"pool": name}, "gpu": fields})


def kai(
    teams: tuple[Team, ...] = TEAMS, pools: tuple[NodePool, ...] = (pool(),), *, stack: Any = None, **config: Any
) -> Objects:
    there = stack_of({"kai-scheduler": {}, "nvidia-device-plugin": {}}, teams=teams, node_pools=pools, **(stack or {}))
    return built(KaiScheduler, there, **config)


def spec(objects: Objects) -> dict[str, Any]:
    return dict(objects.one("Config", "kai-config")["spec"])


def gpus(objects: Objects, queue: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = objects.one("Queue", queue)["spec"]["resources"]["gpu"]
    return found


def problems(config: dict[str, Any] | None = None, *, beside: Any = None, **stack: Any) -> list[str]:
    return told(KaiScheduler, config, beside={"nvidia-device-plugin": {}, **(beside or {})}, **stack)


def test_queues_own_what_quotas_say_and_are_bounded_by_what_they_borrow() -> None:
    objects = kai()

    assert gpus(objects, "vision") == {"quota": 12, "limit": 14, "overQuotaWeight": 1}
    assert gpus(objects, "language") == {"quota": 0, "limit": -1, "overQuotaWeight": 1}
    assert objects.part("Queue", "vision") == "after"


def test_what_no_team_owns_is_for_pods_that_name_no_queue() -> None:
    objects = kai()

    assert gpus(objects, "default-queue") == {"quota": 4, "limit": -1, "overQuotaWeight": 1}
    parents = {each["metadata"]["name"]: each["spec"].get("parentQueue") for each in objects.of("Queue")}
    assert parents == dict.fromkeys(("default-queue", "language", "vision"), "default-parent-queue") | {
        "default-parent-queue": None
    }


def test_queues_of_members_and_the_team_s_are_below_the_share_that_is_the_team_s() -> None:
    members = [{"name": "li@example.com", "quota": {"gpus": 2}}, {"name": "ada@example.com", "quota": {"cpu": "8"}}]
    quota = {"quota": {"gpus": 4}, "borrow": {"gpus": 1}}
    objects = kai((Team.from_file({"name": "vision", "queue": "vision", "members": members, **quota}), TEAMS[1]))
    parents = {each["metadata"]["name"]: each["spec"].get("parentQueue") for each in objects.of("Queue")}

    assert parents["vision-share"] == parents["language"] == "default-parent-queue"
    assert {parents[name] for name in ("vision", "team-vision-li", "team-vision-ada")} == {"vision-share"}
    assert gpus(objects, "vision-share") == gpus(objects, "vision") == {"quota": 4, "limit": 5, "overQuotaWeight": 1}
    assert gpus(objects, "team-vision-li") == {"quota": 2, "limit": 2, "overQuotaWeight": 1}
    assert gpus(objects, "team-vision-ada") == {"quota": 4, "limit": 5, "overQuotaWeight": 1}


def test_a_queue_without_a_part_of_processors_would_get_none() -> None:
    for queue in kai().of("Queue"):
        assert queue["spec"]["resources"]["cpu"] == queue["spec"]["resources"]["memory"] == ALL


def test_without_pools_nobody_knows_how_many_cards_a_queue_owns() -> None:
    assert gpus(kai(pools=()), "vision") == gpus(kai(pools=()), "default-queue") == ALL


def test_a_mig_device_counts_as_many_cards_as_it_has_slices() -> None:
    mig = {"strategy": "mixed", "layout": {"3g.40gb": 2}}
    teams = (Team.from_file({"name": "a", "queue": "a", "quota": {"mig": {"3g.40gb": 6}}, "borrow": {"mig": {}}}),)

    assert gpus(kai(teams, (pool(mig=mig),)), "a")["quota"] == 18


def test_a_quota_of_what_kai_does_not_count_is_told() -> None:
    shared = pool(sharing={"mode": "time-slicing", "replicas": 4, "rename": True})
    teams = (Team.from_file({"name": "a", "queue": "a", "quota": {"slices": 8}}),)
    (found,) = problems(teams=teams, node_pools=(shared,))

    assert "queue a has a quota of nvidia.com/gpu.shared" in found


@pytest.mark.parametrize("name", ["default-queue", "default-parent-queue"])
def test_upstream_s_queues_are_nobody_s(name: str) -> None:
    (found,) = problems(teams=(Team.from_file({"name": "a", "queue": name}),))

    assert f"queue {name} is kai-scheduler's own" in found


@pytest.mark.parametrize("other", ["volcano", "scheduler-plugins", "kueue"])
def test_a_second_who_schedules_gangs_or_keeps_queues_is_told_once(other: str) -> None:
    (found,) = problems(beside={other: {}, "cert-manager": {}})

    assert f"components.kai-scheduler: {other}" in found
    assert problems() == []


def test_what_it_gives() -> None:
    gangs, queues, packer = KaiScheduler.offers(setting(KaiScheduler)).capabilities
    assert isinstance(gangs, GangScheduler)
    assert isinstance(queues, JobQueue)
    assert isinstance(packer, BinPacker)

    assert gangs.by_owner
    assert queues.pod_label == "kai.scheduler/queue"
    assert {gangs.scheduler, queues.scheduler, packer.scheduler} == {"kai-scheduler"}
    spread = KaiScheduler.offers(setting(KaiScheduler, {"binPacking": False})).capabilities
    assert not any(isinstance(each, BinPacker) for each in spread)


def test_every_image_is_written_out_through_the_mirror() -> None:
    found = spec(kai(stack={"registry": "registry.example.com/m"}))
    images = [
        part["service"].get("image") for name, part in found.items() if isinstance(part, dict) and "service" in part
    ]
    images += [found["binder"]["resourceReservation"]["image"], found["nodeScaleAdjuster"]["args"]["scalingPodImage"]]
    names = {f"{each['repository']}/{each['name']}:{each['tag']}" for each in images if each}

    assert names == {f"registry.example.com/m/{image}" for image in OPERANDS.values()}


def test_pods_are_spread_and_stay_where_nodes_are_not_to_be_filled() -> None:
    packed = kai().one("SchedulingShard")["spec"]
    assert packed["placementStrategy"] == {"gpu": "binpack", "cpu": "binpack"}
    assert "actions" not in packed

    spread = kai(binPacking=False, consolidation=False).one("SchedulingShard")["spec"]
    assert spread["placementStrategy"] == {"gpu": "spread", "cpu": "spread"}
    assert spread["actions"] == {"consolidation": {"enabled": False}}


def test_times_of_the_scheduler_are_the_stack_s() -> None:
    found = kai(reclaimAfter="10m", preemptAfter="1h30m", schedulePeriodSeconds=5).one("SchedulingShard")["spec"]

    assert found["minRuntime"] == {"reclaimMinRuntime": "10m", "preemptMinRuntime": "1h30m"}
    assert found["args"] == {"schedule-period": "5s"}
    with pytest.raises(ValidationError):
        KaiSchedulerConfig(reclaim_after="ten minutes")


def test_high_availability_doubles_what_elects_a_leader_and_gives_budgets() -> None:
    once, twice = spec(kai()), spec(kai(availability="ha"))
    programs = ("admission", "binder", "podGrouper", "podGroupController", "queueController", "scheduler")

    assert {once[name]["replicas"] for name in programs} == {1}
    assert {twice[name]["replicas"] for name in programs} == {2}
    assert once["scheduler"]["service"]["podDisruptionBudget"] == {"enabled": False}
    assert twice["scheduler"]["service"]["podDisruptionBudget"] == {"enabled": True}
    assert "--leader-elect" in kai(availability="ha").arguments("Deployment", "kai-operator")


def test_programs_are_changed_like_those_of_other_components() -> None:
    limits = {"resources": {"limits": {"memory": "8Gi"}}}
    found = spec(kai(workloads={"scheduler": {"replicas": 3, "containers": {"scheduler": limits}}}))["scheduler"]

    assert found["replicas"] == 3
    assert found["service"]["resources"]["limits"] == {"cpu": "4", "memory": "8Gi"}


def test_pods_go_where_the_component_is_to_be() -> None:
    placement = {"nodeSelector": {"role": "system"}, "tolerations": ["system:NoSchedule"]}
    found = spec(kai(placement=placement, stack={"system_priority": "platform"}))["global"]

    assert found["nodeSelector"] == {"role": "system"}
    assert found["tolerations"] == [{"key": "system", "operator": "Exists", "effect": "NoSchedule"}]
    assert found["priorityClassName"] == "platform"
    assert spec(kai())["global"]["priorityClassName"] == "system-cluster-critical"


def test_parts_of_cards_are_given_where_the_stack_says_so() -> None:
    assert spec(kai())["admission"]["gpuSharing"] is False

    shared = spec(kai(gpuSharing=True, reservationNamespace="cards", stack={"nvidia_runtime": "class"}))
    assert shared["admission"]["gpuSharing"] is True
    assert shared["admission"]["gpuFractionRuntimeClassName"] == "nvidia"
    assert shared["binder"]["resourceReservation"]["runtimeClassName"] == "nvidia"
    assert shared["binder"]["resourceReservation"]["namespace"] == "cards"


def test_the_operator_writes_secrets_in_its_namespace_alone() -> None:
    objects = kai()
    everywhere = objects.one("ClusterRole", "kai-operator")["rules"]
    (here,) = (
        each
        for each in objects.of("Role")
        if each["metadata"]["name"] == "kai-operator" and _home(each) == "kai-scheduler"
    )

    assert grants(everywhere, "", "secrets") == {"get", "list", "watch"}
    assert "create" in grants(here["rules"], "", "secrets")
    assert grants(everywhere, "apps", "deployments") == {"get", "list", "watch"}


def test_each_program_has_its_own_rights_and_its_own_lease() -> None:
    objects = kai()
    bound = {
        each["subjects"][0]["name"]: each["roleRef"]["name"]
        for each in objects.of("ClusterRoleBinding")
        if each["subjects"][0]["namespace"] == "kai-scheduler"
    }

    assert bound["binder"] == "kai-binder"
    assert "create" in grants(objects.one("ClusterRole", "kai-binder")["rules"], "", "pods/binding")
    assert grants(objects.one("ClusterRole", "kai-scheduler")["rules"], "", "pods/binding") == set()
    leases = [
        rule["resourceNames"][0]
        for each in objects.of("Role")
        for rule in each["rules"]
        if rule["resources"] == ["leases"] and "resourceNames" in rule
    ]
    assert len(leases) == len({*leases}) == 6


def test_priorities_of_upstream_can_be_left_out() -> None:
    assert {each["metadata"]["name"]: each["value"] for each in kai().of("PriorityClass")} == {
        "build": 100,
        "build-preemptible": 75,
        "inference": 125,
        "train": 50,
    }
    assert kai(priorityClasses=False).of("PriorityClass") == []


def test_pods_that_the_operator_makes_are_closed_but_for_metrics_and_webhooks() -> None:
    assert kai().of("NetworkPolicy") == []

    closed = kai(stack={"network_policies": True})
    ports = {
        each["metadata"]["name"]: [port["port"] for rule in each["spec"]["ingress"] for port in rule["ports"]]
        for each in closed.of("NetworkPolicy")
    }
    assert ports["binder"] == ports["kai-scheduler-default"] == [8080]
    assert ports["admission"] == [8080, 9443]


SERVICES = {"binder": "http-metrics", "kai-scheduler-default": "http-metrics", "queue-controller": "metrics"}


def observed() -> Objects:
    given = (Provision.of(Metrics(labels={"read": "yes"}), "p"), Provision.of(DashboardReader(), "g"))
    return built(KaiScheduler, platform(provisions=given, network_policies=True))


def test_services_that_the_operator_makes_are_read_by_their_labels_and_ports() -> None:
    objects = observed()

    for name, port in SERVICES.items():
        monitor = objects.one("ServiceMonitor", name)
        assert monitor["spec"]["selector"] == {"matchLabels": {"app": name}}
        (endpoint,) = monitor["spec"]["endpoints"]
        assert (endpoint["port"], endpoint["path"]) == (port, "/metrics")
        assert monitor["metadata"]["labels"]["read"] == "yes"
        assert objects.one("NetworkPolicy", name)["spec"]["ingress"][0]["ports"][0]["port"] == 8080
    assert {*objects.names("ServiceMonitor")} == {*SERVICES, "kai-operator"}


def test_pods_that_are_pushed_out_are_counted_by_their_own_namespace() -> None:
    objects = observed()
    ends = {name: objects.one("ServiceMonitor", name)["spec"]["endpoints"][0] for name in SERVICES}

    assert [name for name, end in ends.items() if end.get("honorLabels")] == ["kai-scheduler-default"]
    assert ends["kai-scheduler-default"]["relabelings"][0]["action"] == "labeldrop"
    assert "relabelings" not in ends["queue-controller"]


def test_the_operator_makes_no_monitor_itself() -> None:
    assert spec(observed())["prometheus"] == {"enabled": False}


def test_every_program_that_is_read_has_the_alert_that_it_is_not() -> None:
    rules = observed().one("PrometheusRule")["spec"]["groups"][0]["rules"]
    missing = {each["expr"]: each["labels"]["severity"] for each in rules if each["alert"].endswith("MetricsMissing")}

    assert missing == {
        f'absent(up{{job="{name}"}} == 1)': "critical" if name == "kai-scheduler-default" else "warning"
        for name in (*SERVICES, "kai-operator")
    }


def test_without_a_prometheus_nothing_is_read() -> None:
    objects = kai()

    assert not [*objects.names("ServiceMonitor"), *objects.names("PrometheusRule")]
    assert "dashboard" not in str(objects.names("ConfigMap"))


def test_no_operator_is_told_of_its_gangs() -> None:
    stack = stack_of({"kai-scheduler": {}, "training-operator": {}, "kuberay-operator": {}})

    told_to = built(TrainingOperator, stack).arguments("Deployment", "training-operator")
    assert not any(flag.startswith("--gang-scheduler-name") for flag in told_to)
    assert "batch-scheduler" not in str(built(KuberayOperator, stack).of("Deployment"))


def test_runtimes_of_the_trainer_ask_for_it_and_make_no_pod_groups() -> None:
    stack = stack_of(
        {"kai-scheduler": {}, "trainer": {}, "jobset": {}, "nvidia-device-plugin": {}}, node_pools=(pool(),)
    )
    made = built(Trainer, stack)
    found = {each["metadata"]["name"]: each["spec"] for each in made.of("ClusterTrainingRuntime")}
    (node,) = found["torch-distributed"]["template"]["spec"]["replicatedJobs"]

    assert node["template"]["spec"]["template"]["spec"]["schedulerName"] == "kai-scheduler"
    assert not any("podGroupPolicy" in each for each in found.values())
    # Groups that wait for others to end are made after these: with all of them the gang would never be whole.
    noted = {name for name, each in found.items() if "metadata" in each["template"]}
    in_turn = {
        name
        for name, each in found.items()
        if any("dependsOn" in group for group in each["template"]["spec"]["replicatedJobs"])
    }
    assert noted == in_turn != set()


def _home(item: dict[str, Any]) -> str:
    return str(item["metadata"]["namespace"])
