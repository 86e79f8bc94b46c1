"""Every way to use GPUs, from the stack file to what a job asks for: the plugin takes its file, the job fits its pool."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from platform_def.config.devices import devices
from platform_def.config.pools import NodePool, asked, offered, places
from platform_def.errors import ConfigError
from platform_def.manifests.rendered import RenderedStack
from platform_def.yaml import load as load_yaml
from tests.components.formats.device_plugin import problems as why_not
from tests.unit.pipeline.repository import stack, write

HEAD = "apiVersion: platform-def/v1\ncluster: {%s}\n"
TRAIN = "jobs: [{template: pytorch-ddp, name: j, image: 'r.example.com/i:1', command: [t.py], namespace: lab, pool: p, %s}]\n"
NVIDIA = ("nvidia-device-plugin",)


@dataclass(frozen=True)
class Mode:
    """A way to use accelerators, and what must come of it."""

    id: str
    pool: str
    """What the pool of two nodes says."""
    resource: str
    """Name under which its nodes offer one."""
    per_node: int
    components: tuple[str, ...] = NVIDIA
    cluster: str = 'kubernetes: "1.36"'
    profile: str = ""
    """MIG profile that the job names."""
    amount: str = "1"
    section: str = ""
    """Section of the device plugin's file that says so."""
    pool_more: str = ""


T4 = "model: t4, perNode: 4"
H100 = "model: h100-80gb, perNode: 8"
MIXED = "{strategy: mixed, layout: {1g.10gb: 4, 3g.40gb: 1}}"

MODES = (
    Mode("whole", f"gpu: {{{T4}}}", "nvidia.com/gpu", 4),
    Mode(
        "time-slicing",
        f"gpu: {{{T4}, sharing: {{mode: time-slicing, replicas: 4}}}}",
        "nvidia.com/gpu",
        16,
        section="timeSlicing",
    ),
    Mode(
        "time-slicing-renamed",
        f"gpu: {{{T4}, sharing: {{mode: time-slicing, replicas: 4, rename: true}}}}",
        "nvidia.com/gpu.shared",
        16,
        section="timeSlicing",
    ),
    Mode("mps", f"gpu: {{{T4}, sharing: {{mode: mps, replicas: 4}}}}", "nvidia.com/gpu", 16, section="mps"),
    Mode(
        "mps-renamed",
        f"gpu: {{{T4}, sharing: {{mode: mps, replicas: 4, rename: true}}}}",
        "nvidia.com/gpu.shared",
        16,
        section="mps",
    ),
    Mode("mig-single", f"gpu: {{{H100}, mig: {{layout: {{1g.10gb: 7}}}}}}", "nvidia.com/gpu", 56),
    Mode("mig-mixed", f"gpu: {{{H100}, mig: {MIXED}}}", "nvidia.com/mig-3g.40gb", 8, profile="3g.40gb"),
    Mode("mig-mixed-small", f"gpu: {{{H100}, mig: {MIXED}}}", "nvidia.com/mig-1g.10gb", 32, profile="1g.10gb"),
    Mode(
        "mig-mixed-shared",
        f"gpu: {{{H100}, mig: {MIXED}, sharing: {{mode: time-slicing, replicas: 2, rename: true}}}}",
        "nvidia.com/mig-3g.40gb.shared",
        16,
        profile="3g.40gb",
        section="timeSlicing",
    ),
    Mode(
        "vgpu-by-gpu-manager",
        f"gpu: {{{T4}, sharing: {{mode: vgpu, replicas: 4}}}}",
        "tencent.com/vcuda-core",
        16,
        ("gpu-manager",),
        cluster='kubernetes: "1.35", cgroup: v1',
        amount="25",
    ),
    Mode(
        "vgpu-by-hami",
        f"gpu: {{{T4}, sharing: {{mode: vgpu, layer: hami, replicas: 4}}}}",
        "nvidia.com/vgpu",
        16,
        ("hami", "cert-manager"),
    ),
    Mode("dra", f"gpu: {{{H100}}}", "nvidia.com/gpu", 8, ("nvidia-dra-driver",)),
    Mode("operator", f"gpu: {{{H100}}}", "nvidia.com/gpu", 8, ("gpu-operator",)),
    Mode(
        "operator-time-slicing",
        f"gpu: {{{T4}, sharing: {{mode: time-slicing, replicas: 4, rename: true}}}}",
        "nvidia.com/gpu.shared",
        16,
        ("gpu-operator",),
        section="timeSlicing",
    ),
    Mode(
        "operator-mig-mixed",
        f"gpu: {{{H100}, mig: {MIXED}}}",
        "nvidia.com/mig-3g.40gb",
        8,
        ("gpu-operator",),
        profile="3g.40gb",
    ),
    Mode(
        "host-libraries",
        "gpu: {model: k80, perNode: 4, hostLibraries: {driver: /opt/nvidia/470.256.02, cuda: /usr/local/cuda-11.4}}",
        "nvidia.com/gpu",
        4,
    ),
    Mode(
        "host-libraries-time-slicing",
        "gpu: {model: p100, perNode: 4, hostLibraries: {driver: /opt/nvidia}, sharing: {mode: time-slicing, replicas: 2}}",
        "nvidia.com/gpu",
        8,
        section="timeSlicing",
    ),
    Mode("tpu", "accelerator: {resource: google.com/tpu, perNode: 4, topology: 2x2}", "google.com/tpu", 4, ()),
    Mode("amd", "accelerator: {resource: amd.com/gpu, perNode: 8}", "amd.com/gpu", 8, ()),
    Mode(
        "ascend",
        "accelerator: {resource: huawei.com/Ascend910, perNode: 8, runtimeClass: ascend}",
        "huawei.com/Ascend910",
        8,
        (),
    ),
)


