from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from platform_def import yaml
from platform_def.apis.nvidia.device_plugin_v1 import FEWEST_SHARES
from platform_def.components.gpu.nvidia_device_plugin.component import (
    NvidiaDevicePlugin,
    NvidiaDevicePluginConfig,
)
from platform_def.components.gpu.pools.device_plugin_config import (
    LONGEST_NAME,
    config_name,
    devices,
)
from platform_def.config.platform import Platform
from platform_def.config.pools import Gpu, NodePool, offered
from platform_def.constructs.render import render
from platform_def.errors import ConfigError
from tests.components.formats.device_plugin import problems
from tests.unit.built import stack_of, told

GPUS: Mapping[str, dict[str, Any]] = {
    "whole": {},
    "time-slicing": {"sharing": {"mode": "time-slicing", "replicas": 4}},
    "renamed": {"sharing": {"mode": "time-slicing", "replicas": 4, "rename": True}},
    "mps": {"sharing": {"mode": "mps", "replicas": 2}},
    "mps-renamed": {"sharing": {"mode": "mps", "replicas": 10, "rename": True}},
    "mig-single": {"mig": {"layout": {"1g.10gb": 7}}},
    "mig-mixed": {"mig": {"strategy": "mixed", "layout": {"1g.10gb": 4, "3g.40gb": 1}}},
    "mig-sliced": {
        "mig": {"strategy": "mixed", "layout": {"1g.10gb+me": 1, "2g.20gb": 3}},
        "sharing": {"mode": "time-slicing", "replicas": 2},
    },
}


def pool(name: str, way: str = "whole", **more: Any) -> NodePool:
    gpu = {"model": "a100-80gb", "perNode": 8, **GPUS.get(way, {"sharing": {"mode": "vgpu"}})}
    return NodePool.from_file({"name": name, "selector": {"pool": name}, "gpu": gpu, **more})


def objects(*pools: NodePool, config: NvidiaDevicePluginConfig | None = None, **facts: Any) -> dict[str, Any]:
    """Manifests by kind and name."""
    platform = Platform(node_pools=pools, **facts)
    build = render(lambda scope: NvidiaDevicePlugin(scope, config=config, platform=platform))
    return {f"{made.manifest['kind']}/{made.manifest['metadata']['name']}": made.manifest for made in build.objects}


def pod(made: Mapping[str, Any], name: str = "nvidia-device-plugin") -> dict[str, Any]:
    spec: dict[str, Any] = made[f"DaemonSet/{name}"]["spec"]["template"]["spec"]
    return spec


def files(made: Mapping[str, Any]) -> dict[str, Any]:
    return {key: yaml.load(text) for key, text in made["ConfigMap/nvidia-device-plugin-configs"]["data"].items()}


def nodes(spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    chosen: list[dict[str, Any]] = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][
        "nodeSelectorTerms"
    ]
    return chosen


def daemons(made: Mapping[str, Any]) -> list[str]:
    return sorted(key.partition("/")[2] for key in made if key.startswith("DaemonSet/"))


def refusal(*pools: NodePool) -> str:
    with pytest.raises(ConfigError) as caught:
        objects(*pools)
    return str(caught.value)


@pytest.mark.parametrize("way", GPUS)
def test_every_mode_gives_a_file_that_the_plugin_takes(way: str) -> None:
    made = files(objects(pool("only", way)))

    assert len(made) == 1
    assert [problems(file) for file in made.values()] == [[]]


@pytest.mark.parametrize("way", GPUS)
def test_the_file_shares_exactly_what_the_pool_offers(way: str) -> None:
    only = pool("only", way)
    (file,) = files(objects(only)).values()
    shared = next(iter(file.get("sharing", {}).values()), None)
    suffix = ".shared" if shared and shared["renameByDefault"] else ""

    assert only.gpu is not None
    assert {f"{name}{suffix}" for name in devices(only.gpu)} == set(offered(only))
    assert shared is None or [each["name"] for each in shared["resources"]] == devices(only.gpu)


def test_a_pool_keeps_its_objects_when_others_come() -> None:
    alone = objects(pool("b", "renamed"))
    beside = objects(pool("a"), pool("b", "renamed"), pool("c", "mps-renamed"), pool("z", "mig-mixed"))
    name = "DaemonSet/nvidia-device-plugin-time-slicing-4"

    assert beside[name] == alone[name]


