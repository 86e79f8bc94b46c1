"""Dashboards of GPUs: of the cluster, and of jobs.

A card that several pods share has a series for each of them, so cards are counted by their UUID.
"""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.constructs import Choice, Dashboard, Query, graph, row, stat, table
from platform_def.constructs.observation.panels import Panel, bars

PICKED = 'node=~"$node", namespace=~"$namespace"'
CARDS = "node, gpu, UUID, GPU_I_ID"
JOBS = ".*Job|RayCluster|LeaderWorkerSet"
"""Kinds of what owns pods of jobs."""


def gpu_dashboards(*, profiling: bool) -> Iterator[Dashboard]:
    """The dashboards; some panels need hardware counters."""
    yield Dashboard(
        "GPUs: cluster",
        [*_overview(), *(_profiled() if profiling else ()), *_hardware()],
        choices=[
            Choice("node", "DCGM_FI_DEV_FB_USED", "Node"),
            Choice("namespace", "DCGM_FI_DEV_FB_USED", "Namespace"),
        ],
        tags=["gpu"],
    )

    yield Dashboard(
        "GPUs: jobs",
        [*_jobs()],
        choices=[Choice("namespace", "DCGM_FI_DEV_FB_USED", "Namespace")],
        tags=["gpu", "training"],
    )


def _of_jobs(series: str) -> str:
    """Series of cards, each with the job that owns the card's pod: its kind and name."""
    owner = f'max by (namespace, pod, owner_kind, owner_name) (kube_pod_owner{{owner_kind=~"{JOBS}"}})'
    one = f'max by (namespace, pod, UUID, GPU_I_ID) ({series}{{namespace=~"$namespace", pod!=""}})'
    return f"{one} * on (namespace, pod) group_left (owner_kind, owner_name) {owner}"


def _jobs() -> Iterator[Panel]:
    """Empty without kube-state-metrics, which says whose a pod is."""
    by, legend = "namespace, owner_kind, owner_name", "{{namespace}} {{owner_name}}"
    cards = f"count by ({by}) ({_of_jobs('DCGM_FI_DEV_FB_USED')})"
    use = f"avg by ({by}) ({_of_jobs('DCGM_FI_DEV_GPU_UTIL')})"
    least = f"min by ({by}) ({_of_jobs('DCGM_FI_DEV_GPU_UTIL')})"
    memory = f"sum by ({by}) ({_of_jobs('DCGM_FI_DEV_FB_USED')})"
    yield table(
        "Jobs with cards",
        [cards, use, least, memory],
        columns={
            "namespace": "Namespace",
            "owner_kind": "Kind",
            "owner_name": "Job",
            "Value #A": "Cards",
            "Value #B": "Mean use, %",
            "Value #C": "Least use of a card, %",
            "Value #D": "Memory, MiB",
        },
        unit="none",
        text="A card that is used much less than the others waits for them, or holds them up.",
    )
    yield graph("Cards", Query(cards, legend), unit="none")
    yield graph("Mean use", Query(use, legend), unit="percent", high=100)
    yield graph("Least use of a card", Query(least, legend), unit="percent", high=100)
    yield graph("Memory", Query(memory, legend), unit="mbytes")


def _overview() -> Iterator[Panel]:
    used, free = f"DCGM_FI_DEV_FB_USED{{{PICKED}}}", f"DCGM_FI_DEV_FB_FREE{{{PICKED}}}"
    yield row("Now")
    yield stat("Cards", "count(count by (UUID) (DCGM_FI_DEV_GPU_TEMP))", unit="none")
    yield stat("Cards with a pod", 'count(count by (UUID) (DCGM_FI_DEV_FB_USED{pod!=""})) or vector(0)', unit="none")
    yield stat("Mean use", "avg(max by (UUID) (DCGM_FI_DEV_GPU_UTIL))", unit="percent")
    yield stat("Power", "sum(max by (UUID) (DCGM_FI_DEV_POWER_USAGE))", unit="watt")
    yield stat("Hottest", "max(DCGM_FI_DEV_GPU_TEMP)", unit="celsius", alarm=85)
    yield row("Use")
    use = f"DCGM_FI_DEV_GPU_UTIL{{{PICKED}}}"
    yield graph("Use by node", f"avg by (node) (max by ({CARDS}) ({use}))", unit="percent", high=100)
    yield graph(
        "Cards by namespace",
        'count by (namespace) (count by (namespace, UUID) (DCGM_FI_DEV_FB_USED{pod!=""}))',
        unit="none",
    )
    yield graph("Memory by namespace", f"sum by (namespace) (max by (namespace, {CARDS}) ({used}))", unit="mbytes")
    used, free = f"max by ({CARDS}) ({used})", f"max by ({CARDS}) ({free})"
    share = f"sum by (node) ({used}) / sum by (node) ({used} + {free})"
    yield graph("Memory in use by node", share, unit="percentunit", high=1)
    yield table(
        "Pods with cards",
        f'max by (namespace, pod, node, gpu, modelName) (DCGM_FI_DEV_GPU_UTIL{{{PICKED}, pod!=""}})',
        columns={
            "namespace": "Namespace",
            "pod": "Pod",
            "node": "Node",
            "gpu": "GPU",
            "modelName": "Model",
            "Value": "Use",
        },
        unit="percent",
    )


def _profiled() -> Iterator[Panel]:
    yield row("What the cards do")
    for title, metric in {
        "Engine active": "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
        "Tensor cores active": "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
        "Memory active": "DCGM_FI_PROF_DRAM_ACTIVE",
    }.items():
        expr = f"avg by (namespace, pod) ({metric}{{{PICKED}}})"
        yield graph(title, Query(expr, "{{namespace}} {{pod}}"), unit="percentunit", high=1)
    yield graph(
        "PCIe",
        [
            Query(f"sum by (node) (max by ({CARDS}) (DCGM_FI_PROF_PCIE_TX_BYTES{{{PICKED}}}))", "{{node}} sent"),
            Query(f"sum by (node) (max by ({CARDS}) (DCGM_FI_PROF_PCIE_RX_BYTES{{{PICKED}}}))", "{{node}} received"),
        ],
        unit="Bps",
    )


def _hardware() -> Iterator[Panel]:
    yield row("Hardware")
    yield bars(
        "Temperature", f"max by (node, gpu) (DCGM_FI_DEV_GPU_TEMP{{{PICKED}}})", unit="celsius", high=100, alarm=85
    )
    yield graph("Power", f"sum by (node) (max by ({CARDS}) (DCGM_FI_DEV_POWER_USAGE{{{PICKED}}}))", unit="watt")
    yield graph("Clock of the multiprocessors", f"avg by (node) (DCGM_FI_DEV_SM_CLOCK{{{PICKED}}})", unit="rotmhz")
    yield table(
        "Errors",
        [
            "max by (node, gpu, modelName) (DCGM_FI_DEV_XID_ERRORS)",
            "max by (node, gpu, modelName) (DCGM_FI_DEV_ECC_DBE_VOL_TOTAL)",
            "max by (node, gpu, modelName) (DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS)",
            "max by (node, gpu, modelName) (DCGM_FI_DEV_ROW_REMAP_FAILURE)",
        ],
        columns={
            "node": "Node",
            "gpu": "GPU",
            "modelName": "Model",
            "Value #A": "Last XID",
            "Value #B": "Uncorrectable ECC errors",
            "Value #C": "Remapped rows",
            "Value #D": "Remap failed",
        },
        unit="none",
    )
