"""JupyterHub: who gets in, what they may start where, what never changes, and what a stack is told that cannot serve it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from platform_def.capabilities import Devices, Gateway, Identity, JobQueue, Metrics
from platform_def.components.notebooks.jupyterhub.component import Jupyterhub
from platform_def.components.notebooks.jupyterhub.config import JupyterhubConfig
from platform_def.config.capability import Capability, Provision
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.config.storage import LocalPath, Nfs
from platform_def.config.teams import Team
from platform_def.constructs.component import Setting
from platform_def.errors import ConfigError
from tests.unit.built import Objects, built, grants, platform

GATEWAY = Gateway(api="emissary", name="edge", namespace="edge", host="ml.example.com")
IDENTITY = Identity(issuer="https://id.example.com", clients_namespace="auth")
METRICS = Metrics(address="http://p:9090", namespace="monitoring", pods={"app.kubernetes.io/name": "prometheus"})
GPUS = ["nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-1g.10gb"]
TRAIN = {"name": "train", "nodes": 2, "selector": {"pool": "train"}, "taints": ["gpu=train:NoSchedule"]}
POOLS = [
    {**TRAIN, "gpu": {"model": "a100-80gb", "perNode": 8}, "cores": 128, "memoryGib": 1024},
    {"name": "office", "nodes": 2, "selector": {"pool": "office"}},
]
TEAM = {
    "name": "vision",
    "quota": {"gpus": 4},
    "members": [{"name": "Li@example.com"}, {"name": "guest@example.com", "role": "view"}],
    "groups": [{"name": "vision"}, {"name": "readers", "role": "view"}],
}


def facts(*more: Capability, pools: list[Any] | None = None, teams: list[Any] | None = None, **given: Any) -> Platform:
    capabilities = (GATEWAY, IDENTITY, METRICS, Devices(resources=GPUS), *more)
    names = {GATEWAY.kind(): "edge"}
    return platform(
        gateway="edge",
        ingress={"kind": "cloud", "host": "ml.example.com", "tls": {"secret": "tls"}},
        provisions=tuple(Provision.of(each, names.get(each.kind(), "elsewhere")) for each in capabilities),
        resources=frozenset(GPUS),
        node_pools=tuple(map(NodePool.from_file, POOLS if pools is None else pools)),
        teams=tuple(map(Team.from_file, [TEAM] if teams is None else teams)),
        **given,
    )


def build(*more: Capability, stack: dict[str, Any] | None = None, **config: Any) -> Objects:
    return built(Jupyterhub, facts(*more, **(stack or {})), **config)


def settings(made: Objects) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(made.one("ConfigMap", "hub")["data"]["platform.json"])
    return found


def profile(made: Objects, name: str, place: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = next(each for each in settings(made)["places"][place]["profiles"] if each["slug"] == name)
    return found


def problems(config: dict[str, Any] | None = None, **stack: Any) -> list[str]:
    at = Setting("jupyterhub", JupyterhubConfig.from_file(config or {}), facts(**stack))
    return [str(each) for each in Jupyterhub.problems(at)]


def test_people_sign_in_at_the_identity_provider_and_no_header_is_believed() -> None:
    made = build()
    login = settings(made)["login"]

    assert login["callback_url"] == "https://ml.example.com/jupyterhub/hub/oauth_callback"
    assert "groups" in login["scopes"]
    assert made.one("Mapping", "jupyterhub")["spec"]["prefix"] == "/jupyterhub/"
    assert {each["metadata"]["namespace"] for each in made.of("Role") if "client" in each["metadata"]["name"]} == {
        "jupyterhub",
        "auth",
    }


def test_members_who_only_look_start_nothing() -> None:
    place = settings(build())["places"][0]

    assert (place["members"], place["groups"]) == (["li@example.com"], ["vision"])


def test_a_choice_for_each_pool_goes_as_far_as_the_quota() -> None:
    made = build()

    assert [each["slug"] for each in settings(made)["places"][0]["profiles"]] == ["office", "train"]
    assert list(profile(made, "train")["profile_options"]["gpus"]["choices"]) == ["1", "2", "4"]


def test_a_server_with_devices_has_what_its_pool_asks_for() -> None:
    wanted = profile(build(RUNTIME), "train")["kubespawner_override"]

    assert wanted["extra_resource_limits"] == {"nvidia.com/gpu": "1"}
    assert wanted["node_selector"] == {"pool": "train"}
    assert wanted["tolerations"] == [{"key": "gpu", "operator": "Equal", "value": "train", "effect": "NoSchedule"}]
    assert wanted["extra_pod_config"] == {"runtimeClassName": "nvidia"}
    assert (wanted["cpu_guarantee"], wanted["mem_limit"]) == (14.0, 115 * 2**30)


RUNTIME = Devices(resources=["nvidia.com/gpu"])


@pytest.mark.parametrize(
    ("gpu", "resources"),
    [
        ({"sharing": {"mode": "time-slicing", "replicas": 4, "rename": True}}, {"nvidia.com/gpu.shared": "1"}),
        ({"mig": {"strategy": "mixed", "layout": {"1g.10gb": 7}}}, {"nvidia.com/mig-1g.10gb": "1"}),
        (
            {"sharing": {"mode": "vgpu", "layer": "hami", "replicas": 4}},
            {"nvidia.com/vgpu": "1", "nvidia.com/gpucores": "25", "nvidia.com/gpumem-percentage": "25"},
        ),
        (
            {"sharing": {"mode": "vgpu", "replicas": 4}},
            {"tencent.com/vcuda-core": "25", "tencent.com/vcuda-memory": "72"},
        ),
    ],
)
def test_parts_of_cards_are_asked_for_in_the_words_of_who_divides_them(
    gpu: dict[str, Any], resources: dict[str, str]
) -> None:
    pool = {"name": "shared", "nodes": 1, "gpu": {"model": "a100-80gb", "perNode": 1, **gpu}}
    given = facts(pools=[pool], teams=[{"name": "vision"}]).with_facts(resources=frozenset(["*"]))
    made = built(Jupyterhub, given)
    names = [each for each in settings(made)["places"][0]["profiles"] if each["slug"].startswith("shared")]

    assert names[0]["kubespawner_override"]["extra_resource_limits"] == resources
    assert "profile_options" not in names[0]


def test_pods_wait_in_the_queue_of_the_team_where_they_can() -> None:
    queues = JobQueue(implementation="volcano", annotation="volcano/queue", scheduler="volcano", by_pool=False)
    made = build(queues, stack={"teams": [{**TEAM, "queue": "research"}]})
    wanted = profile(made, "train")["kubespawner_override"]

    assert wanted["scheduler_name"] == "volcano"
    assert wanted["extra_annotations"] == {"volcano/queue": "research"}


def test_a_queue_that_takes_jobs_alone_leaves_servers_without_devices() -> None:
    queues = JobQueue(implementation="kueue", label="queue-name", kinds=["JobSet.jobset.x-k8s.io"])
    stack = {"teams": [{**TEAM, "queue": "research"}]}

    assert [each["slug"] for each in settings(build(queues, stack=stack))["places"][0]["profiles"]] == ["office"]
    made = build(queues, stack=stack, outside_queues=True)
    assert [each["slug"] for each in settings(made)["places"][0]["profiles"]] == ["office", "train"]


def test_a_member_with_a_quota_has_choices_that_fit_their_own_namespace() -> None:
    member = {"name": "li@example.com", "quota": {"cpu": "2"}}
    places = settings(build(stack={"teams": [{"name": "vision", "members": [member]}]}))["places"]

    assert [each["namespace"] for each in places] == ["team-vision", "team-vision-li"]
    assert [each["slug"] for each in places[1]["profiles"]] == ["office"]
    assert places[1]["members"] == ["li@example.com"]


def test_the_home_is_where_the_image_has_it_and_belongs_to_its_user() -> None:
    made = settings(build(images={"own": {"image": "r.example.com/n:1", "user": 7, "group": 8, "home": "/home/w"}}))
    image = made["images"]["own"]["kubespawner_override"]

    assert (image["uid"], image["gid"], image["fs_gid"]) == (7, 8, 8)
    assert image["volume_mounts"]["home"]["mountPath"] == image["working_dir"] == "/home/w"
    assert made["spawner"]["delete_pvc"] is False


def test_homes_are_on_the_storage_that_is_named() -> None:
    nfs = Nfs(driver="nfs", server="nfs.example.com", share="/export")
    spawner = settings(build(stack={"storage": {"nfs": nfs}}, home={"storage": "nfs", "size": "50Gi"}))["spawner"]

    assert spawner["storage_class"] == "nfs"
    assert (spawner["storage_access_modes"], spawner["storage_capacity"]) == (["ReadWriteMany"], "50Gi")


def test_data_of_the_team_is_there_to_read() -> None:
    nfs = Nfs(driver="nfs", server="nfs.example.com", share="/export")
    team = {**TEAM, "datasets": {"imagenet": {"storage": "nfs"}}}
    place = settings(build(stack={"storage": {"nfs": nfs}, "teams": [team]}))["places"][0]["kubespawner_override"]
    mount = place["volume_mounts"]["data-imagenet"]

    assert (mount["mountPath"], mount["readOnly"]) == ("/datasets/imagenet", True)


def test_the_hub_never_runs_twice() -> None:
    made = build()

    for name in ("hub", "proxy"):
        spec = made.one("Deployment", name)["spec"]
        assert (spec["replicas"], spec["strategy"]) == (1, {"type": "Recreate"})
    assert made.one("PersistentVolumeClaim", "hub-db-dir")["spec"]["accessModes"] == ["ReadWriteOnce"]


@pytest.mark.parametrize("workload", ["hub", "proxy"])
def test_a_stack_cannot_ask_for_a_second_hub(workload: str) -> None:
    with pytest.raises(ConfigError, match="replicas"):
        build(workloads={workload: {"replicas": 2}})


def test_the_order_of_maps_in_a_stack_file_changes_nothing() -> None:
    small, large = {"small": {"cpu": "1"}}, {"large": {"cpu": "4"}}
    image = {"image": "r.example.com/n:1", "user": 1, "group": 1, "home": "/h"}
    one = build(profiles={**small, **large}, images={"a": image, "b": image})
    other = build(profiles={**large, **small}, images={"b": image, "a": image})

    assert settings(one) == settings(other)
    assert [each["slug"] for each in settings(one)["places"][0]["profiles"]] == ["small", "large"]
    assert one.one("ConfigMap", "hub") == other.one("ConfigMap", "hub")


def test_servers_keep_away_from_nodes_that_the_pool_avoids() -> None:
    pool = {"name": "office", "nodes": 2, "selector": {"pool": "office"}, "avoid": {"health": "faulty"}}
    wanted = profile(build(stack={"pools": [pool]}), "office")["kubespawner_override"]
    away = {"key": "health", "operator": "NotIn", "values": ["faulty"]}

    assert wanted["node_affinity_required"] == [{"matchExpressions": [away]}]


def test_its_secrets_are_made_in_the_cluster_and_are_in_no_object() -> None:
    one, other = build(), build()

    assert not one.of("Secret")
    assert one.one("Deployment", "hub") == other.one("Deployment", "hub")
    assert {"hub-generator", "jupyterhub-client-generator"} <= {
        each["spec"]["template"]["spec"]["serviceAccountName"] for each in one.of("Job")
    }


def test_the_hub_may_make_pods_and_claims_in_namespaces_of_teams_and_reads_no_secret() -> None:
    made = build()
    roles = [each for each in made.of("Role") if each["metadata"]["name"] == "hub"]

    assert [each["metadata"]["namespace"] for each in roles] == ["team-vision"]
    assert grants(roles[0]["rules"], "", "pods") == {"create", "delete", "get", "list", "watch"}
    assert not grants(roles[0]["rules"], "", "secrets")


def test_without_an_identity_provider_a_password_of_the_cluster_lets_people_in() -> None:
    made = build(access="everyone", guests="vision")

    assert settings(made)["login"] == {"kind": "password"}
    assert settings(made)["places"][0]["guests"]
    sources = made.pod("Deployment", "hub")["volumes"][-1]["projected"]["sources"]
    assert [each["secret"]["name"] for each in sources] == ["hub", "hub-password"]


def test_administrators_alone_get_no_route() -> None:
    assert not build(access="administrators").of("Mapping")


def test_idle_servers_end_after_the_time_that_is_said() -> None:
    assert settings(build(idle_after="90m"))["idle_seconds"] == 5400
    assert settings(build(idle_after="never"))["idle_seconds"] == 0


def test_prometheus_shows_a_token_of_its_own() -> None:
    given = Metrics(address="http://p:9090", namespace="monitoring", pods={"app": "p"}, monitors=True)
    made = built(Jupyterhub, facts().with_facts(provisions=(*facts().provisions[:2], Provision.of(given, "x"))))
    endpoint = made.one("ServiceMonitor")["spec"]["endpoints"][0]

    assert endpoint["path"] == "/jupyterhub/hub/metrics"
    assert endpoint["authorization"]["credentials"] == {"name": "hub", "key": "metrics-token"}


def test_only_servers_proxy_and_prometheus_reach_the_hub() -> None:
    peers = [peer for rule in build().one("NetworkPolicy", "hub")["spec"]["ingress"] for peer in rule["from"]]
    namespaces = [
        each.get("namespaceSelector", {}).get("matchLabels", {}).get("kubernetes.io/metadata.name", "")
        for each in peers
    ]

    assert sorted(namespaces) == ["", "monitoring", "team-vision"]


def test_images_for_cuda_are_pulled_on_nodes_with_cards_alone() -> None:
    made = build()

    def pulled(name: str) -> list[str]:
        return [each["name"] for each in made.pod("DaemonSet", name)["initContainers"]]

    assert pulled("continuous-image-puller-office") == ["image-pull-minimal"]
    assert pulled("continuous-image-puller-train") == ["image-pull-pytorch"]
    assert made.pod("DaemonSet", "continuous-image-puller-train")["tolerations"][0]["key"] == "gpu"


def test_scheduler_and_pullers_can_be_left_out() -> None:
    made = build(user_scheduler=False, pull_images=False)

    assert made.names("Deployment") == ["hub", "proxy"]
    assert not made.of("DaemonSet")
    assert "scheduler_name" not in settings(made)["spawner"]


@pytest.mark.parametrize(
    ("config", "stack", "text"),
    [
        ({}, {"teams": []}, "the stack has no teams"),
        ({"guests": "visoin"}, {}, "did you mean 'vision'"),
        ({"profiles": {"big": {"pool": "trian", "gpus": 1}}}, {}, "no node pool 'trian'"),
        ({"profiles": {"big": {"pool": "train", "gpus": 9}}}, {}, "offers 8, not 9"),
        ({"profiles": {"big": {"pool": "train", "gpus": 8}}}, {}, "quota"),
        ({"profiles": {"big": {"teams": ["vison"]}}}, {}, "did you mean 'vision'"),
        ({"home": {"storage": "nfs"}}, {}, "storage 'nfs' is not in the stack"),
        (
            {"home": {"storage": "disk"}},
            {"storage": {"disk": LocalPath(driver="local-path", permissions="0750")}},
            "fsGroup does not reach",
        ),
    ],
)
def test_what_a_stack_cannot_serve_is_told(config: dict[str, Any], stack: dict[str, Any], text: str) -> None:
    found = problems(config, **stack)

    assert len(found) == 1, found
    assert text in found[0]
    assert "hint: " in found[0]


def test_a_stack_that_serves_it_is_told_nothing() -> None:
    assert problems() == []


@pytest.mark.parametrize(
    ("given", "stack", "text"),
    [
        ((GATEWAY, IDENTITY), {"gateway": "none"}, "the stack has no gateway"),
        ((GATEWAY,), {}, "nothing in the stack says who people are"),
        ((GATEWAY, IDENTITY), {"ingress": {"kind": "cloud"}}, "no host to which browsers return"),
        ((GATEWAY, Identity(issuer="https://id.example.com")), {}, "does not know a generated secret"),
    ],
)
def test_who_people_are_must_be_known(given: tuple[Capability, ...], stack: dict[str, Any], text: str) -> None:
    provisions = tuple(Provision.of(each, "edge" if each is GATEWAY else "external") for each in given)
    there = facts(pools=[]).with_facts(provisions=provisions, **stack)
    found = [str(each) for each in Jupyterhub.problems(Setting("jupyterhub", JupyterhubConfig(), there))]

    assert len(found) == 1, found
    assert text in found[0]


def test_a_port_forward_needs_no_gateway() -> None:
    there = facts(pools=[]).with_facts(provisions=(), gateway="none")

    assert not [*Jupyterhub.problems(Setting("jupyterhub", JupyterhubConfig(access="administrators"), there))]


def test_an_image_of_which_nothing_is_known_must_say_its_user() -> None:
    with pytest.raises(ValueError, match="neither user, group nor home"):
        JupyterhubConfig.from_file({"images": {"own": {"image": "r.example.com/n:1"}}})


def test_a_profile_names_images_that_there_are() -> None:
    with pytest.raises(ValueError, match="did you mean 'pytorch'"):
        JupyterhubConfig.from_file({"profiles": {"one": {"images": ["pytoch"]}}})