def test_pools_of_one_way_share_a_daemon_set() -> None:
    made = objects(pool("a", taints=["gpu=a:NoSchedule"]), pool("b", taints=["gpu=b:NoSchedule"]))
    spec = pod(made)

    assert daemons(made) == ["nvidia-device-plugin"]
    assert [term["matchExpressions"][0]["values"] for term in nodes(spec)] == [["a"], ["b"]]
    assert {"key": "gpu", "operator": "Equal", "value": "b", "effect": "NoSchedule"} in spec["tolerations"]


def test_a_changed_pool_restarts_its_plugin_alone() -> None:
    before = objects(pool("a"), pool("b", "renamed"))
    after = objects(pool("a"), pool("b", "mig-single"))

    assert before["DaemonSet/nvidia-device-plugin"] == after["DaemonSet/nvidia-device-plugin"]
    assert daemons(after) == ["nvidia-device-plugin", "nvidia-device-plugin-mig-single"]


def test_a_changed_knob_changes_the_pods() -> None:
    annotations = [
        objects(config=config)["DaemonSet/nvidia-device-plugin"]["spec"]["template"]["metadata"]["annotations"]
        for config in (None, NvidiaDevicePluginConfig(allocation="packed"))
    ]

    assert annotations[0] != annotations[1]


def test_without_gpu_pools_nodes_are_found_by_upstreams_labels() -> None:
    keys = [term["matchExpressions"][0]["key"] for term in nodes(pod(objects()))]

    assert keys == [
        "feature.node.kubernetes.io/pci-10de.present",
        "feature.node.kubernetes.io/cpu-model.vendor_id",
        "nvidia.com/gpu.present",
    ]


def test_mps_runs_its_daemon_on_the_pools_nodes_without_a_label_of_discovery() -> None:
    made = objects(pool("a", "mps"))
    daemon = pod(made, "nvidia-device-plugin-mps-control-daemon-as-gpu")

    assert "nodeSelector" not in daemon
    assert nodes(daemon) == nodes(pod(made, "nvidia-device-plugin-mps-as-gpu"))
    assert daemon["volumes"][0] == pod(made, "nvidia-device-plugin-mps-as-gpu")["volumes"][2]


def test_only_mps_pools_get_the_daemon() -> None:
    assert daemons(objects(pool("a", "time-slicing"))) == ["nvidia-device-plugin-time-slicing-4-as-gpu"]


def test_daemons_do_not_select_each_others_pods() -> None:
    made = objects(pool("a", "mps"), pool("b", "time-slicing"))
    selectors = [str(made[f"DaemonSet/{name}"]["spec"]["selector"]) for name in daemons(made)]

    assert len(set(selectors)) == len(selectors) == 3


