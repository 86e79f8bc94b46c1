"""Namespaces: levels, reasons, and the GPU quotas of teams."""

from __future__ import annotations

from platform_def.components.namespaces import Namespaces, NamespacesConfig, gpu_quota
from platform_def.config.accelerators import Accelerator
from platform_def.config.platform import NamespaceNeed, Platform
from platform_def.config.pools import Gpu, Mig, NodePool, Sharing
from platform_def.config.teams import Quota, Team
from platform_def.constructs.render import render

WHOLE = NodePool(name="whole", gpu=Gpu(model="a100-80gb", per_node=8))
SHARED = NodePool(
    name="shared", gpu=Gpu(model="t4", per_node=4, sharing=Sharing(mode="time-slicing", replicas=4, rename=True))
)
TEAM = Team(name="vision", quota=Quota(gpus=8))


def test_a_level_above_baseline_says_why() -> None:
    platform = Platform(namespaces=(NamespaceNeed("csi", "privileged", why="mounts on the node"),))
    made = render(lambda scope: Namespaces(scope, platform=platform)).objects[0].manifest

    assert made["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "privileged"
    assert made["metadata"]["annotations"] == {"platform-def/pod-security-reason": "mounts on the node"}


def test_somebody_elses_namespaces_are_left_out() -> None:
    platform = Platform(namespaces=(NamespaceNeed("a"), NamespaceNeed("b")))
    config = NamespacesConfig(existing=["a"])

    made = render(lambda scope: Namespaces(scope, config=config, platform=platform)).objects

    assert [item.manifest["metadata"]["name"] for item in made] == ["b"]


def test_a_quota_bounds_requests_of_every_name_that_pools_offer() -> None:
    assert gpu_quota(TEAM, [WHOLE, SHARED]) == {"requests.nvidia.com/gpu": "8", "requests.nvidia.com/gpu.shared": "8"}


def test_a_team_without_a_limit_has_no_quota() -> None:
    assert gpu_quota(Team(name="vision"), [WHOLE]) == {}


def test_a_limit_of_none_forbids() -> None:
    assert gpu_quota(Team(name="vision", quota=Quota(gpus=0)), [WHOLE]) == {"requests.nvidia.com/gpu": "0"}


def test_the_quota_lives_in_the_teams_namespace() -> None:
    platform = Platform(teams=(TEAM,), node_pools=(WHOLE,))

    quota = render(lambda scope: Namespaces(scope, platform=platform)).objects[0].manifest

    assert (quota["kind"], quota["metadata"]["namespace"]) == ("ResourceQuota", "team-vision")


def test_each_mig_profile_is_bounded() -> None:
    mig = Mig(strategy="mixed", layout={"1g.10gb": 4, "3g.40gb": 1})
    cut = NodePool(name="cut", gpu=Gpu(model="h100-80gb", per_node=8, mig=mig))

    assert gpu_quota(TEAM, [cut]) == {"requests.nvidia.com/mig-1g.10gb": "8", "requests.nvidia.com/mig-3g.40gb": "8"}


def test_of_hamis_resources_the_count_alone_is_bounded() -> None:
    """Cores are percent of a card in each pod: their sum over pods says nothing of a team's shares."""
    shares = Sharing(mode="vgpu", layer="hami", replicas=4)

    assert gpu_quota(TEAM, [NodePool(name="v", gpu=Gpu(model="t4", per_node=4, sharing=shares))]) == {
        "requests.nvidia.com/vgpu": "8"
    }


def test_other_accelerators_are_bounded_by_their_own_names() -> None:
    pools = [
        NodePool(name=f"pool-{index}", accelerator=Accelerator(resource=resource, per_node=8))
        for index, resource in enumerate(("google.com/tpu", "amd.com/gpu", "huawei.com/Ascend910"))
    ]

    assert gpu_quota(TEAM, pools) == {
        "requests.amd.com/gpu": "8",
        "requests.google.com/tpu": "8",
        "requests.huawei.com/Ascend910": "8",
    }
