"""Services of Knative that its webhook refuses."""

from __future__ import annotations

import pytest

from platform_def.checks.rules.operators.value_refused import VALUE_REFUSED
from tests.unit.checks.operators.judged import findings, told

AT = "spec.template.metadata.annotations"
REFUSED = "Knative's webhook refuses it"


def service(*, notes: str = "", pod: str = "containers: [{image: a}]", more: str = "", kind: str = "Service") -> str:
    template = f"template: {{metadata: {{annotations: {{{notes}}}}}, spec: {{{pod}}}}}"
    head = f"apiVersion: serving.knative.dev/v1\nkind: {kind}\nmetadata: {{name: a, namespace: b}}\n"
    return f"{head}spec: {{{', '.join(filter(None, [template, more]))}}}\n"


def scaled(name: str, value: str) -> str:
    return service(notes=f"autoscaling.knative.dev/{name}: '{value}'")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("min-scale", "0"),
        ("maxScale", "5"),
        ("target", "0.5"),
        ("targetUtilizationPercentage", "70"),
        ("window", "1h"),
        ("scale-down-delay", "15m"),
        ("metric", "rps"),
        ("class", "hpa.autoscaling.knative.dev"),
        ("class", "keda.example.com"),
        ("panic-threshold-percentage", "200"),
    ],
)
def test_what_knative_takes_passes(name: str, value: str) -> None:
    assert told(VALUE_REFUSED, scaled(name, value)) == []


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("min-scale", "-1", "'-1' is no whole number from 0"),
        ("initialScale", "few", "'few' is no whole number from 0"),
        ("target", "0", "'0' is no number of at least 0.01"),
        ("target-utilization-percentage", "70%", "'70%' is no number of 1 to 100"),
        ("window", "5s", "'5s' is no duration of 6s to 1h"),
        ("scaleDownDelay", "2h", "'2h' is no duration of 0s to 1h"),
        ("metric", "cpu", "'cpu' is no metric of Knative's autoscaler"),
        ("class", "hpb.autoscaling.knative.dev", "'hpb.autoscaling.knative.dev' is no autoscaler of Knative's"),
    ],
)
def test_what_knative_refuses_is_an_error_under_the_name_that_it_has(name: str, value: str, text: str) -> None:
    assert told(VALUE_REFUSED, scaled(name, value)) == [
        ("error", f'{AT}["autoscaling.knative.dev/{name}"]', f"{text}: {REFUSED}")
    ]


def test_a_service_that_begins_above_its_most_is_an_error() -> None:
    notes = "autoscaling.knative.dev/minScale: '3', autoscaling.knative.dev/max-scale: '2'"
    ((_, path, text),) = told(VALUE_REFUSED, service(notes=notes, kind="Configuration"))

    assert (path, text) == (f'{AT}["autoscaling.knative.dev/minScale"]', f"3 is more than max-scale, 2: {REFUSED}")


def test_the_number_of_processors_is_measured_by_another_class() -> None:
    notes = "autoscaling.knative.dev/class: hpa.autoscaling.knative.dev, autoscaling.knative.dev/metric: cpu"

    assert told(VALUE_REFUSED, service(notes=notes)) == []
    (finding,) = findings(VALUE_REFUSED, scaled("metric", "cpu"))
    assert finding.hint == "it needs the class hpa.autoscaling.knative.dev"


@pytest.mark.parametrize(
    ("pod", "path", "text"),
    [
        ("containerConcurrency: -1, containers: [{image: a}]", "containerConcurrency", "-1 is below 0"),
        (
            "containers: [{image: a, ports: [{containerPort: 80}]}, {image: b, ports: [{containerPort: 81}]}]",
            "containers[1].ports[0]",
            "is another port, and requests go to one",
        ),
        (
            "containers: [{image: a, ports: [{containerPort: 8012}]}]",
            "containers[0].ports[0].containerPort",
            "8012 is a port of the proxy next to the container",
        ),
        (
            "containers: [{image: a, ports: [{containerPort: 80, name: web}]}]",
            "containers[0].ports[0].name",
            "'web' is no protocol",
        ),
    ],
)
def test_a_pod_that_its_proxy_cannot_stand_before_is_an_error(pod: str, path: str, text: str) -> None:
    assert told(VALUE_REFUSED, service(pod=pod)) == [("error", f"spec.template.spec.{path}", f"{text}: {REFUSED}")]


@pytest.mark.parametrize(
    ("traffic", "path", "text"),
    [
        ("[{revisionName: a-1, percent: 80}, {latestRevision: true, percent: 10}]", "", "the shares are 90 together"),
        (
            "[{latestRevision: true, revisionName: a-1, percent: 100}]",
            "[0].latestRevision",
            "names a revision and the newest one",
        ),
        ("[{latestRevision: false, percent: 100}]", "[0].latestRevision", "names no revision"),
    ],
)
def test_shares_that_lead_nowhere_are_errors(traffic: str, path: str, text: str) -> None:
    assert told(VALUE_REFUSED, service(more=f"traffic: {traffic}")) == [
        ("error", f"spec.traffic{path}", f"{text}: {REFUSED}")
    ]


def test_shares_of_a_hundred_pass_in_a_route_too() -> None:
    traffic = "traffic: [{revisionName: a-1, percent: 90}, {latestRevision: true, percent: 10}, {revisionName: a-2, tag: old}]"

    assert told(VALUE_REFUSED, service(more=traffic)) == []
    assert told(VALUE_REFUSED, service(more=traffic, kind="Route")) == []
