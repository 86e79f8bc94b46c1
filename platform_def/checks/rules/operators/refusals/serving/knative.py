"""Services of Knative that its webhook refuses: how they scale, which port they have, who gets which share.

Facts: Knative Serving 1.23 (pkg/apis/autoscaling/annotation_validation.go; pkg/apis/serving/v1/route_validation.go and
revision_validation.go; pkg/apis/serving/k8s_validation.go). Bounds that an administrator may set are not judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from platform_def.checks.fault import Fault
from platform_def.checks.rules.operators.refusals.durations import seconds
from platform_def.errors import nearest
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.rendered import Manifest

GROUP = "serving.knative.dev"
_DOMAIN = "autoscaling.knative.dev"
_AT = "spec.template.metadata.annotations"
_PODS, _REQUESTS = f"hpa.{_DOMAIN}", f"kpa.{_DOMAIN}"
_METRICS = ("concurrency", "rps")
_REFUSED = "Knative's webhook refuses it"
_NUMBERS: Mapping[tuple[str, ...], tuple[float, float]] = {
    ("panic-window-percentage", "panicWindowPercentage"): (1, 100),
    ("panic-threshold-percentage", "panicThresholdPercentage"): (110, 1000),
    ("target",): (0.01, float("inf")),
    ("target-utilization-percentage", "targetUtilizationPercentage"): (1, 100),
}
_WINDOWS: Mapping[tuple[str, ...], tuple[int, int]] = {
    ("window",): (6, 3600),
    ("scale-down-delay", "scaleDownDelay"): (0, 3600),
    ("scale-to-zero-pod-retention-period", "scaleToZeroPodRetentionPeriod"): (0, 3600),
}
"""In seconds."""
_WHOLE = re.compile(r"[+-]?[0-9]+")
_TAKEN = frozenset((8012, 8013, 8022, 9090, 9091))
"""Ports of the proxy next to the container."""
_PORT_NAMES = ("", "h2c", "http1")


class _Note(NamedTuple):
    """An annotation under the name that it has here."""

    path: str
    value: str


def of_service(manifest: Manifest) -> Iterator[Fault]:
    """A Service, or a Configuration, which is one without its shares."""
    yield from _of_scaling(mapping(at(manifest, _AT)))
    yield from _of_ports(manifest)
    yield from _of_traffic(manifest)


def of_route(manifest: Manifest) -> Iterator[Fault]:
    """A Route."""
    yield from _of_traffic(manifest)


def _of_scaling(notes: Mapping[str, Any]) -> Iterator[Fault]:
    bounds: dict[str, int] = {}
    for names in (("min-scale", "minScale"), ("max-scale", "maxScale"), ("initial-scale", "initialScale")):
        if note := _found(notes, names):
            if _WHOLE.fullmatch(note.value) and int(note.value) >= 0:
                bounds[names[0]] = int(note.value)
            else:
                yield Fault(note.path, f"'{note.value[:40]}' is no whole number from 0: {_REFUSED}", "write a number")
    most = bounds.get("max-scale", 0)
    if most and (note := _found(notes, ("min-scale", "minScale"))) and bounds.get("min-scale", 0) > most:
        yield Fault(note.path, f"{note.value} is more than max-scale, {most}: {_REFUSED}", f"write at most {most}")
    for known, (least, limit) in _NUMBERS.items():
        if (note := _found(notes, known)) and not _between(note.value, least, limit):
            wanted = f"{least:g} to {limit:g}" if limit < float("inf") else f"at least {least:g}"
            yield Fault(note.path, f"'{note.value[:40]}' is no number of {wanted}: {_REFUSED}", f"write {wanted}")
    for known, (shortest, longest) in _WINDOWS.items():
        if note := _found(notes, known):
            value = seconds(note.value)
            if value is None or not shortest <= value <= longest:
                said = f"'{note.value[:40]}' is no duration of {shortest}s to {longest // 3600}h: {_REFUSED}"
                yield Fault(note.path, said, "write seconds, minutes or hours, such as 90s or 15m")
    yield from _of_class(notes)


def _of_class(notes: Mapping[str, Any]) -> Iterator[Fault]:
    chosen = _found(notes, ("class",))
    if chosen and chosen.value.endswith(_DOMAIN) and chosen.value not in (_PODS, _REQUESTS):
        said = f"'{chosen.value[:60]}' is no autoscaler of Knative's: {_REFUSED}"
        yield Fault(chosen.path, said, nearest(chosen.value, (_REQUESTS, _PODS)))
    metric = _found(notes, ("metric",))
    if metric and (chosen.value if chosen else _REQUESTS) == _REQUESTS and metric.value not in _METRICS:
        of_pods = metric.value in ("cpu", "memory")
        hint = f"it needs the class {_PODS}" if of_pods else nearest(metric.value, _METRICS)
        yield Fault(metric.path, f"'{metric.value[:40]}' is no metric of Knative's autoscaler: {_REFUSED}", hint)


def _of_ports(manifest: Manifest) -> Iterator[Fault]:
    path, spec = "spec.template.spec", mapping(at(manifest, "spec.template.spec"))
    concurrency = spec.get("containerConcurrency")
    if isinstance(concurrency, int) and concurrency < 0:
        yield Fault(f"{path}.containerConcurrency", f"{concurrency} is below 0: {_REFUSED}", "0 is no limit")
    open_: list[tuple[str, Mapping[str, Any]]] = [
        (f"{path}.containers[{index}].ports[{number}]", mapping(each))
        for index, container in enumerate(map(mapping, items(spec.get("containers"))))
        for number, each in enumerate(items(container.get("ports")))
    ]
    if len(open_) > 1:
        said = f"is another port, and requests go to one: {_REFUSED}"
        yield Fault(open_[1][0], said, "keep the port that answers requests; others need no entry")
    for where, port in open_[:1]:
        if port.get("containerPort") in _TAKEN:
            said = f"{port['containerPort']} is a port of the proxy next to the container: {_REFUSED}"
            yield Fault(f"{where}.containerPort", said, "have the program listen at another one")
        if text(port.get("name")) not in _PORT_NAMES:
            said = f"'{text(port.get('name'))[:40]}' is no protocol: {_REFUSED}"
            yield Fault(f"{where}.name", said, "leave it out, or write http1, or h2c for gRPC")


def _of_traffic(manifest: Manifest) -> Iterator[Fault]:
    targets = [mapping(each) for each in items(at(manifest, "spec.traffic"))]
    shares = [each.get("percent") for each in targets]
    numbers = [each for each in shares if isinstance(each, int)]
    if targets and len(numbers) == len([each for each in shares if each is not None]) and sum(numbers) != 100:
        yield Fault("spec.traffic", f"the shares are {sum(numbers)} together: {_REFUSED}", "make them 100")
    for index, target in enumerate(targets):
        latest, revision = target.get("latestRevision"), text(target.get("revisionName"))
        if isinstance(latest, bool) and latest == bool(revision):
            said = f"names a revision and the newest one: {_REFUSED}" if revision else f"names no revision: {_REFUSED}"
            yield Fault(f"spec.traffic[{index}].latestRevision", said, "keep latestRevision: true or revisionName")


def _found(notes: Mapping[str, Any], names: tuple[str, ...]) -> _Note | None:
    for name in names:
        if (key := f"{_DOMAIN}/{name}") in notes:
            return _Note(f'{_AT}["{key}"]', str(notes[key]))
    return None


def _between(written: str, least: float, most: float) -> bool:
    try:
        return least <= float(written) <= most
    except ValueError:
        return False
