"""Canaries of KServe's InferenceServices to which no requests come."""

from __future__ import annotations

import pytest

from platform_def.checks.rules.operators.value_refused import VALUE_REFUSED
from tests.unit.checks.operators.judged import told

_SERVICE = """---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {{name: model, namespace: vision, annotations: {{{mode}}}}}
spec:
  predictor: {{{predictor} model: {{modelFormat: {{name: onnx}}, storageUri: "s3://models/1"}}}}
  canary:
    - trafficPercent: {percent}
      predictor:
        name: next
        model: {{name: kserve-container, modelFormat: {{name: onnx}}, storageUri: "s3://models/2"}}
"""
_ROUTE = """---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {{name: model, namespace: {namespace}}}
spec:
  rules: [{{backendRefs: [{{name: model-predictor, port: 80, weight: 90}}, {{name: model-next-predictor, port: 80, weight: 10}}]}}]
"""
_STANDARD = "serving.kserve.io/deploymentMode: Standard"
_UNROUTED = (
    "warning",
    "spec.canary[0].trafficPercent",
    "no route leads to Service model-next-predictor: KServe's own leads to the predictor alone",
)


def service(mode: str = _STANDARD, *, percent: int = 10, predictor: str = "") -> str:
    return _SERVICE.format(mode=mode, percent=percent, predictor=predictor)


@pytest.mark.parametrize("mode", ["Standard", "RawDeployment"])
def test_without_a_route_no_request_comes_to_a_canary(mode: str) -> None:
    assert told(VALUE_REFUSED, service(f"serving.kserve.io/deploymentMode: {mode}")) == [_UNROUTED]


def test_a_route_that_leads_to_its_service_shares_requests() -> None:
    assert told(VALUE_REFUSED, service() + _ROUTE.format(namespace="vision")) == []
    assert told(VALUE_REFUSED, service() + _ROUTE.format(namespace="speech")) == [_UNROUTED]


def test_a_canary_without_a_share_needs_no_route() -> None:
    assert told(VALUE_REFUSED, service(percent=0)) == []


@pytest.mark.parametrize(
    "mode", ["", "serving.kserve.io/deploymentMode: Knative", "serving.kserve.io/deploymentMode: Serverless"]
)
def test_nothing_is_said_where_knative_may_share_requests(mode: str) -> None:
    assert told(VALUE_REFUSED, service(mode, predictor="canaryTrafficPercent: 10,")) == []


def test_a_percentage_for_knative_is_not_read_in_standard_mode() -> None:
    found = told(VALUE_REFUSED, service(percent=0, predictor="canaryTrafficPercent: 10,"))

    assert found == [
        (
            "error",
            "spec.predictor.canaryTrafficPercent",
            "is read with Knative alone: here all requests go to the changed model",
        )
    ]