def text(mode: Mode, job: str) -> str:
    """A stack file with one pool used this way, and one job there."""
    components = ", ".join(f"{name}: {{}}" for name in ("training-operator", *mode.components))
    pool = f"nodePools: [{{name: p, nodes: 2, selector: {{pool: p}}, {mode.pool}}}]\n"
    profile = f"migProfile: {mode.profile}, " if mode.profile else ""
    return HEAD % mode.cluster + f"components: {{{components}}}\n{pool}" + TRAIN % (profile + job)


def rendered(root: Path, mode: Mode, job: str = "gpusPerWorker: 1") -> RenderedStack:
    return stack(write(root, {"stacks/a.yaml": text(mode, job)}))


def refusal(root: Path, mode: Mode, job: str) -> str:
    with pytest.raises(ConfigError) as caught:
        rendered(root, mode, job)
    return "\n".join(problem.text for problem in caught.value.problems)


def pool_of(made: RenderedStack) -> NodePool:
    (pool,) = made.platform.node_pools
    return pool


def pod_of(made: RenderedStack) -> dict[str, Any]:
    (job,) = made.jobs["j"]
    pod: dict[str, Any] = job.manifest["spec"]["pytorchReplicaSpecs"]["Master"]["template"]["spec"]
    return pod


def limits_of(made: RenderedStack) -> dict[str, str]:
    limits: dict[str, str] = pod_of(made)["containers"][0]["resources"]["limits"]
    return limits


def plugin_files(made: RenderedStack) -> dict[str, Any]:
    """Files of the device plugin, whoever runs it."""
    names = {"nvidia-device-plugin-configs", "gpu-feature-discovery-configs", "pools-device-plugin-config"}
    maps = [item.manifest for item in made.objects() if item.kind == "ConfigMap" and item.name in names]
    return {key: load_yaml(value.encode(), file=key) for each in maps for key, value in each["data"].items()}


by_mode = pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.id)


@by_mode
def test_the_devices_of_a_pool_are_offered_and_asked_for_under_one_name(tmp_path: Path, mode: Mode) -> None:
    made = rendered(tmp_path, mode)
    pool, limits = pool_of(made), limits_of(made)

    assert mode.resource in offered(pool)
    assert limits[mode.resource] == mode.amount
    assert {name: str(amount) for name, amount in asked(pool, 1, mode.profile).items()}.items() <= limits.items()
    assert places(pool, mode.profile) == mode.per_node
    assert [kind.per_node for kind in devices(pool) if mode.resource in kind.resources] == [mode.per_node]


@by_mode
def test_the_plugin_takes_the_file_that_follows_from_the_pool(tmp_path: Path, mode: Mode) -> None:
    files = plugin_files(rendered(tmp_path, mode))
    sharing = [section for file in files.values() for section in file.get("sharing", {})]

    assert {name: why_not(file) for name, file in files.items()} == {name: [] for name in files}
    assert sharing == ([mode.section] if mode.section else [])
    assert bool(files) == any(name in mode.components for name in ("nvidia-device-plugin", "gpu-operator"))


@by_mode
def test_as_many_pods_fit_as_the_pool_has_places_and_one_more_does_not(tmp_path: Path, mode: Mode) -> None:
    most = 2 * mode.per_node

    assert limits_of(rendered(tmp_path, mode, f"gpusPerWorker: 1, workers: {most}"))
    assert f"{most + 1} pods with 1 GPUs are {most + 1}, pool p has {most}" in refusal(
        tmp_path, mode, f"gpusPerWorker: 1, workers: {most + 1}"
    )


@by_mode
def test_a_pod_gets_no_more_than_a_node_has(tmp_path: Path, mode: Mode) -> None:
    # 16 is the most that a job may ask for.
    found = refusal(tmp_path, mode, "gpusPerWorker: 16")

    assert "a node of pool p offers" in found or "pool p shares its cards" in found


@by_mode
def test_several_devices_are_given_where_they_are_whole(tmp_path: Path, mode: Mode) -> None:
    whole = mode.per_node in (4, 8) and not (mode.profile or mode.section)
    if whole:
        assert limits_of(rendered(tmp_path, mode, "gpusPerWorker: 2"))[mode.resource] == "2"
    else:
        assert "pool p shares its cards: 2" in refusal(tmp_path, mode, "gpusPerWorker: 2")


