"""Namespaces: levels, reasons, and the GPU quotas of teams."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.components.people.namespaces.component import Namespaces, NamespacesConfig
from platform_def.config.accelerators import Accelerator
from platform_def.config.cluster import Distribution
from platform_def.config.devices import gpu_quota
from platform_def.config.kubernetes import Kubernetes
from platform_def.config.platform import ComponentFact, NamespaceNeed, Platform
from platform_def.config.pools import Gpu, Mig, NodePool, Sharing
from platform_def.config.storage import AnyStorage, ExistingStorage
from platform_def.config.teams import Quota, Team
from platform_def.constructs import Setting
from platform_def.constructs.render import render

WHOLE = NodePool(name="whole", gpu=Gpu(model="a100-80gb", per_node=8))
SHARED = NodePool(
    name="shared", gpu=Gpu(model="t4", per_node=4, sharing=Sharing(mode="time-slicing", replicas=4, rename=True))
)
TEAM = Team(name="vision", quota=Quota(gpus=8))
SHARED_STORAGE: dict[str, AnyStorage] = {
    "shared": ExistingStorage(driver="existing", class_name="cephfs", access_modes=["ReadWriteMany"])
}


def test_a_level_above_baseline_says_why() -> None:
    platform = Platform(namespaces=(NamespaceNeed("csi", "privileged", why="mounts on the node"),))
    made = render(lambda scope: Namespaces(scope, platform=platform)).objects[0].manifest

    assert made["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "privileged"
    assert made["metadata"]["annotations"] == {"platform-def/pod-security-reason": "mounts on the node"}


def test_annotations_that_somebody_needs_stand_beside_the_reason() -> None:
    need = NamespaceNeed("team", "privileged", why="mounts on the node", annotations=(("owner", "li@example.com"),))
    made = render(lambda scope: Namespaces(scope, platform=Platform(namespaces=(need,)))).objects[0].manifest

    assert made["metadata"]["annotations"] == {
        "owner": "li@example.com",
        "platform-def/pod-security-reason": "mounts on the node",
    }


def test_somebody_elses_namespaces_are_left_out() -> None:
    platform = Platform(namespaces=(NamespaceNeed("a"), NamespaceNeed("b")))
    config = NamespacesConfig(existing=["a"])

    made = render(lambda scope: Namespaces(scope, config=config, platform=platform)).objects

    assert [item.manifest["metadata"]["name"] for item in made] == ["b"]


def test_a_quota_of_whole_gpus_grants_no_slice() -> None:
    assert gpu_quota(TEAM, [WHOLE, SHARED]) == {"nvidia.com/gpu": 8, "nvidia.com/gpu.shared": 0}


def test_each_kind_of_device_has_its_own_number() -> None:
    team = Team(name="vision", quota=Quota(gpus=8, slices=4))

    assert gpu_quota(team, [WHOLE, SHARED]) == {"nvidia.com/gpu": 8, "nvidia.com/gpu.shared": 4}


def test_a_quota_without_devices_leaves_them_unlimited() -> None:
    assert gpu_quota(Team(name="vision", quota=Quota(cpu="20")), [WHOLE]) == {}


def test_numbers_by_pool_add_up_under_one_name() -> None:
    pools = [NodePool(name=name, gpu=Gpu(model="a100-80gb", per_node=8)) for name in ("a", "b", "c")]

    assert gpu_quota(Team(name="t", quota=Quota(gpus={"a": 8, "b": 4})), pools) == {"nvidia.com/gpu": 12}


def test_whole_gpus_are_bounded_where_no_pool_describes_the_nodes() -> None:
    assert gpu_quota(TEAM, []) == {"nvidia.com/gpu": 8}


def test_what_is_no_device_is_bounded_beside() -> None:
    team = Team(name="vision", quota=Quota(gpus=8, cpu="200", memory="2Ti", storage="10Ti", pods=50))
    made = render(lambda scope: Namespaces(scope, platform=Platform(teams=(team,), node_pools=(WHOLE,)))).objects
    (compute,) = (item.manifest for item in made if item.manifest["metadata"]["name"] == "compute")

    assert compute["spec"]["hard"] == {
        "requests.cpu": "200",
        "requests.memory": "2Ti",
        "requests.storage": "10Ti",
        "pods": "50",
    }


def test_a_team_without_a_limit_has_no_quota() -> None:
    assert gpu_quota(Team(name="vision"), [WHOLE]) == {}


def test_a_limit_of_none_forbids() -> None:
    assert gpu_quota(Team(name="vision", quota=Quota(gpus=0)), [WHOLE]) == {"nvidia.com/gpu": 0}


def test_the_quota_lives_in_the_teams_namespace() -> None:
    platform = Platform(teams=(TEAM,), node_pools=(WHOLE,))

    quota = render(lambda scope: Namespaces(scope, platform=platform)).objects[0].manifest

    assert (quota["kind"], quota["metadata"]["namespace"]) == ("ResourceQuota", "team-vision")
    assert quota["spec"] == {"hard": {"requests.nvidia.com/gpu": "8"}}


def test_each_mig_profile_is_bounded() -> None:
    mig = Mig(strategy="mixed", layout={"1g.10gb": 4, "3g.40gb": 1})
    cut = NodePool(name="cut", gpu=Gpu(model="h100-80gb", per_node=8, mig=mig))

    team = Team(name="vision", quota=Quota(mig={"1g.10gb": 8, "3g.40gb": 2}))

    assert gpu_quota(TEAM, [cut]) == {"nvidia.com/gpu": 8, "nvidia.com/mig-1g.10gb": 0, "nvidia.com/mig-3g.40gb": 0}
    assert gpu_quota(team, [cut]) == {"nvidia.com/mig-1g.10gb": 8, "nvidia.com/mig-3g.40gb": 2}


def test_of_hamis_resources_the_count_alone_is_bounded() -> None:
    """Cores are percent of a card in each pod: their sum over pods says nothing of a team's shares."""
    shares = Sharing(mode="vgpu", layer="hami", replicas=4)

    team = Team(name="vision", quota=Quota(virtual_gpus=8))

    assert gpu_quota(team, [NodePool(name="v", gpu=Gpu(model="t4", per_node=4, sharing=shares))]) == {
        "nvidia.com/vgpu": 8
    }


