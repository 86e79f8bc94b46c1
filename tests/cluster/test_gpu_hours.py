"""GPU hours of teams and users, by Prometheus' own engine over two hours of played pods and cards, against a truth by hand.

| pod | namespace | asks for | runs | its card is active |
|---|---|---|---|---|
| train-0 | team-vision | 8 whole A100 | minutes 1 to 60 | half |
| notebook-0 | team-vision-ann, Ann's own | a quarter of a T4 | minutes 1 to 120 | 0.8, with other-0 |
| infer-0 | team-speech | a MIG device of 3 of 7 slices | minutes 1 to 120 | 0.6 |
| other-0 | team-speech | a quarter of the same T4 | minutes 1 to 120 | 0.8, with notebook-0 |
| waiting-0 | team-speech | 8 whole A100 | never | |
| system-0 | kube-system, no team's | 1 whole A100 | minutes 1 to 120 | |
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from platform_def.components.monitoring.kube_state_metrics import gpu_hours
from platform_def.config.pools import Gpu, Mig, NodePool, Sharing
from platform_def.config.teams import Member, Quota, Team
from platform_def.yaml import dump
from tests.cluster.observed import Observed
from tests.cluster.played import SeriesText, completed, timeline
from tests.cluster.readers import ask
from tests.cluster.whole import observed

pytestmark = pytest.mark.cluster

ANN = "ann@example.com"
TEAMS = (
    Team(name="vision", members=[Member(name=ANN, quota=Quota(gpus=1)), Member(name="bo@example.com")]),
    Team(name="speech"),
)
POOLS = (
    NodePool(name="train", selector={"pool": "train"}, gpu=Gpu(model="a100-80gb", per_node=8), price_per_hour=32),
    NodePool(
        name="share",
        selector={"example.com/gpuPool": "share"},
        gpu=Gpu(model="t4", per_node=4, sharing=Sharing(mode="time-slicing", replicas=4)),
    ),
    NodePool(
        name="parts",
        selector={"pool": "parts"},
        gpu=Gpu(model="a100-80gb", per_node=8, mig=Mig(strategy="mixed", layout={"1g.10gb": 4, "3g.40gb": 1})),
    ),
)
MINUTES = 120
HELD = {
    ("vision", "shared", "train", "a100-80gb"): 8.0,
    ("vision", ANN, "share", "t4"): 0.5,
    ("speech", "shared", "share", "t4"): 0.5,
    ("speech", "shared", "parts", "a100-80gb"): 6 / 7,
}
USED = {
    ("vision", "shared", "train", "a100-80gb"): 4.0,
    ("vision", ANN, "share", "t4"): 0.8,
    ("speech", "shared", "share", "t4"): 0.8,
    ("speech", "shared", "parts", "a100-80gb"): 18 / 35,
}
COST = {("vision", "shared", "train", "a100-80gb"): 32.0}
LABELS = ("team", "user", "pool", "card")
NODES = {
    "gpu-1": 'label_pool="train"',
    "share-1": 'label_example_com_gpu_pool="share"',
    "parts-1": 'label_pool="parts"',
}
T4, PART = 'UUID="GPU-t4"', 'UUID="GPU-9", GPU_I_ID="1", GPU_I_PROFILE="3g.40gb"'


@pytest.fixture(scope="module")
def component() -> Observed:
    return observed("kube-state-metrics", facts={"teams": TEAMS, "node_pools": POOLS})


@pytest.fixture(scope="module")
def engine(programs: Mapping[str, Path]) -> Path:
    return programs["prometheus-engine"]


def node(name: str, labels: str) -> dict[str, object]:
    """What kube-state-metrics says of a node."""
    return {f'kube_node_labels{{node="{name}", {labels}}}': 1}


def pod(namespace: str, name: str, node: str, resource: str, amount: int, *, until: int) -> dict[str, object]:
    """What it says of a pod that runs from the first minute until the last of its run."""
    of = f'namespace="{namespace}", pod="{name}"'
    return {
        f'kube_pod_container_resource_requests{{{of}, node="{node}", resource="{resource}"}}': amount,
        f'kube_pod_container_resource_requests{{{of}, node="{node}", resource="cpu"}}': 16,
        f'kube_pod_status_phase{{{of}, phase="Running"}}': (0, 1, 0, until),
        f'kube_pod_status_phase{{{of}, phase="Pending"}}': (1, 0, 0, until),
    }


def card(namespace: str, pod: str, node: str, labels: str, active: float, *, until: int) -> dict[str, object]:
    """What DCGM exporter says of a card with a pod, and then of the same card without."""
    here = f'DCGM_FI_PROF_GR_ENGINE_ACTIVE{{node="{node}", {labels}, '
    none = {"GPU_I_ID", "GPU_I_PROFILE"} - {each.partition("=")[0] for each in labels.split(", ")}
    empty = "".join(f'{each}="", ' for each in sorted(none))
    return {
        f'{here}{empty}namespace="{namespace}", pod="{pod}"}}': (None, active, None, until),
        f'{here}{empty}namespace="", pod="", container=""}}': (0, None, 0, until),
    }


def played(component: Observed, said: Mapping[str, object]) -> list[SeriesText]:
    """Series with a sample a minute: a value, or what it is before, during and after a run."""
    made = []
    for selector, value in said.items():
        before, during, after, until = value if isinstance(value, tuple) else (value, value, value, 1)
        phases = [(before, 1), (during, until), (after, MINUTES - until)]
        made.append((completed(selector, component.tables, component.jobs), timeline(*phases)))
    return made


def everything() -> dict[str, object]:
    """The table above."""
    whole = "nvidia_com_gpu"
    found: dict[str, object] = {}
    for name, labels in NODES.items():
        found |= node(name, labels)
    found |= pod("team-vision", "train-0", "gpu-1", whole, 8, until=60)
    for number in range(8):
        found |= card("team-vision", "train-0", "gpu-1", f'UUID="GPU-{number}"', 0.5, until=60)
    found |= pod("team-vision-ann", "notebook-0", "share-1", whole, 1, until=120)
    found |= card("team-vision-ann", "notebook-0", "share-1", T4, 0.8, until=120)
    found |= pod("team-speech", "infer-0", "parts-1", "nvidia_com_mig_3g_40gb", 1, until=120)
    found |= card("team-speech", "infer-0", "parts-1", PART, 0.6, until=120)
    found |= pod("team-speech", "other-0", "share-1", whole, 1, until=120)
    found |= card("team-speech", "other-0", "share-1", T4, 0.8, until=120)
    found |= pod("team-speech", "waiting-0", "gpu-1", whole, 8, until=0)
    found |= pod("kube-system", "system-0", "gpu-1", whole, 1, until=120)
    return found


def hours(component: Observed, engine: Path, said: Mapping[str, object]) -> list[dict[tuple[str, ...], float]]:
    """Hours held, hours used and cost at the end of the two hours, each by team, user, pool and card."""
    (group,) = (each for each in component.groups if each["name"] == "gpu-hours")
    names = (gpu_hours.HELD_HOURS, gpu_hours.USED_HOURS, gpu_hours.COST)
    question = {
        "rules": dump({"groups": [{"name": "hours", "rules": group["rules"]}]}),
        "series": played(component, said),
        "minutes": MINUTES,
        "queries": [{"expr": f"sum_over_time({name}[2h])", "until": MINUTES} for name in names],
    }
    (answer,) = ask(engine, [question])
    assert "refused" not in answer, answer["refused"]
    return [
        {tuple(each["labels"][label] for label in LABELS): float(each["values"][0]) for each in found}
        for found in answer["results"]
    ]


def test_hours_and_cost_are_those_that_were_worked_out_by_hand(component: Observed, engine: Path) -> None:
    held, used, cost = hours(component, engine, everything())

    assert held == pytest.approx(HELD, abs=1e-12)
    assert used == pytest.approx(USED, abs=1e-12)
    assert cost == pytest.approx(COST, abs=1e-12)


def test_without_hardware_counters_a_cards_use_is_taken(component: Observed, engine: Path) -> None:
    named = {
        key.replace("DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_DEV_GPU_UTIL"): value
        for key, value in everything().items()
    }
    percent = {
        key: (value[0], value[1] and value[1] * 100, value[2], value[3])
        if "DCGM" in key and isinstance(value, tuple)
        else value
        for key, value in named.items()
    }
    _, used, _ = hours(component, engine, percent)

    assert used == pytest.approx(USED, abs=1e-12)


def test_nodes_without_the_pools_label_count_for_no_one(component: Observed, engine: Path) -> None:
    unlabelled = {key: value for key, value in everything().items() if "kube_node_labels" not in key}

    assert hours(component, engine, unlabelled) == [{}, {}, {}]