def test_sys_admin_is_for_mig_alone() -> None:
    made = objects(pool("a"), pool("b", "mig-mixed"))
    plain = pod(made)["containers"][0]["securityContext"]
    mig = pod(made, "nvidia-device-plugin-mig-mixed")["containers"][0]["securityContext"]

    assert plain == {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
    assert mig == {"capabilities": {"add": ["SYS_ADMIN"]}}


def test_mig_manager_can_send_the_plugin_away() -> None:
    (term,) = nodes(pod(objects(pool("a", "mig-single")), "nvidia-device-plugin-mig-single"))

    assert term["matchExpressions"][1]["operator"] == "NotIn"
    assert "paused-for-mig-change" in term["matchExpressions"][1]["values"]


def test_shares_are_handed_out_one_at_a_time_unless_told_otherwise() -> None:
    (strict,) = files(objects(pool("a", "time-slicing"))).values()
    config = NvidiaDevicePluginConfig(one_share_a_request=False)
    (loose,) = files(objects(pool("a", "time-slicing"), config=config)).values()

    assert strict["sharing"]["timeSlicing"]["failRequestsGreaterThanOne"] is True
    assert loose["sharing"]["timeSlicing"]["failRequestsGreaterThanOne"] is False


def test_kubelet_folder_follows_the_distribution() -> None:
    volumes = pod(objects(distribution="microk8s"))["volumes"]

    assert volumes[0]["hostPath"]["path"] == "/var/snap/microk8s/common/var/lib/kubelet/device-plugins"


@pytest.mark.parametrize(
    ("facts", "made"),
    [
        ({}, True),
        ({"nvidia_runtime": "default"}, False),
        ({"distribution": "k3s", "kubernetes": "1.36"}, False),
        ({"distribution": "k3s", "kubernetes": "1.27"}, True),
    ],
)
def test_runtime_class_is_made_where_nobody_else_does(facts: dict[str, Any], made: bool) -> None:
    assert ("RuntimeClass/nvidia" in objects(**facts)) is made


def test_pods_name_the_runtime_class_unless_nvidia_is_the_default() -> None:
    assert pod(objects())["runtimeClassName"] == "nvidia"
    assert "runtimeClassName" not in pod(objects(nvidia_runtime="default"))


def test_cdi_mounts_the_driver_root() -> None:
    made = objects(config=NvidiaDevicePluginConfig(device_list_strategy=["cdi-cri"]))
    volumes = {volume["name"]: volume for volume in pod(made)["volumes"]}

    assert volumes["driver-root"]["hostPath"]["path"] == "/"
    assert files(made)["default"]["flags"]["nvidiaDriverRoot"] == "/"
    assert problems(files(made)["default"]) == []


def test_pods_get_no_token() -> None:
    assert pod(objects())["automountServiceAccountToken"] is False


def test_images_come_from_the_mirror() -> None:
    made = objects(pool("a", "mps"), registry="registry.example.com/mirror")
    spec = pod(made, "nvidia-device-plugin-mps-control-daemon-as-gpu")
    images = {container["image"] for container in spec["containers"] + spec["initContainers"]}

    assert images == {"registry.example.com/mirror/nvcr.io/nvidia/k8s-device-plugin:v0.20.0"}


def test_two_ways_need_selectors_that_keep_nodes_apart() -> None:
    assert "pool a has no selector" in refusal(pool("a", selector={}), pool("b", "mps-renamed"))
    assert "pool a selects nodes of pool b too" in refusal(
        pool("a", selector={"gpu": "yes"}), pool("b", "mps-renamed", selector={"gpu": "yes", "pool": "b"})
    )


def test_pools_of_virtual_gpus_are_left_to_their_own_plugin() -> None:
    made = objects(pool("a"), pool("b", "vgpu"))

    assert daemons(made) == ["nvidia-device-plugin"]
    assert (
        "no pool is left for it"
        in told(NvidiaDevicePlugin, node_pools=(pool("b", "vgpu"),), beside={"gpu-manager": {}})[0]
    )


def test_a_pool_of_virtual_gpus_collides_with_one_without_selector() -> None:
    assert "pool a has no selector" in refusal(pool("a", selector={}), pool("b", "vgpu"))


def test_old_cards_serve_fewer_mps_clients() -> None:
    gpu = {"model": "v100-32gb", "perNode": 8, "sharing": {"mode": "mps", "replicas": 17}}

    assert "at most 16 clients of a v100-32gb, not 17" in refusal(
        NodePool.from_file({"name": "old", "selector": {"pool": "old"}, "gpu": gpu})
    )


def test_names_differ_where_files_differ() -> None:
    names = {config_name(pool("a", way).gpu) for way in GPUS}

    assert len(names) == len(GPUS)


def test_plain_choices_leave_no_trace_in_a_name() -> None:
    plain = {"model": "t4", "perNode": 1, "sharing": {"mode": "mps", "replicas": FEWEST_SHARES, "rename": True}}

    assert config_name(Gpu.from_file({"model": "t4", "perNode": 1})) == config_name(None) == ""
    assert config_name(Gpu.from_file(plain)) == "mps"


def test_long_names_fit_a_label_and_stay_apart() -> None:
    sharing = {"mode": "time-slicing", "replicas": 16, "rename": True}
    layouts = [{"1g.10gb": 2, "2g.20gb": 1, "3g.40gb": 1}, {"1g.10gb": 2, "2g.20gb": 1, "4g.40gb": 1}]
    names = [
        config_name(
            Gpu.from_file(
                {"model": "h100", "perNode": 8, "mig": {"strategy": "mixed", "layout": layout}, "sharing": sharing}
            )
        )
        for layout in layouts
    ]

    assert len(set(names)) == 2
    assert all(len(name) <= LONGEST_NAME for name in names)


def test_an_empty_list_of_strategies_is_refused() -> None:
    with pytest.raises(ValidationError, match="deviceListStrategy"):
        NvidiaDevicePluginConfig.from_file({"deviceListStrategy": []})


def shared(**more: Any) -> dict[str, Any]:
    return {"resources": [{"name": "nvidia.com/gpu", "replicas": 4}], **more}


MIG_SLICE = {"resources": [{"name": "nvidia.com/mig-1g.10gb", "replicas": 2}]}


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"version": "v1"},
        {"version": "v1", "flags": {"plugin": {"deviceListStrategy": "envvar"}, "gfd": {"sleepInterval": "1m30s"}}},
        {"sharing": {"timeSlicing": {"resources": [{"name": "gpu", "replicas": 2, "devices": "all"}]}}},
        {"flags": {"migStrategy": "mixed"}, "sharing": {"timeSlicing": MIG_SLICE}},
        {"sharing": {"mps": shared(renameByDefault=True)}},
        {"imex": {"channelIDs": [0], "required": True}},
    ],
)
def test_the_format_takes(config: dict[str, Any]) -> None:
    assert problems(config) == []