@by_mode
def test_a_job_stays_on_the_nodes_of_its_pool(tmp_path: Path, mode: Mode) -> None:
    assert pod_of(rendered(tmp_path, mode))["nodeSelector"]["pool"] == "p"


def mode_of(name: str) -> Mode:
    return next(mode for mode in MODES if mode.id == name)


def test_the_shape_of_a_slice_is_asked_for_by_its_label(tmp_path: Path) -> None:
    pod = pod_of(rendered(tmp_path, mode_of("tpu")))

    assert pod["nodeSelector"] == {"pool": "p", "cloud.google.com/gke-tpu-topology": "2x2"}
    assert "runtimeClassName" not in pod


def test_an_accelerator_may_need_a_runtime_class_of_its_own(tmp_path: Path) -> None:
    assert pod_of(rendered(tmp_path, mode_of("ascend")))["runtimeClassName"] == "ascend"


def test_the_plain_way_mounts_libraries_and_hands_over_device_files(tmp_path: Path) -> None:
    made = rendered(tmp_path, mode_of("host-libraries"))
    pod = pod_of(made)
    volumes = {volume["name"]: volume["hostPath"]["path"] for volume in pod["volumes"] if "hostPath" in volume}
    mounts = {mount["name"]: mount["mountPath"] for mount in pod["containers"][0]["volumeMounts"]}
    (file,) = plugin_files(made).values()

    assert volumes == {"nvidia-driver": "/opt/nvidia/470.256.02", "cuda": "/usr/local/cuda-11.4"}
    assert mounts["nvidia-driver"] == "/usr/local/nvidia"
    assert mounts["cuda"] == "/usr/local/cuda"
    assert {
        "name": "LD_LIBRARY_PATH",
        "value": "/usr/local/nvidia/lib64:/usr/local/nvidia/lib:/usr/local/cuda/lib64",
    } in pod["containers"][0]["env"]
    assert "runtimeClassName" not in pod
    assert file["flags"]["plugin"]["passDeviceSpecs"] is True
    assert not [item for item in made.objects() if item.kind == "RuntimeClass"]


WHOLE_STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
nodePools:
  - {name: train, nodes: 2, selector: {pool: train}, gpu: {model: h100-80gb, perNode: 8%s}}
  - {name: other, nodes: 2, selector: {pool: other}, gpu: {model: t4, perNode: 4}}
components:
  nvidia-device-plugin: {}
  gpu-feature-discovery: {}
  node-feature-discovery: {}
  mig-manager: {}
  dcgm-exporter: {}
  gpu-preflight: {}
  training-operator: {kinds: [PyTorchJob]}
  cert-manager: {}
teams: [{name: vision, quota: {gpus: 8, mig: {3g.40gb: 8}}}]
jobs:
  - {template: pytorch-ddp, name: j, team: vision, pool: train, image: "r.example.com/i:1", command: [t.py]%s}
  - {template: pytorch-ddp, name: k, team: vision, pool: other, image: "r.example.com/i:1", command: [t.py]}
"""


def texts(root: Path, gpu: str, job: str) -> dict[str, str]:
    made = stack(write(root, {"stacks/a.yaml": WHOLE_STACK % (gpu, job)}))
    return {f"{item.job or item.component}: {item.kind} {item.name}": item.text for item in made.objects()}


def test_one_changed_pool_changes_what_follows_from_it_and_nothing_else(tmp_path: Path) -> None:
    before = texts(tmp_path, "", "")
    after = texts(tmp_path, ", mig: {strategy: mixed, layout: {3g.40gb: 2}}", ", migProfile: 3g.40gb")
    marks = {
        key: "+" if key not in before else "-" if key not in after else "~"
        for key in before | after
        if before.get(key) != after.get(key)
    }
    (job_before,) = (key for key in before if key.startswith("j: "))
    (job_after,) = (key for key in after if key.startswith("j: "))

    assert marks == {
        # configuration of the device plugin and of discovery, and who runs where
        "nvidia-device-plugin: ConfigMap nvidia-device-plugin-configs": "~",
        "nvidia-device-plugin: DaemonSet nvidia-device-plugin": "~",
        "nvidia-device-plugin: DaemonSet nvidia-device-plugin-mig-mixed": "+",
        "gpu-feature-discovery: ConfigMap gpu-feature-discovery-configs": "~",
        "gpu-feature-discovery: DaemonSet nvidia-device-plugin-gpu-feature-discovery": "~",
        "gpu-feature-discovery: DaemonSet gpu-feature-discovery-mig-mixed": "+",
        # the Nodes' label, and the layout that it names
        "node-feature-discovery: ConfigMap nfd-worker-conf": "~",
        "node-feature-discovery: DaemonSet nfd-worker-train": "~",
        "mig-manager: ConfigMap mig-parted-config": "~",
        "mig-manager: DaemonSet nvidia-mig-manager": "~",
        # quotas by resource name, and the job that asks for it; its new content is a new job
        "namespaces: ResourceQuota gpus": "~",
        job_before: "-",
        job_after: "+",
    }