def test_other_accelerators_are_bounded_by_their_own_names() -> None:
    pools = [
        NodePool(name=f"pool-{index}", accelerator=Accelerator(resource=resource, per_node=8))
        for index, resource in enumerate(("google.com/tpu", "amd.com/gpu", "huawei.com/Ascend910"))
    ]

    team = Team(name="vision", quota=Quota(accelerators={"google.com/tpu": 8, "amd.com/gpu": 4}))

    assert gpu_quota(team, pools) == {"amd.com/gpu": 4, "google.com/tpu": 8, "huawei.com/Ascend910": 0}


def test_levels_are_those_of_the_stacks_version() -> None:
    platform = Platform(kubernetes=Kubernetes("1.35"), namespaces=(NamespaceNeed("a"),))
    labels = render(lambda scope: Namespaces(scope, platform=platform)).objects[0].manifest["metadata"]["labels"]

    assert labels["pod-security.kubernetes.io/enforce-version"] == "v1.35"
    assert labels["pod-security.kubernetes.io/warn-version"] == "v1.35"


def specs(team: Team, **facts: Any) -> dict[str, Any]:
    """What the team's namespace gets, by kind."""
    platform = Platform(teams=(team,), **facts)
    made = render(lambda scope: Namespaces(scope, platform=platform)).objects
    return {item.manifest["kind"]: item.manifest["spec"] for item in made}


def test_containers_that_name_nothing_ask_for_a_little_and_are_not_limited() -> None:
    (item,) = specs(Team(name="t"))["LimitRange"]["limits"]

    assert item == {"type": "Container", "defaultRequest": {"cpu": "100m", "memory": "256Mi"}}