@pytest.mark.parametrize(
    ("config", "why"),
    [
        ([], "a map is wanted"),
        ({"version": "v2"}, "version: unknown version 'v2', only v1 is known"),
        ({"sharng": {}}, "sharng: unknown field, the plugin ignores it"),
        ({"resources": {"gpus": []}}, "resources: the plugin ignores it"),
        ({"flags": {"migStrategy": "both"}}, "flags.migStrategy: one of none, single, mixed is wanted, not 'both'"),
        ({"flags": {"failOnInitError": "yes"}}, "flags.failOnInitError: true or false is wanted, not 'yes'"),
        ({"flags": {"mpsRoot": 1}}, "flags.mpsRoot: text is wanted, not 1"),
        ({"flags": {"plugin": []}}, "flags.plugin: a map is wanted"),
        ({"flags": {"plugin": ["x"]}}, "flags.plugin: a map is wanted"),
        (
            {"flags": {"plugin": {"deviceListStrategy": "envvar,cdi-cri"}}},
            "envvar, volume-mounts, cdi-annotations, cdi-cri is wanted, not 'envvar,cdi-cri'",
        ),
        ({"flags": {"plugin": {"deviceIDStrategy": "name"}}}, "flags.plugin.deviceIDStrategy: one of uuid, index is"),
        ({"flags": {"gfd": {"sleepInterval": "soon"}}}, "flags.gfd.sleepInterval: 'soon' is not a duration"),
        ({"sharing": {"timeSlicing": {}}}, "sharing.timeSlicing.resources: no resources specified"),
        ({"sharing": {"timeSlicing": {"resources": []}}}, "sharing.timeSlicing.resources: no resources specified"),
        ({"sharing": {"timeSlicing": {"resources": [{"name": "gpu"}]}}}, "resources[0].replicas: is missing"),
        (
            {"sharing": {"timeSlicing": {"resources": [{"name": "gpu", "replicas": 1}]}}},
            "sharing.timeSlicing.resources[0].replicas: number of replicas must be >= 2, not 1",
        ),
        (
            {"sharing": {"timeSlicing": {"resources": [{"name": "GPU!", "replicas": 2}]}}},
            "sharing.timeSlicing.resources[0].name: 'nvidia.com/GPU!' is not a resource name",
        ),
        (
            {"sharing": {"timeSlicing": {"resources": [{"name": "gpu", "replicas": 2, "devices": [0]}]}}},
            "sharing.timeSlicing.resources[0].devices: the plugin ignores it",
        ),
        (
            {"sharing": {"timeSlicing": {"resources": [{"name": "gpu", "replicas": 2, "devices": "some"}]}}},
            "sharing.timeSlicing.resources[0].devices: the only text it takes is 'all', not 'some'",
        ),
        (
            {"sharing": {"timeSlicing": {"resources": [*shared()["resources"], *shared()["resources"]]}}},
            "sharing.timeSlicing.resources[1].name: nvidia.com/gpu is listed twice",
        ),
        (
            {"sharing": {"timeSlicing": MIG_SLICE}},
            "resources[0].name: nvidia.com/mig-1g.10gb exists with migStrategy mixed alone, not none",
        ),
        (
            {"sharing": {"timeSlicing": shared(), "mps": shared()}},
            "sharing: timeSlicing is ignored beside mps; keep one of them",
        ),
        (
            {"flags": {"migStrategy": "mixed"}, "sharing": {"mps": shared()}},
            "sharing.mps: MPS is not supported with migStrategy mixed",
        ),
        (
            {"sharing": {"mps": {"resources": [{"name": "gpu", "replicas": 49}]}}},
            "sharing.mps.resources[0].replicas: MPS serves at most 48 clients a GPU, not 49",
        ),
        (
            {"flags": {"migStrategy": "none"}, "sharing": {"mps": MIG_SLICE}},
            "sharing.mps.resources[0].name: MPS shares nvidia.com/gpu alone, not nvidia.com/mig-1g.10gb",
        ),
        ({"imex": {"channelIDs": [1]}}, "imex.channelIDs: channelIDs must be [] or [0], not [1]"),
    ],
)
def test_the_format_refuses(config: object, why: str) -> None:
    found = problems(config)

    assert any(why in problem for problem in found), found


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["flags", "sharing", "mps", "timeSlicing", "resources", "name", "replicas", "plugin"]),
                inner,
            )
        ),
        max_leaves=12,
    )
)
def test_the_format_always_has_an_answer(config: object) -> None:
    assert all(isinstance(problem, str) for problem in problems(config))


