"""Programs of Spark: what driver and executors are, what Spark is told of cards and of the store, what it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.capabilities import ObjectStore
from platform_def.config.capability import EXTERNAL, Provision
from platform_def.jobs.spark.spark import cores, heap
from tests.unit.jobs.platforms import PLATFORM, container, job, pod, problems, variables

PROGRAM: dict[str, Any] = {"program": "local:///app/train.py"}
STORE = Provision.of(ObjectStore.model_validate({"host": "s3.example.com"}), EXTERNAL)
STORED = PLATFORM.with_facts(provisions=(*PLATFORM.provisions, STORE))


def spec(platform: Any = PLATFORM, **values: Any) -> dict[str, Any]:
    found: dict[str, Any] = job("spark", platform, **{**PROGRAM, **values})["spec"]
    return found


@pytest.mark.parametrize(
    ("memory", "language", "megabytes"),
    [("14Gi", "Python", 10240), ("11Gi", "Java", 10240), ("1Gi", "Scala", 640), ("512Mi", "Python", 512)],
)
def test_heap_and_what_spark_adds_are_the_memory_of_the_pod(memory: str, language: str, megabytes: int) -> None:
    assert heap(memory, language) == f"{megabytes}m"


def test_spark_takes_whole_cores() -> None:
    assert [cores(each) for each in ("500m", "2", "3500m")] == [1, 2, 3]


def test_the_driver_makes_executors_under_the_operators_account() -> None:
    assert spec()["driver"]["serviceAccount"] == "spark-operator-spark"
    assert spec(serviceAccount="own")["driver"]["serviceAccount"] == "own"
    assert "automountServiceAccountToken" not in pod(job("spark", **PROGRAM), "Driver")


def test_spark_itself_writes_cores_and_memory_and_the_template_keeps_the_rest() -> None:
    executor = container(job("spark", **PROGRAM, pool="train", gpusPerWorker=2), "Executor")

    assert executor["name"] == "spark-kubernetes-executor"
    assert executor["resources"]["limits"] == {"nvidia.com/gpu": "2"}
    assert "cpu" not in executor["resources"]["requests"]


def test_tasks_share_the_cards_of_an_executor() -> None:
    conf = spec(pool="train", gpusPerWorker=1, cpu="4")["sparkConf"]

    assert conf["spark.executor.resource.gpu.amount"] == "1"
    assert conf["spark.executor.resource.gpu.vendor"] == "nvidia.com"
    assert conf["spark.task.resource.gpu.amount"] == "0.25"
    assert not any("gpu" in key for key in spec()["sparkConf"])


def test_spark_changes_the_number_of_executors_between_bounds() -> None:
    allocation = spec(workers=2, elastic={"least": 1, "most": 8})["dynamicAllocation"]

    assert allocation == {"enabled": True, "initialExecutors": 2, "minExecutors": 1, "maxExecutors": 8}
    assert "dynamicAllocation" not in spec()


def test_history_goes_to_the_stacks_store_with_credentials_of_the_namespace() -> None:
    values = {"eventLogs": "s3a://spark/events", "storeCredentials": "spark-store"}
    conf = spec(STORED, **values)["sparkConf"]

    assert conf["spark.eventLog.dir"] == "s3a://spark/events"
    assert conf["spark.hadoop.fs.s3a.endpoint"] == "https://s3.example.com:443"
    for role in ("Driver", "Executor"):
        env = variables(container(job("spark", STORED, **PROGRAM, **values), role))
        assert env["AWS_SECRET_ACCESS_KEY"]["secretKeyRef"] == {"name": "spark-store", "key": "secretKey"}


def test_a_setting_of_the_users_own_wins() -> None:
    own = {"spark.hadoop.fs.s3a.endpoint": "http://other:9000"}

    assert spec(STORED, sparkConf=own)["sparkConf"]["spark.hadoop.fs.s3a.endpoint"] == "http://other:9000"


def test_a_program_without_tries_is_never_started_again() -> None:
    assert spec(retries=0)["restartPolicy"] == {"type": "Never"}


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"command": ["python"]}, "command"),
        ({"language": "Scala"}, "mainClass"),
        ({"workers": 9, "elastic": {"least": 1, "most": 8}}, "elastic"),
        ({"eventLogs": "s3a://spark/events"}, "eventLogs"),
    ],
)
def test_what_spark_has_no_place_for_is_refused(values: dict[str, Any], field: str) -> None:
    assert [name for name, _ in problems("spark", **{**PROGRAM, **values})] == [field]