def test_words_leave_out_policy_and_defaults() -> None:
    team = Team.from_file({"name": "t", "network": "open", "podDefaults": "none"})

    assert specs(team) == {}


def test_a_teams_pods_are_reached_from_their_namespace_and_from_components_alone() -> None:
    facts = {name: ComponentFact("1", namespace) for name, namespace in {"katib": "kubeflow", "own": ""}.items()}
    network = {"ingressFrom": ["monitoring", "10.20.0.0/16"]}
    (rule,) = specs(Team.from_file({"name": "t", "network": network}), components=facts)["NetworkPolicy"]["ingress"]

    def named(*names: str) -> dict[str, Any]:
        expression = {"key": "kubernetes.io/metadata.name", "operator": "In", "values": [*names]}
        return {"namespaceSelector": {"matchExpressions": [expression]}}

    assert rule == {
        "from": [{"podSelector": {}}, named("kubeflow"), named("monitoring"), {"ipBlock": {"cidr": "10.20.0.0/16"}}]
    }


@pytest.mark.parametrize(
    ("network", "distribution", "kept"),
    [
        ({}, "eks", [["169.254.169.254/32"], ["fd00:ec2::254/128"]]),
        ({"nodeCredentials": True}, "eks", [None, None]),
        ({}, "gke", [None, None]),
    ],
)
def test_pods_reach_everything_but_the_nodes_credentials(
    network: dict[str, Any], distribution: Distribution, kept: list[Any]
) -> None:
    team = Team.from_file({"name": "t", "network": network})
    *_, last = specs(team, distribution=distribution)["NetworkPolicy"]["egress"]

    assert [peer["ipBlock"]["cidr"] for peer in last["to"]] == ["0.0.0.0/0", "::/0"]
    assert [peer["ipBlock"].get("except") for peer in last["to"]] == kept


def test_a_list_of_destinations_leaves_names_and_what_it_holds() -> None:
    team = Team.from_file({"name": "t", "network": {"egressTo": ["10.1.0.0/16"]}})
    peers, names = specs(team)["NetworkPolicy"]["egress"]

    assert peers == {"to": [{"podSelector": {}}, {"ipBlock": {"cidr": "10.1.0.0/16"}}]}
    assert {port["port"] for port in names["ports"]} == {53}