def test_the_runtime_class_is_left_to_the_gpu_operator() -> None:
    operator = stack_of({"gpu-operator": {}}).provisions

    assert "RuntimeClass/nvidia" not in objects(provisions=operator)
    assert "RuntimeClass/nvidia" in objects()


def test_mig_manager_can_wait_for_the_plugin_of_a_partitioned_pool() -> None:
    made = objects(pool("a", "mig-mixed"), pool("b"))
    labels = [made[f"DaemonSet/{name}"]["spec"]["template"]["metadata"]["labels"].get("app") for name in daemons(made)]

    assert labels == [None, "nvidia-device-plugin-daemonset"]


def plain(name: str, driver: str = "/opt/nvidia", **gpu: Any) -> NodePool:
    card = {"model": "k80", "perNode": 4, "hostLibraries": {"driver": driver, "cuda": "/opt/cuda"}, **gpu}
    return NodePool.from_file({"name": name, "selector": {"pool": name}, "gpu": card})


def test_without_a_toolkit_the_plugin_finds_the_driver_in_its_folder_and_hands_over_device_files() -> None:
    made = objects(plain("old"), config=NvidiaDevicePluginConfig(device_list_strategy=["cdi-cri"]))
    ((name, file),) = files(made).items()
    spec = pod(made, f"nvidia-device-plugin-{name}")
    (container,) = spec["containers"]

    assert problems(file) == []
    assert file["flags"]["plugin"]["passDeviceSpecs"] is True
    assert file["flags"]["plugin"]["deviceListStrategy"] == ["envvar"]
    assert {"name": "LD_LIBRARY_PATH", "value": "/usr/local/nvidia/lib64:/usr/local/nvidia/lib"} in container["env"]
    assert container["securityContext"] == {"privileged": True}
    assert "runtimeClassName" not in spec
    assert [each["hostPath"]["path"] for each in spec["volumes"] if each["name"] == "nvidia-driver"] == ["/opt/nvidia"]


def test_nodes_with_other_folders_get_a_daemon_set_of_their_own() -> None:
    made = objects(plain("a"), plain("b"), plain("c", "/opt/nvidia-390"), pool("new"))

    assert len(files(made)) == 3
    assert len([key for key in made if key.startswith("DaemonSet/")]) == 3
    assert pod(made)["runtimeClassName"] == "nvidia"


def test_no_runtime_class_is_made_where_no_node_has_the_runtime() -> None:
    assert "RuntimeClass/nvidia" not in objects(plain("old"))
    assert "RuntimeClass/nvidia" in objects(plain("old"), pool("new"))
