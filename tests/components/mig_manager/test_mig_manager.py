from typing import Any

import pytest

from platform_def import yaml
from platform_def.capabilities import GpuClient
from platform_def.components.gpu.mig_manager.component import MigManager, MigManagerConfig
from platform_def.components.gpu.pools.mig_layouts import layout_name
from platform_def.components.gpu.pools.node_labels import mig_labels
from platform_def.config.capability import Provision
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.constructs.component import Setting
from platform_def.constructs.render import render
from tests.unit.built import setting, stack_of, told


def pool(name: str, model: str = "h100-80gb", layout: dict[str, int] | None = None) -> NodePool:
    gpu = {"model": model, "perNode": 8, **({"mig": {"strategy": "mixed", "layout": layout}} if layout else {})}
    return NodePool.from_file({"name": name, "selector": {"pool": name}, "gpu": gpu})


def objects(*pools: NodePool, config: MigManagerConfig | None = None, **facts: Any) -> dict[str, Any]:
    platform = Platform(node_pools=pools, **facts)
    build = render(lambda scope: MigManager(scope, config=config, platform=platform))
    return {f"{made.manifest['kind']}/{made.manifest['metadata']['name']}": made.manifest for made in build.objects}


def pod(made: dict[str, Any]) -> dict[str, Any]:
    spec: dict[str, Any] = made["DaemonSet/nvidia-mig-manager"]["spec"]["template"]["spec"]
    return spec


def environment(made: dict[str, Any]) -> dict[str, str]:
    return {each["name"]: each.get("value", "") for each in pod(made)["containers"][0]["env"]}


def layouts(made: dict[str, Any]) -> dict[str, Any]:
    file: Any = yaml.load(made["ConfigMap/mig-parted-config"]["data"]["config.yaml"])
    found: dict[str, Any] = file["mig-configs"]
    return found


def problems(
    *pools: NodePool, config: dict[str, Any] | None = None, beside: dict[str, Any] | None = None, **facts: Any
) -> list[str]:
    there = {"node-feature-discovery": {}} if beside is None else beside
    return told(MigManager, config, beside=there, node_pools=pools, **facts)


def test_the_label_of_a_pool_names_a_layout_of_the_file() -> None:
    pools = (pool("a", layout={"1g.10gb": 4, "3g.40gb": 1}), pool("b", layout={"1g.10gb+me": 1}), pool("c"))
    named = [mig_labels(pools)[each.name]["nvidia.com/mig.config"] for each in pools]
    found = layouts(objects(*pools))

    assert named == ["1g.10gb-4_3g.40gb-1", "1g.10gb.me-1", "all-disabled"]
    assert sorted(found) == sorted(named)
    assert found[named[0]] == [{"devices": "all", "mig-enabled": True, "mig-devices": {"1g.10gb": 4, "3g.40gb": 1}}]


BY_CARD = {"0": {"2g.20gb": 3, "1g.10gb": 1}, "1": {"4g.40gb": 1, "3g.40gb": 1}, "2-7": {}}


def by_card(cards: Any = BY_CARD, model: str = "a100-80gb") -> NodePool:
    gpu = {"model": model, "perNode": 8, "mig": {"strategy": "mixed", "cards": cards}}
    return NodePool.from_file({"name": "node", "selector": {"pool": "node"}, "gpu": gpu})


def test_cards_of_one_node_are_cut_each_its_own_way() -> None:
    name = mig_labels([by_card()])["node"]["nvidia.com/mig.config"]

    assert name == "0.1g.10gb-1.2g.20gb-3_1.3g.40gb-1.4g.40gb-1_2-7.whole"
    assert layouts(objects(by_card()))[name] == [
        {"devices": [0], "mig-enabled": True, "mig-devices": {"1g.10gb": 1, "2g.20gb": 3}},
        {"devices": [1], "mig-enabled": True, "mig-devices": {"3g.40gb": 1, "4g.40gb": 1}},
        {"devices": [2, 3, 4, 5, 6, 7], "mig-enabled": False},
    ]


@pytest.mark.parametrize(
    ("cards", "model", "why"),
    [
        ({"0": {"2g.20gb": 3, "1g.10gb": 2}, "1-7": {}}, "a100-80gb", "card 0: its layout takes 8 compute slices"),
        ({"0-3": {}, "4-7": {"3g.40gb": 3}}, "a100-80gb", "card 4-7: at most 2 of 3g.40gb fit on one a100-80gb"),
        ({"0": {"1g.5gb": 1}, "1-7": {}}, "a100-80gb", "card 0: a100-80gb has no profile 1g.5gb: it has"),
        ({"0": {"1g.5gb": 1}, "1-7": {}}, "t4", "card 0: t4 has no MIG"),
    ],
)
def test_a_card_that_cannot_be_cut_so_is_named(cards: Any, model: str, why: str) -> None:
    assert any(f"nodePools: pool node: {why}" in each for each in problems(by_card(cards, model)))


def test_a_long_layouts_name_still_fits_a_label() -> None:
    name = layout_name({f"1g.{size}gb+me.all": 1 for size in range(10, 20)})

    assert len(name) <= 63
    assert name[0].isalnum()
    assert name[-1].isalnum()


def test_it_runs_where_cards_have_mig_and_nowhere_else() -> None:
    spec = pod(objects(pool("a", layout={"1g.10gb": 7}), pool("whole"), pool("t", "t4")))
    terms = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]

    assert [term["matchExpressions"][0]["values"] for term in terms] == [["a"], ["whole"]]


def test_without_capable_pools_nodes_are_chosen_by_upstreams_label() -> None:
    assert pod(objects(pool("t", "t4")))["nodeSelector"] == {"nvidia.com/gpu.deploy.mig-manager": "true"}


