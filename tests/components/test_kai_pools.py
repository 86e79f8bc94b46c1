"""KAI where node pools ask for it: one scheduler for their nodes, queues of their cards, and others beside it."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.capabilities import BinPacker, GangScheduler, JobQueue
from platform_def.components.queues.bin_packing_scheduler.component import BinPackingScheduler
from platform_def.components.queues.kai_scheduler.component import KaiScheduler
from platform_def.components.queues.kueue.component import Kueue
from platform_def.components.queues.scheduler_plugins.component import SchedulerPlugins
from platform_def.components.queues.volcano.component import Volcano
from platform_def.components.training.kuberay_operator.component import KuberayOperator
from platform_def.components.training.mpi_operator.component import MpiOperator
from platform_def.components.training.paddle_operator.component import PaddleOperator
from platform_def.components.training.trainer.component import Trainer
from platform_def.components.training.training_operator.component import TrainingOperator
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.config.teams import Team
from platform_def.constructs.component import AnyComponent
from platform_def.errors import ConfigError
from platform_def.yaml import load
from tests.unit.built import Objects, built, setting, stack_of, told

KAI, LABEL = "kai-scheduler", "kai.scheduler/node-pool"
TEAMS = (
    Team.from_file({"name": "vision", "queue": "vision", "quota": {"gpus": 20}, "borrow": {"gpus": {"train": 2}}}),
    Team.from_file({"name": "speech", "queue": "language", "quota": {"gpus": {"train": 4}}, "borrow": {}}),
)


def pool(name: str, *, kai: bool = False, partition: str = "") -> NodePool:
    """Two nodes with eight cards."""
    own = {"scheduler": KAI} if kai else {}
    chosen = {"pool": name, **({LABEL: partition} if partition else {})}
    gpu = {"model": "a100-80gb", "perNode": 8}
    return NodePool.from_file({"name": name, "nodes": 2, "selector": chosen, "gpu": gpu, **own})


TRAIN = pool("train", kai=True, partition="train")
SPARE = pool("spare")


def there(*pools: NodePool, teams: tuple[Team, ...] = TEAMS, **components: Any) -> Platform:
    chosen = {
        KAI: {},
        "nvidia-device-plugin": {},
        **{name.replace("_", "-"): each for name, each in components.items()},
    }
    return stack_of(chosen, teams=teams, node_pools=pools or (TRAIN, SPARE))


def kai(*pools: NodePool, **config: Any) -> Objects:
    return built(KaiScheduler, there(*pools), **config)


def problems(*pools: NodePool, beside: Any = None, **config: Any) -> list[str]:
    others = {"nvidia-device-plugin": {}, "cert-manager": {}, **(beside or {})}
    return told(KaiScheduler, config, beside=others, node_pools=pools, teams=TEAMS)


def test_its_scheduler_has_the_nodes_that_carry_the_pool_s_label_alone() -> None:
    objects = kai()

    assert objects.one("Config", "kai-config")["spec"]["global"]["nodePoolLabelKey"] == LABEL
    assert objects.one("SchedulingShard")["spec"]["partitionLabelValue"] == "train"
    assert {each["metadata"]["labels"][LABEL] for each in objects.of("Queue")} == {"train"}


def test_a_label_that_the_nodes_have_already_does_as_well() -> None:
    objects = kai(pool("train", kai=True), SPARE, nodePoolLabel="pool")

    assert objects.one("Config", "kai-config")["spec"]["global"]["nodePoolLabelKey"] == "pool"
    assert objects.one("SchedulingShard")["spec"]["partitionLabelValue"] == "train"


def test_where_no_pool_asks_it_has_all_nodes() -> None:
    objects = kai(SPARE)

    assert "nodePoolLabelKey" not in objects.one("Config", "kai-config")["spec"]["global"]
    assert objects.one("SchedulingShard")["spec"]["partitionLabelValue"] == ""
    assert not any(LABEL in each["metadata"]["labels"] for each in objects.of("Queue"))


def test_the_scheduler_elects_its_leader_by_a_lease_of_the_partition() -> None:
    (role,) = (each for each in kai().of("Role") if each["metadata"]["name"] == "kai-scheduler-leader-election")

    assert ["kai-scheduler-train"] in [rule.get("resourceNames") for rule in role["rules"]]


def test_queues_own_the_pool_s_part_of_what_quotas_say() -> None:
    objects = kai()
    gpus = {each["metadata"]["name"]: each["spec"]["resources"]["gpu"] for each in objects.of("Queue")}

    # Of 20 cards wherever they are, train has the first 12 that the quota of pool train leaves.
    assert (gpus["vision"]["quota"], gpus["vision"]["limit"]) == (12, 14)
    assert (gpus["language"]["quota"], gpus["language"]["limit"]) == (4, 4)
    assert gpus["default-queue"]["quota"] == 0


def test_the_others_pools_and_their_part_of_quotas_are_kueue_s() -> None:
    made = built(Kueue, there(kueue={}))
    groups = made.one("ClusterQueue", "vision")["spec"]["resourceGroups"][:-1]

    assert made.names("ResourceFlavor") == ["pods.anywhere", "spare"]
    assert [each for group in groups for each in group["flavors"]] == [
        {"name": "spare", "resources": [{"name": "nvidia.com/gpu", "nominalQuota": "8", "borrowingLimit": "0"}]}
    ]
    (shared,) = made.one("Cohort")["spec"]["resourceGroups"]
    assert [each["name"] for each in shared["flavors"]] == ["spare"]


def test_the_others_pools_and_their_part_of_quotas_are_volcano_s() -> None:
    made = built(Volcano, there(volcano={}, cert_manager={}))

    assert made.one("Queue", "vision")["spec"]["deserved"] == {"nvidia.com/gpu": "8"}
    assert made.one("Queue", "language")["spec"]["capability"] == {"nvidia.com/gpu": "0"}


def test_kueue_takes_no_job_that_names_no_queue_where_a_pool_is_another_s() -> None:
    made = built(Kueue, there(kueue={}))
    text = made.one("ConfigMap")["data"]["controller_manager_config.yaml"]
    settings = load(text.encode(), file="configuration")

    assert isinstance(settings, dict)
    assert settings["manageJobsWithoutQueueName"] is False
    assert made.names("LocalQueue") == ["language", "vision"]


def test_kueue_that_takes_them_all_the_same_is_told() -> None:
    pools = (TRAIN, SPARE)
    (found,) = told(Kueue, {"manageJobsWithoutQueueName": True}, beside={KAI: {}}, node_pools=pools)
    assert "manageJobsWithoutQueueName: jobs of pool train are kai-scheduler's" in found

    team = Team.from_file({"name": "a", "queue": "default"})
    (found,) = told(Kueue, beside={KAI: {}}, node_pools=pools, teams=(team,))
    assert "whose queue default takes what names none" in found
    assert told(Kueue, beside={KAI: {}}, node_pools=pools, teams=TEAMS) == []


@pytest.mark.parametrize("other", ["volcano", "scheduler-plugins", "kueue", "bin-packing-scheduler"])
def test_who_has_the_other_pools_is_welcome(other: str) -> None:
    assert problems(TRAIN, SPARE, beside={other: {}}) == []

    kinds: dict[str, type[AnyComponent]] = {
        "volcano": Volcano,
        "scheduler-plugins": SchedulerPlugins,
        "kueue": Kueue,
        "bin-packing-scheduler": BinPackingScheduler,
    }
    beside: dict[str, Any] = {KAI: {}, "cert-manager": {}}
    assert told(kinds[other], beside=beside, node_pools=(TRAIN, SPARE)) == []


def test_what_it_gives_it_gives_for_its_pools() -> None:
    gangs, queues, packer = KaiScheduler.offers(setting(KaiScheduler, node_pools=(TRAIN, SPARE))).capabilities
    assert isinstance(gangs, GangScheduler)
    assert isinstance(queues, JobQueue)
    assert isinstance(packer, BinPacker)

    assert gangs.pools == queues.pools == packer.pools == ["train"]
    assert gangs.labels == {LABEL: "train"}
    # Cards of one pool are told from those of others; of two, with one set of queues, they are not.
    assert queues.by_pool
    both = (TRAIN, pool("large", kai=True, partition="train"))
    assert not next(
        each.by_pool
        for each in KaiScheduler.offers(setting(KaiScheduler, node_pools=both)).capabilities
        if isinstance(each, JobQueue)
    )


def test_who_needs_one_for_the_whole_cluster_does_not_get_a_pool_s() -> None:
    stack = there()

    assert [stack.maybe(each) for each in (GangScheduler, JobQueue, BinPacker)] == [None] * 3
    with pytest.raises(ConfigError, match="kai-scheduler gives one for some pools alone"):
        stack.one(GangScheduler)


@pytest.mark.parametrize(
    ("pools", "why"),
    [
        ((pool("train", kai=True), SPARE), f"knows its nodes by the label {LABEL}, and has none"),
        (
            (TRAIN, pool("large", kai=True, partition="large")),
            "another of kai-scheduler has train, and there is one set",
        ),
        ((TRAIN, pool("spare", partition="train")), f"pool spare has {LABEL}: train too"),
        ((pool("train", kai=True, partition="A100_80"),), "small letters, digits and '-'"),
    ],
)
def test_nodes_that_it_could_not_tell_from_others_are_told(pools: tuple[NodePool, ...], why: str) -> None:
    (found,) = problems(*pools)

    assert why in found


def test_two_pools_of_one_label_are_one() -> None:
    both = (TRAIN, pool("large", kai=True, partition="train"), SPARE)

    assert problems(*both) == []
    queues = {each["metadata"]["name"]: each["spec"]["resources"]["gpu"] for each in kai(*both).of("Queue")}
    assert queues["vision"]["quota"] == 20


def test_an_operator_that_hands_all_jobs_to_another_is_told() -> None:
    beside: dict[str, Any] = {KAI: {}, "volcano": {}, "cert-manager": {}}
    for component in (TrainingOperator, MpiOperator, KuberayOperator, PaddleOperator):
        (found,) = told(component, beside=beside, node_pools=(TRAIN, SPARE))
        assert "it hands jobs of all pools to volcano, and those of pool train are kai-scheduler's" in found
        assert told(component, {"gangScheduler": "none"}, beside=beside, node_pools=(TRAIN, SPARE)) == []
        assert told(component, beside={"volcano": {}, "cert-manager": {}}, node_pools=(SPARE,)) == []


def test_pods_of_the_training_operator_keep_their_scheduler_beside_scheduler_plugins() -> None:
    beside: dict[str, Any] = {KAI: {}, "scheduler-plugins": {}}

    assert told(TrainingOperator, beside=beside, node_pools=(TRAIN, SPARE)) == []
    assert told(MpiOperator, beside=beside, node_pools=(TRAIN, SPARE)) != []


def test_ray_s_operator_that_hands_all_jobs_to_the_pool_s_scheduler_is_told() -> None:
    (found,) = told(KuberayOperator, {"gangScheduler": KAI}, beside={KAI: {}}, node_pools=(TRAIN, SPARE))

    assert "it hands jobs of all pools to kai-scheduler, which has pool train alone" in found


def test_runtimes_that_bring_their_gpus_leave_its_pools_alone() -> None:
    beside: dict[str, Any] = {KAI: {}, "jobset": {}, "nvidia-device-plugin": {}}
    (found,) = told(Trainer, {"fineTuningPool": "train"}, beside=beside, node_pools=(TRAIN, SPARE))

    assert "pool train is kai-scheduler's, and runtimes ask for no scheduler" in found
    assert told(Trainer, beside=beside, node_pools=(TRAIN, SPARE)) == []
