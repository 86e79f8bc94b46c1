"""What an exporter exports: metrics with their types and labels, read in its sources.

`MetricTable("pkg/metrics.go of widgets v2.1.0", counter("widgets_made_total", "size"))`
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

MetricType = Literal["counter", "gauge", "histogram", "summary", "unknown"]

TARGET = ("container", "endpoint", "instance", "job", "namespace", "pod", "service")
"""Labels that Prometheus' operator puts on every series of a ServiceMonitor's target."""
POD_TARGET = ("instance", "job", "namespace", "pod")
"""Those of a PodMonitor that reads each pod once, whatever its containers are."""
HONORED_TARGET = ("instance", "job")
"""Those that are left where a monitor has `honor_labels`: the other names belong to what a series is about."""


@dataclass(frozen=True)
class Metric:
    """One metric: its name, type and own labels; `label_*` is any label with that prefix."""

    name: str
    type: MetricType
    labels: tuple[str, ...] = ()
    late: bool = False
    """Whether its series begin with the first event that they count; others are there from the start, with 0."""


@dataclass(frozen=True, init=False)
class MetricTable:
    """The metrics of one exporter at one release."""

    source: str
    """File and version that the names were read in."""
    metrics: tuple[Metric, ...]
    labels: tuple[str, ...]
    """Labels that all its series have: the exporter's own, then the target's."""
    target: tuple[str, ...]
    """Labels that say from where Prometheus reads a series."""
    exporter: str
    """Name of the exporter where another component has it: its series are there where the stack has that exporter."""

    def __init__(
        self,
        source: str,
        *metrics: Iterable[Metric],
        labels: str = "",
        exporter: str = "",
        target: Sequence[str] = TARGET,
    ) -> None:
        """`metrics` come from `counter`, `gauge`, `histogram`, `summary`, `untyped`; `labels` are on all of them.

        A monitor with `node=True` adds `node` to them. `target` is HONORED_TARGET where the monitor has `honor_labels`,
        POD_TARGET where a PodMonitor reads pods as wholes.
        """
        every = tuple(each for group in metrics for each in group)
        own = {label for each in every for label in each.labels} | {*labels.split()}
        taken = next((label for label in sorted(own - {*HONORED_TARGET}) if label in target), "")
        if taken:
            text = f"{source}: '{taken}' is a label of the target, and the exporter's would become exported_{taken}"
            raise ValueError(f"{text}: write `target=HONORED_TARGET` here, and `honor_labels=True` at the monitor")
        object.__setattr__(self, "source", source)
        object.__setattr__(self, "metrics", every)
        object.__setattr__(self, "labels", (*labels.split(), *target))
        object.__setattr__(self, "target", (*target,))
        object.__setattr__(self, "exporter", exporter)

    @cached_property
    def honored(self) -> MetricTable:
        """The same metrics, read by a monitor that has `honor_labels`, as those of its other tables ask for."""
        own = " ".join(each for each in self.labels if each not in self.target)
        return MetricTable(self.source, self.metrics, labels=own, exporter=self.exporter, target=HONORED_TARGET)

    @cached_property
    def series(self) -> Mapping[str, Series]:
        """Its series by name: a histogram is three of them."""
        return {
            name: Series(
                name, kind, frozenset({*labels, *self.labels}), self.exporter, metric.late and kind == "counter"
            )
            for metric in self.metrics
            for name, kind, labels in _series_of(metric)
        }


@dataclass(frozen=True)
class Series:
    """What queries select: a name with its type and all labels, the target's included."""

    name: str
    type: MetricType
    labels: frozenset[str]
    exporter: str = ""
    late: bool = False
    """Whether it begins with the first event that it counts."""


def counter(names: str, labels: str = "", *, late: bool | None = None) -> tuple[Metric, ...]:
    """Metrics that only grow; names and labels are separated by spaces.

    `late`: whether a series begins with the first event that it counts. By default one with labels does, and one
    without is there from the start, with 0; OpenTelemetry's begin late without labels too.
    """
    return _metrics("counter", names, labels, late=late)


def gauge(names: str, labels: str = "") -> tuple[Metric, ...]:
    """Metrics that go up and down."""
    return _metrics("gauge", names, labels)


def untyped(names: str, labels: str = "") -> tuple[Metric, ...]:
    """Metrics whose exporter does not say whether they only grow; functions of both kinds are taken."""
    return _metrics("unknown", names, labels)


def histogram(names: str, labels: str = "", *, late: bool | None = None) -> tuple[Metric, ...]:
    """Histograms: each is queried as `_bucket` (with `le`), `_sum` and `_count`; `late` as of counters."""
    return _metrics("histogram", names, labels, late=late)


def summary(names: str, labels: str = "", *, late: bool | None = None) -> tuple[Metric, ...]:
    """Summaries: each is queried by its name (with `quantile`), and as `_sum` and `_count`; `late` as of counters."""
    return _metrics("summary", names, labels, late=late)


def _metrics(kind: MetricType, names: str, labels: str, *, late: bool | None = False) -> tuple[Metric, ...]:
    own = tuple(labels.split())
    return tuple(Metric(name, kind, own, bool(own) if late is None else late) for name in names.split())


def _series_of(metric: Metric) -> list[tuple[str, MetricType, tuple[str, ...]]]:
    parts: list[tuple[str, MetricType, tuple[str, ...]]] = [
        (f"{metric.name}_sum", "counter", metric.labels),
        (f"{metric.name}_count", "counter", metric.labels),
    ]
    if metric.type == "histogram":
        return [(f"{metric.name}_bucket", "counter", (*metric.labels, "le")), *parts]
    if metric.type == "summary":
        return [(metric.name, "gauge", (*metric.labels, "quantile")), *parts]
    return [(metric.name, metric.type, metric.labels)]


SCRAPED = MetricTable(
    "Prometheus makes these itself for each target, and for each alert",
    gauge(
        "up scrape_duration_seconds scrape_samples_scraped scrape_samples_post_metric_relabeling scrape_series_added"
    ),
    gauge("ALERTS", "alertname alertstate severity"),
)
