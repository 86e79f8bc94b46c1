"""Combinations of pools, components and jobs that no cluster bears: each is told once, with its line and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from platform_def.errors import Problem
from platform_def.pipeline.load import load
from platform_def.pipeline.resolve.resolve import resolve
from tests.unit.pipeline.repository import refused, write

T4 = "model: t4, perNode: 4"
H100 = "model: h100-80gb, perNode: 8"
PLAIN = "hostLibraries: {driver: /opt/nvidia}"
MIG = "mig: {layout: {1g.10gb: 7}}"
MIXED = "mig: {strategy: mixed, layout: {1g.10gb: 4, 3g.40gb: 1}}"
SLICED = "sharing: {mode: time-slicing, replicas: 4}"
RENAMED = "sharing: {mode: time-slicing, replicas: 4, rename: true}"
MPS = "sharing: {mode: mps, replicas: 4}"
VGPU = "sharing: {mode: vgpu, replicas: 4}"
HAMI = "sharing: {mode: vgpu, layer: hami, replicas: 4}"

NVIDIA = "nvidia-device-plugin: {}"
TWO = "two programs would hand out the same cards"
SAME = "both hand out the same cards"
HAS = ", which the cluster has,"


def pool(name: str, *gpu: str, more: str = "") -> str:
    """One pool, on nodes of its own unless `more` says otherwise."""
    selector = "" if "selector" in more else f"selector: {{pool: {name}}}, "
    return f"  - {{name: {name}, nodes: 2, {selector}{more}gpu: {{{', '.join(gpu)}}}}}\n"


def stack(*pools: str, components: str = NVIDIA, cluster: str = 'kubernetes: "1.36"', rest: str = "") -> str:
    """A stack file."""
    listed = "nodePools:\n" + "".join(pools) if pools else ""
    return f"apiVersion: platform-def/v1\ncluster: {{{cluster}}}\ncomponents: {{{components}}}\n{listed}{rest}"


def job(fields: str) -> str:
    return f"jobs: [{{template: pytorch-ddp, name: j, image: 'r.example.com/i:1', command: [t.py], {fields}}}]\n"


def problems(root: Path, text: str) -> list[Problem]:
    return refused(write(root, {"stacks/a.yaml": text}))


V1 = 'kubernetes: "1.34", cgroup: v1'
TRAINING = "training-operator: {}, nvidia-device-plugin: {}"
ANYWHERE = "selector: {}, "

REFUSED = {
    # --- one card, used in two ways
    "time-slicing-and-mps": (
        stack("  - {name: p, gpu: {model: t4, perNode: 4, sharing: {mode: mps, timeSlicing: {replicas: 4}}}}\n"),
        "nodePools[0].gpu.sharing.timeSlicing: unknown field",
    ),
    "mps-and-mig": (stack(pool("p", H100, MIG, MPS)), "MPS cannot be combined with MIG: the device plugin refuses"),
    "mps-and-mixed-mig": (stack(pool("p", H100, MIXED, MPS)), "MPS cannot be combined with MIG"),
    "vgpu-and-mig": (stack(pool("p", H100, MIG, VGPU)), "virtual GPUs cannot be combined with MIG"),
    "too-many-mps-clients": (
        stack(pool("p", T4, "sharing: {mode: mps, replicas: 49}")),
        "MPS serves at most 48 clients a GPU, not 49",
    ),
    "too-many-mps-clients-of-an-old-card": (
        stack(pool("p", "model: v100-32gb, perNode: 4", "sharing: {mode: mps, replicas: 20}")),
        "MPS serves at most 16 clients of a v100-32gb",
    ),
    "one-replica": (
        stack(pool("p", T4, "sharing: {mode: time-slicing, replicas: 1}")),
        "at least 2 is wanted, not 1",
    ),
    "renamed-vgpu": (stack(pool("p", T4, "sharing: {mode: vgpu, rename: true}")), "rename has no effect with vgpu"),
    "layer-without-vgpu": (
        stack(pool("p", T4, "sharing: {mode: mps, layer: hami}")),
        "layer 'hami' divides virtual GPUs, so the mode is vgpu",
    ),
    # --- MIG that no card has
    "mig-on-a-card-without": (stack(pool("p", T4, MIG)), "pool p: t4 has no MIG"),
    "too-many-slices": (
        stack(pool("p", H100, "mig: {layout: {3g.40gb: 3}}")),
        "at most 2 of 3g.40gb fit on one h100-80gb, not 3",
    ),
    "too-much-memory": (
        stack(pool("p", "model: a100-40gb, perNode: 8", "mig: {layout: {2g.20gb: 3}}")),
        "a100-40gb has no profile 2g.20gb",
    ),
    "two-profiles-of-one-name": (
        stack(pool("p", H100, "mig: {layout: {1g.10gb: 4, 3g.40gb: 1}}")),
        "strategy 'single' wants one profile",
    ),
    "mig-without-profile": (stack(pool("p", H100, "mig: {layout: {}}")), "layout needs a profile"),
    "no-mig-profile": (stack(pool("p", H100, "mig: {layout: {half: 2}}")), "'half' is not a MIG profile"),
    # --- one name for different things
    "whole-and-sliced-without-rename": (
        stack(pool("whole", H100), pool("p", T4, SLICED)),
        "pool p shares GPUs under the name nvidia.com/gpu, which pool whole uses for whole cards",
    ),
    "whole-and-mps-without-rename": (
        stack(pool("whole", H100), pool("p", T4, MPS)),
        "pool p shares GPUs under the name",
    ),
    "whole-and-mig-single": (
        stack(pool("whole", H100), pool("p", H100, MIG)),
        "pool p cuts GPUs under the name nvidia.com/gpu, which pool whole uses for whole cards",
    ),
    # --- nodes that are of two pools
    "a-pool-without-selector": (
        stack(pool("all", H100, more=ANYWHERE), pool("p", T4, RENAMED)),
        f"pool all has no selector, and uses its GPUs in another way than pool p: {TWO}",
    ),
    "a-wider-selector": (
        stack(
            pool("p", T4, RENAMED, more="selector: {gpu: t4, pool: p}, "),
            pool("wide", T4, more="selector: {gpu: t4}, "),
        ),
        "pool wide selects nodes of pool p too",
    ),
    "gpu-manager-beside-the-plugin-on-a-node": (
        stack(
            pool("p", T4, VGPU), pool("all", T4, more=ANYWHERE), components=f"gpu-manager: {{}}, {NVIDIA}", cluster=V1
        ),
        f"pool all has no selector, and uses its GPUs in another way than pool p: {TWO}",
    ),
    "hami-beside-gpu-manager-on-a-node": (
        stack(
            pool("old", T4, VGPU, more=ANYWHERE),
            pool("new", T4, HAMI),
            components="gpu-manager: {}, hami: {}, cert-manager: {}",
            cluster=V1,
        ),
        f"pool old has no selector, and uses its GPUs in another way than pool new: {TWO}",
    ),
    "dra-beside-hami-on-a-node": (
        stack(
            pool("all", T4, more=ANYWHERE),
            pool("p", T4, HAMI),
            components="hami: {}, cert-manager: {}, nvidia-dra-driver: {}",
        ),
        f"pool all has no selector, and uses its GPUs in another way than pool p: {TWO}",
    ),
    "two-pools-of-the-same-nodes": (
        stack(pool("a", T4, more="selector: {gpu: t4}, "), pool("b", T4, more="selector: {gpu: t4}, ")),
        "pools a and b have one selector: their nodes would be counted twice",
    ),
    # --- programs that hand out the same cards
    "gpu-operator-and-device-plugin": (
        stack(pool("p", T4), components=f"gpu-operator: {{}}, {NVIDIA}"),
        f"components.gpu-operator: it and nvidia-device-plugin {SAME}",
    ),
    "gpu-operator-of-the-cluster-and-device-plugin": (
        stack(pool("p", T4), components=f"gpu-operator: {{provided: true}}, {NVIDIA}"),
        f"components.nvidia-device-plugin: it and gpu-operator{HAS} {SAME}",
    ),
    "gpu-operator-of-the-cluster-and-exporter": (
        stack(pool("p", T4), components="gpu-operator: {provided: true}, dcgm-exporter: {}"),
        "every metric would appear twice",
    ),
    "dra-and-device-plugin": (
        stack(pool("p", T4), components=f"nvidia-dra-driver: {{}}, {NVIDIA}"),
        f"components.nvidia-dra-driver: it and nvidia-device-plugin {SAME}",
    ),
    "dra-and-device-plugin-of-the-cluster": (
        stack(pool("p", T4), components="nvidia-dra-driver: {}, nvidia-device-plugin: {provided: true}"),
        f"components.nvidia-dra-driver: it and nvidia-device-plugin{HAS} {SAME}",
    ),
    "dra-of-the-cluster-and-device-plugin": (
        stack(pool("p", T4), components=f"nvidia-dra-driver: {{provided: true}}, {NVIDIA}"),
        f"components.nvidia-device-plugin: it and nvidia-dra-driver{HAS} {SAME}",
    ),
    "dra-and-gpu-operator": (
        stack(pool("p", T4), components="nvidia-dra-driver: {}, gpu-operator: {}"),
        f"components.gpu-operator: it and nvidia-dra-driver {SAME}",
    ),
    "gpu-manager-and-device-plugin-of-the-cluster": (
        stack(pool("p", T4, VGPU), components="gpu-manager: {}, nvidia-device-plugin: {provided: true}", cluster=V1),
        f"components.gpu-manager: it and nvidia-device-plugin{HAS} {SAME}",
    ),
    "gpu-manager-and-gpu-operator": (
        stack(pool("p", T4, VGPU), components="gpu-manager: {}, gpu-operator: {}", cluster=V1),
        f"components.gpu-operator: it and gpu-manager {SAME}",
    ),
    "gpu-manager-of-the-cluster-without-a-pool": (
        stack(pool("p", T4), components=f"gpu-manager: {{provided: true}}, {NVIDIA}", cluster=V1),
        f"components.nvidia-device-plugin: it and gpu-manager{HAS} {SAME}",
    ),
    "hami-of-the-cluster-without-a-pool-and-dra": (
        stack(pool("p", T4), components="hami: {provided: true}, nvidia-dra-driver: {}"),
        f"components.nvidia-dra-driver: it and hami{HAS} {SAME}",
    ),
    "gpu-manager-of-the-cluster-and-gpu-operator": (
        stack(pool("p", T4, VGPU), components="gpu-manager: {provided: true}, gpu-operator: {}", cluster=V1),
        f"components.gpu-operator: it and gpu-manager{HAS} {SAME}",
    ),
    "hami-and-gpu-operator": (
        stack(pool("p", T4, HAMI), components="hami: {}, cert-manager: {}, gpu-operator: {}"),
        f"components.gpu-operator: it and hami {SAME}",
    ),
    "hami-and-device-plugin-of-the-cluster": (
        stack(pool("p", T4, HAMI), components="hami: {}, cert-manager: {}, nvidia-device-plugin: {provided: true}"),
        f"components.hami: it and nvidia-device-plugin{HAS} {SAME}",
    ),
    # --- programs that are not there, or cannot work on these nodes
    "vgpu-without-a-layer": (
        stack(pool("p", T4, VGPU), pool("whole", H100)),
        "pool p leaves its cards to gpu-manager, which the stack does not have",
    ),
    "the-other-layer": (
        stack(pool("p", T4, HAMI), pool("old", T4, VGPU), components="gpu-manager: {}", cluster=V1),
        "pool p leaves its cards to hami, which the stack does not have",
    ),
    "plugin-without-a-pool": (
        stack(pool("p", T4, VGPU), components=f"gpu-manager: {{}}, {NVIDIA}", cluster=V1),
        "components.nvidia-device-plugin: no pool is left for it",
    ),
    "gpu-manager-beside-the-operator-s-runtime": (
        stack(
            pool("p", T4, VGPU),
            pool("q", T4),
            components=f"gpu-manager: {{}}, gpu-operator: {{beside: [nvidia-device-plugin]}}, {NVIDIA}",
            cluster=V1,
        ),
        "gpu-operator sets up NVIDIA's container runtime on every node with GPUs",
    ),
    "exporter-that-waits-for-an-api-which-is-off": (
        stack(pool("p", T4), components="nvidia-dra-driver: {}, dcgm-exporter: {release: 4.5.3-4.8.2}"),
        "release 4.5.3-4.8.2 waits for resource.k8s.io/v1beta1",
    ),
    "work-that-is-left-to-nobody": (
        stack(pool("p", T4), components="gpu-operator: {beside: [dcgm-exporter]}"),
        "components.gpu-operator: needs a program that measures cards, and nothing in the stack gives one",
    ),
    "labels-that-nobody-makes-of-reports": (
        stack(pool("p", T4), components=f"gpu-feature-discovery: {{}}, {NVIDIA}"),
        "components.gpu-feature-discovery: needs a program that finds the features of nodes",
    ),
    "two-discoveries": (
        stack(pool("p", T4), components="gpu-operator: {}, node-feature-discovery: {}"),
        "both find the features of nodes, and would own the same CRDs and labels",
    ),
    "two-that-divide": (
        stack(pool("p", T4, HAMI), components="hami: {}, cert-manager: {}, gpu-manager: {provided: true}", cluster=V1),
        f"components.hami: it and gpu-manager{HAS} {SAME}",
    ),
    "gpu-manager-on-cgroup-v2": (
        stack(pool("p", T4, VGPU), components="gpu-manager: {}"),
        "reads control groups of version 1 alone",
    ),
    "gpu-manager-under-the-nvidia-runtime": (
        stack(pool("p", T4, VGPU), components="gpu-manager: {}", cluster=f"{V1}, nvidiaRuntime: default"),
        "nvidia is the nodes' default runtime",
    ),
    "gpu-manager-without-memory": (
        stack(pool("p", "model: m60, perNode: 1", VGPU), components="gpu-manager: {}", cluster=V1),
        "that of model m60 is not known",
    ),
    "gpu-admission-without-gpu-manager": (
        stack(pool("p", T4), components=f"gpu-admission: {{image: 'r.example.com/a:1'}}, {NVIDIA}"),
        "needs a program that divides cards by gpu-manager, and nothing in the stack gives one",
    ),
    "hami-with-two-numbers": (
        stack(
            pool("p", T4, HAMI),
            pool("q", T4, "sharing: {mode: vgpu, layer: hami, replicas: 8}"),
            components="hami: {}, cert-manager: {}",
        ),
        "divide cards into 4 and 8 shares",
    ),
    "dra-before-1.34": (
        stack(pool("p", T4), components="nvidia-dra-driver: {}", cluster='kubernetes: "1.33"'),
        "release 0.4.1 works with Kubernetes 1.34 to 1.37, not 1.33",
    ),
    "dra-and-time-slicing": (
        stack(pool("p", T4, SLICED), components="nvidia-dra-driver: {}"),
        "shares its cards by time-slicing, which is the device plugin's",
    ),
    "dra-and-mps": (
        stack(pool("p", T4, MPS), components="nvidia-dra-driver: {}"),
        "shares its cards by mps, which is the device plugin's",
    ),
    "dra-cuts-and-so-does-mig-manager": (
        stack(
            pool("p", H100),
            components="nvidia-dra-driver: {featureGates: {DynamicMIG: true}}, mig-manager: {}, node-feature-discovery: {}",
        ),
        "with DynamicMIG it cuts cards as claims ask for it, and mig-manager cuts them as the pools say",
    ),
    "dra-cuts-what-a-pool-has-cut": (
        stack(pool("p", H100, MIXED), components="nvidia-dra-driver: {featureGates: {DynamicMIG: true}}"),
        "and pool p has a layout that stays",
    ),
    "dra-without-claims": (
        stack(
            pool("p", H100),
            components="nvidia-dra-driver: {}",
            cluster='kubernetes: "1.34", featureGates: {DynamicResourceAllocation: false}',
        ),
        "the feature gate DynamicResourceAllocation is off",
    ),
    "gpu-operator-with-two-mig-strategies": (
        stack(pool("a", H100, MIG), pool("b", H100, MIXED), components="gpu-operator: {}"),
        "pool a wants single, pool b mixed",
    ),
    "gpu-operator-with-mps-beside-mixed": (
        stack(
            pool("a", T4, "sharing: {mode: mps, replicas: 4, rename: true}"),
            pool("b", H100, MIXED),
            components="gpu-operator: {}",
        ),
        "the plugin refuses MPS, which pool a wants",
    ),
    "a-driver-that-dropped-the-card": (
        stack(pool("p", "model: k80, perNode: 2"), components="gpu-operator: {}"),
        "the last branch that does is R470",
    ),
    "gpu-operator-drivers-on-talos": (
        stack(pool("p", T4), components="gpu-operator: {}", cluster='kubernetes: "1.36", distribution: talos'),
        "Talos takes signed kernel modules alone",
    ),
    "mig-manager-on-talos": (
        stack(
            pool("p", H100, MIXED),
            components=f"mig-manager: {{}}, node-feature-discovery: {{}}, {NVIDIA}",
            cluster='kubernetes: "1.36", distribution: talos',
        ),
        "Talos has none",
    ),
    "labels-for-nobody": (
        stack(pool("p", H100, MIXED, more=ANYWHERE), components="mig-manager: {}, node-feature-discovery: {}"),
        "pool p has no selector, so the nodes that get its labels",
    ),
    # --- the plain way
    "libraries-and-mig": (stack(pool("p", H100, MIXED, PLAIN)), "hostLibraries has whole cards alone"),
    "libraries-and-mps": (stack(pool("p", T4, MPS, PLAIN)), "hostLibraries cannot be combined with MPS"),
    "libraries-and-vgpu": (stack(pool("p", T4, VGPU, PLAIN)), "hostLibraries cannot be combined with vgpu"),
    "libraries-and-gpu-operator": (
        stack(pool("p", T4, PLAIN), components="gpu-operator: {}"),
        "gpu-operator brings driver and container toolkit",
    ),
    "libraries-and-dra": (
        stack(pool("p", T4, PLAIN), components="nvidia-dra-driver: {}"),
        "nvidia-dra-driver brings them with each card",
    ),
    "libraries-and-exporter-alone": (
        stack(pool("p", T4, PLAIN), components=f"dcgm-exporter: {{}}, {NVIDIA}"),
        "components.dcgm-exporter: no pool is left for it",
    ),
    "libraries-of-the-system": (
        stack(pool("p", T4, "hostLibraries: {driver: /usr/lib/x86_64-linux-gnu}")),
        "/usr/lib/x86_64-linux-gnu holds the node's own libraries too",
    ),
    "libraries-and-baseline": (
        stack(
            pool("p", T4, PLAIN),
            components=TRAINING,
            rest="teams: [{name: v}]\n" + job("team: v, pool: p, gpusPerWorker: 1"),
        ),
        "which Pod Security level 'baseline' of team v forbids to mount",
    ),
    # --- other accelerators
    "gpu-and-accelerator": (
        stack("  - {name: p, gpu: {model: t4, perNode: 1}, accelerator: {resource: amd.com/gpu, perNode: 1}}\n"),
        "a pool has either `gpu:` (NVIDIA) or `accelerator:` (others), not both",
    ),
    "nvidia-as-another-maker": (
        stack("  - {name: p, accelerator: {resource: nvidia.com/gpu, perNode: 1}}\n"),
        "nvidia.com/gpu is NVIDIA's: describe its cards with `gpu:`",
    ),
    "no-extended-resource": (
        stack("  - {name: p, accelerator: {resource: cpu, perNode: 8}}\n"),
        "'cpu' is not an extended resource",
    ),
    "a-slice-of-parts-of-nodes": (
        stack("  - {name: p, accelerator: {resource: google.com/tpu, perNode: 4, topology: 2x3}}\n"),
        "a slice of 2x3 has 6 devices, which are no whole number of nodes",
    ),
    "part-of-a-slice": (
        stack("  - {name: p, nodes: 6, accelerator: {resource: google.com/tpu, perNode: 4, topology: 4x4}}\n"),
        "a slice of 4x4 is 4 nodes, and 6 nodes are no whole number of slices",
    ),
    "a-job-for-part-of-a-slice": (
        stack(
            "  - {name: p, nodes: 8, accelerator: {resource: google.com/tpu, perNode: 4, topology: 4x4}}\n",
            components="training-operator: {}",
            rest=job("pool: p, gpusPerWorker: 4, workers: 6"),
        ),
        "a slice of 4x4 is 4 nodes, 6 pods leave some unused",
    ),
    "a-job-for-part-of-a-node-of-a-slice": (
        stack(
            "  - {name: p, nodes: 4, accelerator: {resource: google.com/tpu, perNode: 4, topology: 4x4}}\n",
            components="training-operator: {}",
            rest=job("pool: p, gpusPerWorker: 2, workers: 4"),
        ),
        "a slice of 4x4 is used whole: each pod takes all 4 devices",
    ),
    # --- jobs
    "several-shares": (
        stack(pool("p", T4, SLICED), components=TRAINING, rest=job("pool: p, gpusPerWorker: 2")),
        "pool p shares its cards: 2 may be slices of one card",
    ),
    "several-mig-devices": (
        stack(pool("p", H100, MIG), components=TRAINING, rest=job("pool: p, gpusPerWorker: 2")),
        "pool p shares its cards: 2 are MIG devices, of which a program uses one",
    ),
    "which-mig-devices": (
        stack(pool("p", H100, MIXED), components=TRAINING, rest=job("pool: p")),
        "pool p has MIG devices of several profiles",
    ),
    "other-mig-devices": (
        stack(pool("p", H100, MIXED), components=TRAINING, rest=job("pool: p, migProfile: 3g.20gb")),
        "pool p has no MIG devices of profile 3g.20gb",
    ),
    "more-mig-devices-than-there-are": (
        stack(pool("p", H100, MIXED), components=TRAINING, rest=job("pool: p, migProfile: 3g.40gb, workers: 17")),
        "17 pods with 1 GPUs are 17, pool p has 16",
    ),
    "mig-devices-of-whole-cards": (
        stack(pool("p", H100), components=TRAINING, rest=job("pool: p, migProfile: 3g.40gb")),
        "pool p has no MIG devices",
    ),
    "mig-devices-anywhere": (
        stack(pool("p", H100, MIXED), components=TRAINING, rest=job("migProfile: 3g.40gb")),
        "MIG devices are those of a pool",
    ),
    "a-resource-that-nobody-offers": (
        stack(pool("p", T4), components="training-operator: {}", rest=job("pool: p")),
        "nothing in the stack offers nvidia.com/gpu",
    ),
    "a-gpu-anywhere-that-nobody-offers": (
        stack(components="training-operator: {}", rest=job("gpusPerWorker: 1")),
        "nothing in the stack offers nvidia.com/gpu",
    ),
    "a-gpu-anywhere-behind-taints": (
        stack(
            pool("p", T4, more="taints: ['gpu=yes:NoSchedule'], "), components=TRAINING, rest=job("gpusPerWorker: 1")
        ),
        "no pool gives nvidia.com/gpu to pods that tolerate no taint",
    ),
    "a-gpu-anywhere-under-another-name": (
        stack(pool("p", T4, RENAMED), components=TRAINING, rest=job("gpusPerWorker: 1")),
        "no pool gives nvidia.com/gpu",
    ),
    "too-many-gpus-anywhere": (
        stack(pool("p", T4), components=TRAINING, rest=job("gpusPerWorker: 8")),
        "no node offers 8 nvidia.com/gpu, the most is 4",
    ),
    "several-shares-anywhere": (
        stack(pool("p", T4, SLICED), components=TRAINING, rest=job("gpusPerWorker: 2")),
        "pools share nvidia.com/gpu: 2 may be slices of one card",
    ),
    "dra-without-names": (
        stack(
            pool("p", T4),
            components="training-operator: {}, nvidia-dra-driver: {}",
            cluster='kubernetes: "1.34"',
            rest=job("pool: p"),
        ),
        "with the feature gate DRAExtendedResource, which is off",
    ),
    "dra-and-mig-devices-by-name": (
        stack(pool("p", H100, MIG), components="training-operator: {}, nvidia-dra-driver: {}", rest=job("pool: p")),
        "nvidia.com/gpu of the DRA driver is a whole card, and pool p has MIG devices",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_cluster_bears_is_refused_once_with_its_line(tmp_path: Path, name: str) -> None:
    text, why = REFUSED[name]
    found = problems(tmp_path, text)
    telling = [problem for problem in found if why in problem.text]

    assert len(telling) == 1, [str(problem) for problem in found]
    assert telling[0].where is not None
    assert telling[0].where.line > 0


ACCEPTED = {
    "compute-domains-beside-the-device-plugin": stack(
        pool("p", H100), components=f"nvidia-dra-driver: {{gpus: false}}, {NVIDIA}"
    ),
    "compute-domains-beside-the-gpu-operator": stack(
        pool("p", H100), components="nvidia-dra-driver: {gpus: false, driverRoot: /run/nvidia/driver}, gpu-operator: {}"
    ),
    "two-layers-on-their-own-nodes": stack(
        pool("old", T4, VGPU),
        pool("new", T4, HAMI),
        pool("whole", H100),
        components=f"gpu-manager: {{}}, hami: {{}}, cert-manager: {{}}, {NVIDIA}",
        cluster=V1,
    ),
    "renamed-shares-beside-whole-cards": stack(pool("whole", H100), pool("p", T4, RENAMED), pool("m", H100, MIXED)),
    "plain-nodes-beside-others": stack(pool("old", "model: k80, perNode: 4", PLAIN), pool("new", H100)),
    "layer-of-the-cluster": stack(
        pool("p", T4, HAMI), pool("whole", H100), components=f"hami: {{provided: true}}, {NVIDIA}"
    ),
    "mig-of-a-model-to-come": stack(pool("p", "model: r100-400gb, perNode: 8, memoryGib: 400", MIG)),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_looks_alike_and_works_is_taken(tmp_path: Path, name: str) -> None:
    root = write(tmp_path, {"stacks/a.yaml": ACCEPTED[name]})

    assert resolve(load(root)[0]).platform.node_pools


def test_a_wrong_pool_is_told_once_however_many_components_look_at_it(tmp_path: Path) -> None:
    components = (
        f"{NVIDIA}, gpu-feature-discovery: {{}}, mig-manager: {{}}, node-feature-discovery: {{}}, dcgm-exporter: {{}}"
    )
    found = problems(tmp_path, stack(pool("p", T4, MIG), components=components))

    assert [str(problem).splitlines()[0] for problem in found] == [
        "error: stacks/a.yaml:5: nodePools: pool p: t4 has no MIG"
    ]


def test_a_wrong_profile_gets_the_nearest_one(tmp_path: Path) -> None:
    text = stack(pool("p", H100, MIXED), components=TRAINING, rest=job("pool: p, migProfile: 3g.44gb"))
    (problem,) = problems(tmp_path, text)

    assert problem.hint == "did you mean '3g.40gb'?"


HINTS = {
    "gpu-operator-and-device-plugin": "keep one of the two, or under gpu-operator write `beside: [nvidia-device-plugin]`",
    "gpu-operator-of-the-cluster-and-exporter": "keep one of the two; where the cluster's gpu-operator is set to leave "
    "this out, take gpu-operator out of the stack instead",
    "dra-and-device-plugin": "keep one of the two, or under nvidia-dra-driver write `gpus: false`, which serves "
    "ComputeDomains alone",
    "dra-and-gpu-operator": "keep one of the two, or under gpu-operator write `beside: [nvidia-device-plugin]`, or under "
    "nvidia-dra-driver write `gpus: false`, which serves ComputeDomains alone",
    "hami-and-device-plugin-of-the-cluster": "let this tool render nvidia-device-plugin, which leaves out pools with mode "
    "vgpu",
    "gpu-manager-of-the-cluster-without-a-pool": "say which pools are gpu-manager's: `sharing: {mode: vgpu, layer: "
    "gpu-manager}`",
    "work-that-is-left-to-nobody": "add `dcgm-exporter: {}` under components, or `dcgm-exporter: {provided: true}` where "
    "the cluster has it",
    "labels-that-nobody-makes-of-reports": "add `gpu-operator: {}` or `node-feature-discovery: {}` under components, or "
    "`{provided: true}` where the cluster has it",
}


@pytest.mark.parametrize("name", HINTS)
def test_what_collides_or_is_missing_says_what_to_write(tmp_path: Path, name: str) -> None:
    text, why = REFUSED[name]
    (found,) = [problem for problem in problems(tmp_path, text) if why in problem.text]

    assert found.hint == HINTS[name]


BEARABLE = {
    "hami-beside-an-operator-that-leaves-cards-to-the-plugin": stack(
        pool("p", T4, HAMI),
        pool("q", H100),
        components=f"hami: {{}}, cert-manager: {{}}, gpu-operator: {{beside: [nvidia-device-plugin]}}, {NVIDIA}",
        cluster='kubernetes: "1.34"',
    ),
    "claims-beside-an-operator-that-leaves-cards-to-them": stack(
        pool("q", H100), components="nvidia-dra-driver: {}, gpu-operator: {beside: [nvidia-device-plugin]}"
    ),
    "both-are-the-clusters": stack(
        components="gpu-operator: {provided: true}, node-feature-discovery: {provided: true}"
    ),
    "a-layer-of-the-cluster-on-pools-of-its-own": stack(
        pool("p", T4, HAMI), pool("q", H100), components=f"hami: {{provided: true}}, {NVIDIA}"
    ),
    "discovery-of-the-operator": stack(
        pool("q", H100, MIG),
        components="gpu-operator: {beside: [mig-manager]}, mig-manager: {namespace: gpu-operator}",
    ),
}


@pytest.mark.parametrize("name", BEARABLE)
def test_who_keeps_apart_may_stand_beside(tmp_path: Path, name: str) -> None:
    assert resolve(load(write(tmp_path, {"stacks/a.yaml": BEARABLE[name]}))[0]).platform
