"""What a program serves to Prometheus, compared with the table of metrics that a component has of it.

A program in Go says nothing of a metric with labels before something has happened that it counts. Of such a metric the
program's own text is asked for the name.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from platform_def.constructs.observation.controllers import CONTROLLER_RUNTIME
from platform_def.constructs.observation.promql import has
from platform_def.constructs.observation.tables import MetricTable
from tests.cluster.backups import said
from tests.cluster.control_plane import until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.door import Door
from tests.cluster.flows import FlowBench
from tests.cluster.played import of_target
from tests.cluster.sandbox import Sandbox

_SAMPLE = re.compile(r"([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: \d+)?")
_PAIR = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
_TYPE = re.compile(r"# TYPE (\S+) (\S+)")
_BOUNDS = Path(__file__).parents[2] / "docs" / "components" / "prometheus.md"
_BOUND = re.compile(r"^\| (.+?) \| ([\d,]+) \| ", re.MULTILINE)
_ENDINGS = ("_bucket", "_sum", "_count")
_PUT_IN_FRONT = 3
"""How many words of a metric's name a program may add where it registers it: namespace and subsystem."""
PLACED = "node"
"""The label that monitors add."""


@dataclass
class Page:
    """A page of metrics."""

    types: dict[str, str] = field(default_factory=dict)
    """Of each metric, also of those without a series."""
    samples: dict[str, list[Mapping[str, str]]] = field(default_factory=dict)
    """Labels of each series, by its name."""
    values: dict[str, list[str]] = field(default_factory=dict)
    """What each series has counted, in the same order."""

    @property
    def count(self) -> int:
        """How many series there are."""
        return sum(map(len, self.samples.values()))


def read(text: str) -> Page:
    """A page from its text."""
    made = Page()
    for line in text.splitlines():
        if found := _TYPE.fullmatch(line):
            made.types[found[1]] = found[2]
        elif line and not line.startswith("#"):
            sample = _SAMPLE.fullmatch(line)
            assert sample, line
            made.samples.setdefault(sample[1], []).append(dict(_PAIR.findall(sample[2] or "")))
            made.values.setdefault(sample[1], []).append(sample[3])
    return made


def differences(page: Page, tables: Iterable[MetricTable], *, whole: bool = True) -> Iterator[str]:
    """Where series of a page are others than the tables say: labels that only one of both has, other types.

    Without `whole` the series may have more labels than the tables say.
    """
    for table in tables:
        for metric in table.metrics:
            served = page.types.get(metric.name)
            if served and metric.type != "unknown" and served != metric.type:
                yield f"{metric.name} is a {served}, and no {metric.type}"
        for name, series in table.series.items():
            own = {each for each in series.labels if not of_target(each, table)} - {PLACED, "le", "quantile"}
            written = {label for labels in page.samples.get(name, []) for label in labels} - {PLACED, "le", "quantile"}
            if name not in page.samples:
                continue
            if whole and (more := sorted(each for each in written if not has(frozenset(own), each))):
                yield f"{name} has labels that the table does not: {more}"
            if less := sorted(each for each in own - written if not each.endswith("*")):
                yield f"{name} has no labels {less}"


def unserved(page: Page, tables: Iterable[MetricTable]) -> set[str]:
    """Metrics of the tables that a page neither has nor announces."""
    names = {metric.name for table in tables for metric in table.metrics}
    there = page.types.keys() | page.samples.keys()
    return {each for each in names if each not in there and not {f"{each}{end}" for end in _ENDINGS} & there}


class Running(Protocol):
    """Where a program runs: an API server's sandbox, or another."""

    @property
    def sandbox(self) -> Sandbox:
        """The sandbox."""

    @property
    def folder(self) -> Path:
        """Its folder."""


def page_at(
    place: Running,
    port: int,
    *,
    host: str = "127.0.0.1",
    path: str = "/metrics",
    https: bool = False,
    token: str = "",
) -> Page:
    """What a program in the sandbox serves, once it answers; its certificate is not looked at, as by Prometheus."""
    socket = place.folder / f"metrics-{port}.sock"
    if not socket.exists():
        place.sandbox.forward(socket, port=port, host=host)
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    door = Door(socket, token, trusting if https else None)
    found: list[Page] = []

    def answers() -> bool:
        try:
            answer = door.get(path, known=bool(token))
        except OSError:
            return False
        if answer.status == 200:
            found.append(read(answer.text))
        return bool(found)

    until(answers, seconds=START_SECONDS, what=f"metrics are served at port {port}")
    return found[-1]


def page_of_service(bench: FlowBench, service: str, namespace: str, port: int, *, path: str = "/metrics") -> Page:
    """What the pod of a Service serves, asked from another pod; without a probe it may be called ready before it listens."""
    address = f"http://{service}.{namespace}.svc.cluster.local:{port}{path}"
    asks = f"curl -sSf --retry 30 --retry-delay 1 --retry-all-errors {address} 2> /tmp/error || {{ cat /tmp/error; exit 1; }}"
    return read(said(bench, asks, namespace="default", spec={}))


def page_of_pod(bench: FlowBench, namespace: str, name: str, port: int) -> Page:
    """What the first pod whose name begins so serves, asked by its address from another pod, as Prometheus asks."""
    found = bench.control_plane.api.get(f"/api/v1/namespaces/{namespace}/pods").body["items"]
    address = next(each["status"]["podIP"] for each in found if each["metadata"]["name"].startswith(name))
    return read(said(bench, f"curl -sSf http://{address}:{port}/metrics", namespace="default", spec={}))


def faults(page: Page, tables: Iterable[MetricTable], *, program: Path, silent: str = "") -> list[str]:
    """Where the tables of a program are wrong.

    What all controllers have is one table for many releases of their library, of which the newer write more labels.
    `silent` names metrics of which nothing has happened here, or with `*` all that begin so: of these the program's text
    must have the name, and no label is compared.
    """
    tables = [*tables]
    found = [each for table in tables for each in differences(page, [table], whole=table is not CONTROLLER_RUNTIME)]
    text, unheard = program.read_bytes(), unserved(page, tables)
    expected = {each for each in unheard if _named(each, silent.split())}
    found += [f"{each} is not served" for each in sorted(unheard - expected)]
    found += [f"{each} is no metric of {program.name}" for each in sorted(expected) if not _has_name(text, each, page)]
    return found


def _named(metric: str, patterns: Collection[str]) -> bool:
    return any(metric == each or (each.endswith("*") and metric.startswith(each[:-1])) for each in patterns)


def _has_name(text: bytes, metric: str, page: Page) -> bool:
    """Whether a program's text has the name of a metric, or the end of it after words that another of its metrics begins
    with too."""
    words = metric.split("_")
    for number in range(min(_PUT_IN_FRONT, len(words) - 2) + 1):
        front = "_".join([*words[:number], ""]) if number else ""
        if "_".join(words[number:]).encode() in text and any(each.startswith(front) for each in page.types):
            return True
    return False


def bounds() -> dict[str, int]:
    """How many series there are at most for each thing of a GPU node, as the page about Prometheus says."""
    return {what: int(number.replace(",", "")) for what, number in _BOUND.findall(_BOUNDS.read_text())}