def test_it_waits_where_the_device_plugin_runs() -> None:
    made = objects(pool("a"), provisions=stack_of({"nvidia-device-plugin": {"namespace": "gpus"}}).provisions)

    assert environment(made)["DEFAULT_GPU_CLIENTS_NAMESPACE"] == "gpus"
    assert made["Role/nvidia-mig-manager-role"]["metadata"]["namespace"] == "gpus"


def test_it_may_not_read_secrets() -> None:
    made = objects(pool("a"))
    rules = [*made["ClusterRole/nvidia-mig-manager-role"]["rules"], *made["Role/nvidia-mig-manager-role"]["rules"]]

    assert {resource for rule in rules for resource in rule["resources"]} == {"nodes", "pods"}
    assert all("*" not in rule["verbs"] for rule in rules)


@pytest.mark.parametrize(("distribution", "service"), [("kubeadm", "kubelet.service"), ("rke2", "rke2-agent.service")])
def test_the_kubelets_service_follows_the_distribution(distribution: str, service: str) -> None:
    assert environment(objects(distribution=distribution))["HOST_KUBELET_SYSTEMD_SERVICE"] == service


def test_layouts_for_labels_by_hand_are_added() -> None:
    config = MigManagerConfig.from_file({"labelledBy": "manual", "layouts": {"half": {"3g.40gb": 2}}})

    assert layouts(objects(config=config))["half"][0]["mig-devices"] == {"3g.40gb": 2}
    assert MigManager.needs_of(setting(MigManager, {"labelledBy": "manual"})) == ()
    assert [each.where for each in MigManager.needs_of(setting(MigManager))] == [{"work": "features"}]


@pytest.mark.parametrize(
    ("model", "layout", "why"),
    [
        ("t4", {"1g.10gb": 1}, "t4 has no MIG"),
        ("a30-24gb", {"1g.6gb": 5}, "at most 4 of 1g.6gb fit on one a30-24gb, not 5"),
        ("rtx-pro-6000", {"1g.24gb": 5}, "takes 5 compute slices, and rtx-pro-6000 has 4"),
        ("h200", {"1g.20gb": 7}, "h200 has no profile 1g.20gb: it has 1g.18gb, 1g.35gb"),
        ("a100-80gb", {"1g.20gb": 5}, "at most 4 of 1g.20gb fit on one a100-80gb, not 5"),
        ("a100-40gb", {"5g.60gb": 1}, "a100-40gb has no profile 5g.60gb"),
        ("a100-80gb", {"3g.40gb": 2, "1g.10gb": 2}, "takes 8 compute slices"),
        ("a100-80gb", {"3g.40gb": 2, "1g.10gb": 1}, "takes 90 GB, and a100-80gb has 80"),
    ],
)
def test_a_layout_that_the_card_cannot_have_is_refused(model: str, layout: dict[str, int], why: str) -> None:
    (problem,) = problems(pool("m", model, layout))

    assert why in problem


@pytest.mark.parametrize(
    ("model", "layout"),
    [
        ("a100-40gb", {"1g.5gb": 7}),
        ("h200-141gb", {"3g.71gb": 2}),
        ("b200-180gb", {"1g.23gb": 7}),
        ("a30", {"1g.6gb": 4}),
        ("h100-80gb", {"7g.80gb": 1}),
        ("h100-80gb", {"1g.10gb+me": 1, "1g.10gb": 6}),
    ],
)
def test_layouts_of_upstreams_examples_pass(model: str, layout: dict[str, int]) -> None:
    assert problems(pool("m", model, layout)) == []


def test_nodes_without_systemd_are_refused() -> None:
    (problem,) = problems(pool("m"), distribution="talos")

    assert "Talos has none" in problem


@pytest.mark.parametrize("discovery", ["node-feature-discovery", "gpu-operator"])
def test_labels_of_the_clusters_own_discovery_are_nobodys(discovery: str) -> None:
    provided = {discovery: {"provided": True}}

    assert any("does not know the pools, so nothing writes" in each for each in problems(pool("m"), beside=provided))
    assert not any(
        "nothing writes" in each for each in problems(pool("m"), config={"labelledBy": "manual"}, beside=provided)
    )


def test_gpu_clients_in_two_namespaces_are_refused() -> None:
    apart = {"nvidia-device-plugin": {}, "dcgm-exporter": {"namespace": "monitoring"}}
    (problem,) = problems(pool("m"), beside=apart)

    assert "dcgm-exporter in monitoring, nvidia-device-plugin in nvidia-device-plugin" in problem
    assert problems(pool("m"), beside=apart | {"nvidia-device-plugin": {"namespace": "monitoring"}}) == []


def test_clients_of_the_operator_count_too() -> None:
    beside = ["mig-manager", "nvidia-device-plugin"]
    (problem,) = problems(pool("m"), beside={"gpu-operator": {"beside": beside}, "nvidia-device-plugin": {}})

    assert "gpu-operator in gpu-operator, nvidia-device-plugin in nvidia-device-plugin" in problem


def test_clients_that_choose_nodes_by_label_may_be_anywhere_and_others_need_a_label_it_knows() -> None:
    def given(**fields: Any) -> list[str]:
        own = GpuClient(namespace="mine", labels={"app": "mine"}, **fields)
        there = stack_of({"nvidia-device-plugin": {}, "mig-manager": {}})
        full = there.with_facts(provisions=(*there.provisions, Provision.of(own, "mine")))
        return [problem.text for problem in MigManager.problems(Setting("mig-manager", MigManagerConfig(), full))]

    assert given(by_node_label=True) == []
    assert any("does not know the labels of mine's pods" in text for text in given())
