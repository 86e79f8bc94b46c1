"""What KServe and Spark refuse: kinds of autoscalers, addresses of models, amounts of memory."""

from __future__ import annotations

import pytest

from platform_def.checks.rules.operators.value_refused import VALUE_REFUSED
from tests.unit.checks.operators.judged import findings, told

HEAD = "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n"
CONTAINER = """\
apiVersion: serving.kserve.io/v1alpha1
kind: ClusterStorageContainer
metadata: {name: own}
spec: {container: {name: c, image: a}, supportedUriFormats: [{prefix: "models://"}, {regex: "^lake[0-9]://"}, {regex: "(?<a"}]}
---
"""


def model(uri: str, *, note: str = "") -> str:
    metadata = f"metadata: {{name: a, namespace: b, annotations: {{{note}}}}}\n"
    return f'{HEAD}{metadata}spec: {{predictor: {{model: {{modelFormat: {{name: sklearn}}, storageUri: "{uri}"}}}}}}\n'


def application(role: str, field: str, amount: str, *, scheduled: bool = False) -> str:
    spec = f'{{{role}: {{{field}: "{amount}"}}}}'
    kind, spec = ("ScheduledSparkApplication", f"{{template: {spec}}}") if scheduled else ("SparkApplication", spec)
    return (
        f"apiVersion: sparkoperator.k8s.io/v1beta2\nkind: {kind}\nmetadata: {{name: a, namespace: b}}\nspec: {spec}\n"
    )


@pytest.mark.parametrize(
    "uri", ["s3://a/b", "hf://a/b", "pvc://a/b", "oci://r/a:1", "https://a/b.tar.gz", "/mnt/models", "b"]
)
def test_models_where_kserve_fetches_them_pass(uri: str) -> None:
    assert told(VALUE_REFUSED, model(uri)) == []


def test_an_address_that_nothing_known_fetches_is_said_with_the_near_one() -> None:
    (finding,) = findings(VALUE_REFUSED, model("s3a://bucket/a"))

    assert (finding.severity, finding.path) == ("warning", "spec.predictor.model.storageUri")
    assert finding.text == "no storage initializer fetches s3a://: KServe's controller refuses the model"
    assert finding.hint == "did you mean 's3'?"


@pytest.mark.parametrize(("uri", "count"), [("models://a", 0), ("lake7://a", 0), ("lakes://a", 0)])
def test_what_a_storage_container_of_the_stack_fetches_passes(uri: str, count: int) -> None:
    assert len(told(VALUE_REFUSED, CONTAINER + model(uri))) == count


def test_an_autoscaler_that_kserve_does_not_know_is_an_error() -> None:
    note = "serving.kserve.io/autoscalerClass: "

    assert told(VALUE_REFUSED, model("s3://a", note=note + "keda")) == []
    (finding,) = findings(VALUE_REFUSED, model("s3://a", note=note + "kedaa"))
    assert finding.text == "'kedaa' is no autoscaler that KServe knows: its webhook refuses the object"
    assert finding.hint == "did you mean 'keda'?"


@pytest.mark.parametrize("amount", ["4g", "4G", "512mb", "1073741824", " 2t "])
def test_memory_in_the_units_of_the_jvm_passes(amount: str) -> None:
    assert told(VALUE_REFUSED, application("executor", "memory", amount)) == []


@pytest.mark.parametrize("scheduled", [False, True])
@pytest.mark.parametrize(
    ("amount", "hint"),
    [("4Gi", "write 4g"), ("512 MiB", "write 512m"), ("1.5g", "write a whole number with k, m or g, such as 4g")],
)
def test_memory_in_other_units_is_an_error(amount: str, hint: str, scheduled: bool) -> None:
    (finding,) = findings(VALUE_REFUSED, application("driver", "memoryOverhead", amount, scheduled=scheduled))

    assert finding.path == f"spec.{'template.' * scheduled}driver.memoryOverhead"
    assert finding.text == f"'{amount}' is no amount of memory that Spark reads: the driver never starts"
    assert finding.hint == hint