@pytest.mark.parametrize(
    ("network", "told"),
    [
        ({"ingressFrom": ["10.0.0.1/8"]}, "'10.0.0.1/8' is no network"),
        ({"ingressFrom": ["Monitoring"]}, "neither a namespace nor a network"),
        ({"egressTo": "nowhere"}, "write `anywhere`, or a list"),
        ({"policy": "open", "egressTo": []}, "without a policy everything is open"),
        ("shut", "closed"),
    ],
)
def test_a_network_that_means_nothing_is_refused(network: Any, told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        Team.from_file({"name": "t", "network": network})


def test_datasets_of_a_team_lie_in_its_namespace_behind_classes_of_storage() -> None:
    disk = NodePool.from_file({"name": "train", "selector": {"pool": "train"}, "localDisk": {"path": "/mnt/nvme"}})
    team = Team.from_file({"name": "vision", "datasets": {"faces": {"claim": "there", "localCopy": {}}, "new": {}}})
    platform = Platform(teams=(team,), node_pools=(disk, WHOLE), storage=SHARED_STORAGE)
    found = [
        (
            made.part,
            made.manifest["kind"],
            made.manifest["metadata"]["name"],
            made.manifest["metadata"].get("namespace"),
        )
        for made in render(lambda scope: Namespaces(scope, platform=platform)).objects
        if made.manifest["kind"].startswith("PersistentVolume")
    ]

    assert found == [
        ("after", "PersistentVolume", "team-vision-faces-copy-train", None),
        ("after", "PersistentVolumeClaim", "faces-copy-train", "team-vision"),
        ("after", "PersistentVolumeClaim", "new", "team-vision"),
    ]


def test_teams_and_datasets_whose_names_join_alike_are_told_apart() -> None:
    teams = [
        Team.from_file({"name": "a", "datasets": {"b-c": {}}}),
        Team.from_file({"name": "a-b", "datasets": {"c": {}}}),
    ]
    platform = Platform(teams=tuple(teams), storage=SHARED_STORAGE)
    claims = [
        (made.manifest["metadata"]["namespace"], made.manifest["metadata"]["name"])
        for made in render(lambda scope: Namespaces(scope, platform=platform)).objects
        if made.manifest["kind"] == "PersistentVolumeClaim"
    ]

    assert claims == [("team-a", "b-c"), ("team-a-b", "c")]
    assert [*Namespaces.problems(Setting("namespaces", NamespacesConfig(), platform))] == []


def test_copies_of_two_datasets_that_would_be_one_volume_are_told() -> None:
    pool = NodePool.from_file({"name": "train", "selector": {"pool": "train"}, "localDisk": {"path": "/mnt/nvme"}})
    said = (("a", "b-c"), ("a-b", "c"))
    teams = tuple(Team.from_file({"name": team, "datasets": {name: {"localCopy": {}}}}) for team, name in said)
    platform = Platform(teams=teams, node_pools=(pool,), storage=SHARED_STORAGE)

    (found,) = Namespaces.problems(Setting("namespaces", NamespacesConfig(), platform))

    assert found.text.startswith("datasets.c of team a-b and datasets.b-c of team a: ")
    assert found.at == ("teams", 1, "datasets", "c")


@pytest.mark.parametrize(
    ("pool", "said", "text"),
    [
        ({}, {"claim": "c", "localCopy": {}}, "team vision: datasets.faces.localCopy: no node pool has a local disk"),
        ({"localDisk": {"path": "/mnt/nvme"}}, {"claim": "c", "localCopy": {}}, "pool train has no selector"),
        ({}, {"storage": "sahred"}, "storage 'sahred' is not in the stack"),
    ],
)
def test_a_dataset_that_nothing_can_hold_is_told_at_its_place(
    pool: dict[str, Any], said: dict[str, Any], text: str
) -> None:
    team = Team.from_file({"name": "vision", "datasets": {"faces": said}})
    platform = Platform(
        teams=(team,), node_pools=(NodePool.from_file({"name": "train", **pool}),), storage=SHARED_STORAGE
    )
    (found,) = Namespaces.problems(Setting("namespaces", NamespacesConfig(), platform))

    assert text in found.text
    assert found.at == ("teams", 0, "datasets", "faces")


def accounts(**facts: Any) -> dict[str, dict[str, Any]]:
    needs = (NamespaceNeed("kubeflow"), NamespaceNeed("team-vision"), NamespaceNeed("elsewhere"))
    platform = Platform(namespaces=needs, teams=(TEAM,), **facts)
    made = render(lambda scope: Namespaces(scope, config=NamespacesConfig(existing=["elsewhere"]), platform=platform))
    found = (item.manifest for item in made.objects if item.manifest["kind"] == "ServiceAccount")
    return {f"{each['metadata']['namespace']}/{each['metadata']['name']}": each for each in found}


def test_default_accounts_name_the_stacks_pull_secrets_and_are_never_deleted() -> None:
    """What operators make runs under them. Tokens of pods that run would end with a deleted account."""
    found = accounts(pull_secrets=["registry"], delivery="flux")

    assert sorted(found) == ["kubeflow/default", "team-vision/default"]
    assert found["team-vision/default"]["imagePullSecrets"] == [{"name": "registry"}]
    assert found["kubeflow/default"]["metadata"]["annotations"] == {"kustomize.toolkit.fluxcd.io/prune": "disabled"}
    assert accounts() == {}


def test_accounts_of_profiles_are_in_the_namespaces_of_teams_alone() -> None:
    found = accounts(pull_secrets=["registry"], apis=frozenset({"Profile.kubeflow.org"}))

    assert sorted(found) == [
        "kubeflow/default",
        *(f"team-vision/{name}" for name in ("default", "default-editor", "default-viewer")),
    ]
