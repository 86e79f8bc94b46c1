"""Pages that played exporters answer with: made of tables of metrics, with the labels that an exporter itself writes.

Nothing here knows a query, and no label is here that Prometheus adds when it reads a target.
`python -m tests.cluster.pages dcgm-exporter` prints the pages of a component's exporter.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence

from platform_def.constructs.observation.tables import Metric, MetricTable
from tests.cluster.played import listed_values, of_target, series_of
from tests.cluster.whole import whole

Line = tuple[str, float, float]
"""A line without its number; the number, and what it grows by in a second."""
NODE = "node"
Labels = Mapping[str, str]

MODEL, CARDS = "NVIDIA A100-SXM4-80GB", 8
WHOLE, PARTED = "gpu-1", "gpu-2"
"""Nodes: one whose cards are whole, one with a card cut by MIG and a shared one."""
PROFILES = ("3g.40gb", "1g.10gb", "1g.10gb")
SHARING = ("notebook-0", "notebook-1", "infer-0")
NO_ENGINE = ("DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_MEM_COPY_UTIL", "DCGM_FI_DEV_ENC_UTIL", "DCGM_FI_DEV_DEC_UTIL")
"""What DCGM does not say of MIG devices."""


def tables_of(component: str) -> list[MetricTable]:
    """The tables of a component's own exporter."""
    found = whole(component)
    return [
        each
        for each in found.tables
        if each.exporter in ("", component) and not each.source.startswith("Prometheus makes")
    ]


def page(tables: Iterable[MetricTable]) -> list[Line]:
    """What an exporter with these tables says: each metric, with each value that a label of it may have."""
    made: dict[str, Line] = {}
    for table in tables:
        for metric in table.metrics:
            made.setdefault(f"# TYPE {metric.name}", (_type(metric), 0, 0))
            for number, (name, labels) in enumerate(series_of(table, metric, "")):
                own = {key: value for key, value in labels.items() if written(key, table)}
                text = line(name, own)
                made.setdefault(text, (text, *_values(metric, labels, number)))
    return [*made.values()]


def written(label: str, table: MetricTable) -> bool:
    """Whether an exporter writes the label itself; the monitor puts `node` on all series of a table that has it."""
    return not of_target(label, table) and not (label == NODE and NODE in table.labels)


def line(name: str, labels: Labels) -> str:
    """A series as a page has it."""
    pairs = ",".join(f'{key}="{value}"' for key, value in sorted(labels.items()))
    return f"{name}{{{pairs}}}" if pairs else name


def _type(metric: Metric) -> str:
    return f"# TYPE {metric.name} {'untyped' if metric.type == 'unknown' else metric.type}"


def _values(metric: Metric, labels: Labels, number: int) -> tuple[float, float]:
    bounds = listed_values("any")["le"]
    step = 1.0 + (bounds.index(labels["le"]) if "le" in labels else number % 2)
    return (step, 0.0) if metric.type == "gauge" else (step, step)


def cards_of(node: str) -> Iterator[dict[str, str]]:
    """What DCGM exporter tells apart on a node, by the labels in which these differ: a card for each pod that has it."""
    if node == WHOLE:
        for number in range(CARDS):
            pod = ("team-vision", "train-0") if number < CARDS - 2 else ("", "")
            yield _card(node, number, pod)
        return
    for number, profile in enumerate(PROFILES, 7):
        pod = ("team-speech", f"infer-{number}") if number < 9 else ("", "")
        yield {**_card(node, 0, pod), "GPU_I_PROFILE": profile, "GPU_I_ID": str(number)}
    for name in SHARING:
        yield _card(node, 1, ("team-speech", name))


def _card(node: str, number: int, pod: tuple[str, str]) -> dict[str, str]:
    return {
        "gpu": str(number),
        "UUID": f"GPU-{node}-{number}",
        "device": f"nvidia{number}",
        "pci_bus_id": f"00000000:{number:02X}:00.0",
        "modelName": MODEL,
        "DCGM_FI_DRIVER_VERSION": "580.95.05",
        "namespace": pod[0],
        "pod": pod[1],
        "container": "main" if pod[1] else "",
    }


def cards_page(table: MetricTable, node: str) -> list[Line]:
    """What DCGM exporter says of the cards of a node."""
    made: list[Line] = []
    for metric in table.metrics:
        made.append((_type(metric), 0, 0))
        own = {each: listed_values("any").get(each, [f"{each}-1"])[0] for each in metric.labels}
        for number, card in enumerate(cards_of(node)):
            if "GPU_I_ID" in card and metric.name in NO_ENGINE:
                continue
            labels = {each: card.get(each, own.get(each, "")) for each in (*table.labels, *own) if written(each, table)}
            made.append((line(metric.name, labels), *_values(metric, {}, number)))
    return made


def main(arguments: Sequence[str]) -> int:
    """Print what a component's exporter says; of DCGM exporter on both nodes."""
    for name in arguments:
        tables = tables_of(name)
        pages = [cards_page(tables[0], node) for node in (WHOLE, PARTED)] if name == "dcgm-exporter" else [page(tables)]
        for each in pages:
            print("\n".join(text if text[0] == "#" else f"{text} {value:g}" for text, value, _ in each))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
