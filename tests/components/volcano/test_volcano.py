"""Volcano: what its file says of packing and eviction, queues from teams, webhooks that trust themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.capabilities import JobQueue
from platform_def.components.queues.volcano.component import Volcano
from platform_def.components.queues.volcano.config import VolcanoConfig
from platform_def.config.pools import NodePool
from platform_def.config.teams import Team
from platform_def.yaml import load
from tests.unit.built import Objects, built, setting, stack_of, told

SCHEDULER, CONTROLLERS, ADMISSION = "volcano-scheduler", "volcano-controllers", "volcano-admission"
TEAMS = (
    Team.from_file({"name": "vision", "queue": "vision", "quota": {"gpus": 12}, "borrow": {"gpus": 2}}),
    Team.from_file({"name": "speech", "queue": "language", "quota": {"gpus": 4}}),
    Team.from_file({"name": "text", "queue": "language"}),
    Team.from_file({"name": "other"}),
)


def pool(name: str, **more: Any) -> NodePool:
    fields = {"name": name, "nodes": 2, "selector": {"pool": name}, "gpu": {"model": "a100-80gb", "perNode": 8}}
    return NodePool.from_file({**fields, **more})


def volcano(
    teams: tuple[Team, ...] = TEAMS,
    pools: tuple[NodePool, ...] = (pool("train"),),
    *,
    beside: Mapping[str, Mapping[str, Any]] | None = None,
    uses: Mapping[str, str] | None = None,
    **config: Any,
) -> Objects:
    there = {"volcano": {}, "cert-manager": {}, **(beside or {})}
    return built(Volcano, stack_of(there, teams=teams, node_pools=pools, uses=uses or {}), **config)


def read(objects: Objects, name: str, key: str) -> dict[str, Any]:
    text = objects.one("ConfigMap", name)["data"][key]
    found: dict[str, Any] = load(text.encode(), file="configuration")  # type: ignore[assignment]
    return found


def configuration(objects: Objects) -> dict[str, Any]:
    return read(objects, "volcano-scheduler-configmap", "volcano-scheduler.conf")


def plugins(objects: Objects) -> dict[str, dict[str, Any]]:
    return {
        each["name"]: each.get("arguments", {}) for tier in configuration(objects)["tiers"] for each in tier["plugins"]
    }


def test_devices_of_all_pools_count_for_packing() -> None:
    share = {"model": "t4", "perNode": 4, "sharing": {"mode": "time-slicing", "replicas": 4, "rename": True}}
    found = plugins(volcano(pools=(pool("train"), pool("share", gpu=share)), binPacking={"devices": 7}))["binpack"]

    assert found["binpack.resources"] == "nvidia.com/gpu, nvidia.com/gpu.shared"
    assert found["binpack.resources.nvidia.com/gpu"] == found["binpack.resources.nvidia.com/gpu.shared"] == 7


def test_nothing_speaks_for_empty_nodes_where_nodes_are_filled() -> None:
    assert plugins(volcano())["nodeorder"] == {"leastrequested.weight": 0, "balancedresource.weight": 0}

    spread = plugins(volcano(binPacking={"enabled": False}))
    assert "binpack" not in spread
    assert spread["nodeorder"] == {}


@pytest.mark.parametrize(
    ("config", "actions"),
    [
        ({}, "enqueue, allocate, backfill, gangreclaim"),
        ({"preempt": True}, "enqueue, allocate, backfill, gangpreempt, gangreclaim"),
        ({"preempt": True, "evict": "pods"}, "enqueue, allocate, backfill, preempt, reclaim"),
        ({"reclaim": False}, "enqueue, allocate, backfill"),
    ],
)
def test_who_is_pushed_out_is_said_by_actions(config: dict[str, Any], actions: str) -> None:
    assert configuration(volcano(**config))["actions"] == actions


def test_further_plugins_come_last() -> None:
    objects = volcano(plugins=[{"name": "sla", "arguments": {"sla-waiting-time": "24h"}}])

    assert configuration(objects)["tiers"][1]["plugins"][-1] == {
        "name": "sla",
        "arguments": {"sla-waiting-time": "24h"},
    }


def test_a_file_that_cannot_be_read_is_no_reason_for_other_rules() -> None:
    assert "--disable-default-scheduler-config=true" in volcano().arguments("Deployment", SCHEDULER)


def test_queues_own_what_quotas_say_of_all_pools_together() -> None:
    objects = volcano(pools=(pool("train"), pool("spare")))
    spec = objects.one("Queue", "vision")["spec"]

    assert spec == {
        "weight": 1,
        "reclaimable": True,
        "deserved": {"nvidia.com/gpu": "12"},
        "capability": {"nvidia.com/gpu": "14"},
    }
    assert objects.names("Queue") == ["language", "vision"]
    assert objects.part("Queue", "vision") == "after"


def test_a_team_without_a_quota_opens_its_queue_to_all_that_is_idle() -> None:
    assert "capability" not in volcano().one("Queue", "language")["spec"]


def of_members(borrow: dict[str, int] | None = None, **config: Any) -> Objects:
    members = [{"name": "li@example.com", "quota": {"gpus": 2}}]
    quota = {"quota": {"gpus": 4}, "borrow": borrow}
    return volcano((Team.from_file({"name": "vision", "queue": "vision", "members": members, **quota}),), **config)


def test_queues_of_members_and_the_team_s_are_below_the_share_that_is_the_team_s() -> None:
    objects = of_members()
    specs = {each["metadata"]["name"]: each["spec"] for each in objects.of("Queue")}

    assert specs == {
        "vision-share": {
            "weight": 1,
            "reclaimable": True,
            "deserved": {"nvidia.com/gpu": "4"},
            "capability": {"nvidia.com/gpu": "4"},
        },
        "vision": {"weight": 1, "reclaimable": False, "parent": "vision-share"},
        "team-vision-li": {
            "weight": 1,
            "reclaimable": False,
            "capability": {"nvidia.com/gpu": "2"},
            "parent": "vision-share",
        },
    }
    assert (objects.part("Queue", "vision-share"), objects.part("Queue", "vision")) == ("classes", "after")


def test_what_is_lent_to_a_team_with_members_can_be_taken_back() -> None:
    specs = {each["metadata"]["name"]: each["spec"] for each in of_members({"gpus": 2}).of("Queue")}

    assert {each["reclaimable"] for each in specs.values()} == {True}


def test_the_scheduler_looks_above_queues_only_where_there_are_members() -> None:
    told = {"name": "capacity", "enableHierarchy": True, "arguments": {"ancestorReclaimLevel": 1}}

    assert told in configuration(of_members())["tiers"][1]["plugins"]
    assert {"name": "capacity"} in configuration(volcano())["tiers"][1]["plugins"]


def test_gangs_wait_for_the_quota_of_a_member_s_namespace_where_there_are_members() -> None:
    def named(objects: Objects) -> list[str]:
        return [each["name"] for each in configuration(objects)["tiers"][1]["plugins"]]

    own = of_members(plugins=[{"name": "resourcequota"}])
    assert [named(each).count("resourcequota") for each in (of_members(), own, volcano())] == [1, 1, 0]


def test_in_a_full_cluster_a_job_may_ask_for_what_is_taken_back_for_it() -> None:
    def factor(**config: Any) -> float:
        (found,) = (
            each["arguments"]["overcommit-factor"]
            for each in configuration(volcano(**config))["tiers"][1]["plugins"]
            if each["name"] == "overcommit"
        )
        return float(found)

    assert (factor(), factor(reclaim=False), factor(reclaim=False, preempt=True)) == (2, 1.2, 2)
    assert factor(overcommit=1.5) == 1.5


def test_members_below_queues_by_weight_are_refused() -> None:
    members = [{"name": "li@example.com", "quota": {"gpus": 2}}]
    team = Team.from_file({"name": "vision", "queue": "vision", "members": members})
    (found,) = told(Volcano, {"quotas": "proportion", "certificates": "volcano"}, teams=(team,))

    assert "`quotas: proportion` knows no queues of members of vision" in found
    assert told(Volcano, {"certificates": "volcano"}, teams=(team,)) == []


def test_shares_by_weight_own_nothing() -> None:
    objects = volcano(quotas="proportion")
    spec = objects.one("Queue", "vision")["spec"]

    assert spec["weight"] == 12
    assert "deserved" not in spec
    assert "proportion" in plugins(objects)
    assert "capacity" not in plugins(objects)


def test_topologies_of_pools_become_hypernodes() -> None:
    pools = (pool("train", topology=["example.com/rack"]), pool("other", topology=["example.com/rack"]))
    objects = volcano(pools=pools)
    (source,) = read(objects, "volcano-controller-configmap", "volcano-controller.conf")["networkTopologyDiscovery"]

    assert source["config"]["networkTopologyTypes"] == {
        "train": [{"nodeLabel": "example.com/rack"}, {"nodeLabel": "kubernetes.io/hostname"}]
    }
    assert "network-topology-aware" in plugins(objects)
    assert "network-topology-aware" not in plugins(volcano())


def test_the_certificate_outlives_the_server_that_reads_it_once() -> None:
    objects = volcano()

    assert objects.one("Certificate")["spec"]["duration"] == "87600h"
    drifting = {drift.name for drift in objects.build.drifts}
    hooks = [*objects.names("MutatingWebhookConfiguration"), *objects.names("ValidatingWebhookConfiguration")]
    assert set(hooks) <= drifting
    assert not any("annotations" in each["metadata"] for each in objects.of("ValidatingWebhookConfiguration"))


def test_the_server_may_write_its_own_webhooks_alone() -> None:
    objects = volcano()
    named = {
        name
        for rule in objects.rules("ClusterRole", ADMISSION)
        if "admissionregistration.k8s.io" in rule["apiGroups"]
        for name in rule["resourceNames"]
    }

    assert named == {*objects.names("MutatingWebhookConfiguration"), *objects.names("ValidatingWebhookConfiguration")}


def test_what_is_admitted_has_a_webhook() -> None:
    objects = volcano()
    (enabled,) = (
        flag for flag in objects.arguments("Deployment", ADMISSION) if flag.startswith("--enabled-admission=")
    )
    paths = [
        hook["clientConfig"]["service"]["path"]
        for kind in ("Mutating", "Validating")
        for each in objects.of(f"{kind}WebhookConfiguration")
        for hook in each["webhooks"]
    ]

    assert sorted(enabled.partition("=")[2].split(",")) == sorted(paths)


def test_without_cert_manager_a_job_makes_the_certificate_once() -> None:
    objects = built(Volcano, certificates="volcano")
    (script,) = objects.container("Job")["command"][2:]

    assert script.startswith("kubectl get secret volcano-admission-secret -n volcano-system || ")
    assert objects.of("Certificate") == []
    assert objects.rules("Role", "volcano-admission-init") == [
        {"apiGroups": [""], "resources": ["secrets"], "verbs": ["create", "get"]}
    ]
    assert objects.one("Job")["metadata"]["name"].startswith("volcano-admission-init-")


def test_programs_that_lead_agree_in_their_own_namespace() -> None:
    objects = volcano(namespace="gangs")

    for name, lease in ((SCHEDULER, "volcano"), (CONTROLLERS, "vc-controller-manager")):
        assert "--leader-elect-resource-namespace=gangs" in objects.arguments("Deployment", name)
        rules = objects.rules("Role", f"{name}-leader-election")
        assert any(rule.get("resourceNames") == [lease] for rule in rules)
        assert not any("leases" in rule["resources"] for rule in objects.rules("ClusterRole", name))


def test_it_gives_gangs_packing_and_queues() -> None:
    given = {type(each).kind(): each.plain() for each in Volcano.offers(setting(Volcano)).capabilities}

    assert given["gangScheduler"]["scheduler"] == given["binPacker"]["scheduler"] == "volcano"
    assert given["jobQueue"]["byPool"] is False
    spread = Volcano.offers(setting(Volcano, {"binPacking": {"enabled": False}})).capabilities
    assert "binPacker" not in {type(each).kind() for each in spread}


def test_two_who_keep_queues_are_told_apart_by_uses() -> None:
    (problem,) = told(Volcano, beside={"kueue": {}})
    assert "kueue keeps the queues of teams too" in problem
    assert "uses: {jobQueue: kueue}" in problem

    assert told(Volcano, beside={"kueue": {}}, uses={JobQueue.kind(): "kueue"}) == []
    gangs_alone = volcano(beside={"kueue": {}}, uses={JobQueue.kind(): "kueue"})
    assert gangs_alone.of("Queue") == []


def test_who_uses_volcano_s_queues_must_leave_kueue_out() -> None:
    (problem,) = told(Volcano, beside={"kueue": {}}, uses={JobQueue.kind(): "volcano"})

    assert "kueue keeps the queues of teams too" in problem


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ({"plugins": [{"name": "sla"}, {"name": "sla"}]}, "plug-in sla is listed twice"),
        ({"plugins": [{"name": "slow"}]}, "plugins"),
        ({"overcommit": 0.5}, "overcommit"),
        ({"binPacking": {"weight": 0}}, "weight"),
    ],
)
def test_what_the_scheduler_would_pass_over_is_refused(config: dict[str, Any], text: str) -> None:
    with pytest.raises(ValidationError, match=text):
        VolcanoConfig.from_file(config)
