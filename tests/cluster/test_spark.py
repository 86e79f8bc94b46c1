"""Programs of the template `spark` run to their end: the operator submits them, drivers make their executors, and these train.

Real: the Spark operator's controller and webhook 2.5.2 with the accounts, rights and flags that the stack renders, Spark 4.0.1 with
its spark-submit, the API server with its controllers and scheduler. Played: the kubelet, and images; the entry point of Spark's own
image is a stand-in (`programs/spark/entry.sh`). Spark runs on Debian's Java.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from platform_def.components.pipelines.spark_operator.releases import METRICS
from platform_def.constructs.observation.controllers import CONTROLLER_RUNTIME
from tests.cluster.client import Manifest
from tests.cluster.conftest import or_skip, show_logs
from tests.cluster.control_plane import until
from tests.cluster.environments import obtain
from tests.cluster.fed import unfed
from tests.cluster.flows import FlowBench, flow_bench
from tests.cluster.kubelet.image import Image
from tests.cluster.machines import PROGRAMS
from tests.cluster.scrape import faults, page_of_pod

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.own_network,
    pytest.mark.skipif(shutil.which("java") is None, reason="no Java: apt-get install default-jre-headless"),
]

HOME, CORE, GROUP = "team-vision", "spark-operator", "sparkoperator.k8s.io"
CONTROLLER, WEBHOOK, DRIVER = "spark-operator-controller", "spark-operator-webhook", "spark-operator-spark"
SMALL = {
    "team": "vision",
    "cpu": "1",
    "memory": "1Gi",
    "driverMemory": "1Gi",
    "image": "spark/spark:4.0.1",
    "retries": 0,
}
# Spark's usual folder for this lies in a place that containers share with the machine here.
LOCAL = {"spark.local.dir": "/tmp/local", "spark.ui.showConsoleProgress": "false"}
SECONDS = 900.0
ENDS = ("COMPLETED", "FAILED", "SUBMISSION_FAILED")
UNHEARD = {
    CONTROLLER: "leader_election_master_status controller_runtime_webhook_* spark_executor_failure_count "
    "spark_application_failed_submission_count",
    WEBHOOK: "leader_election_master_status",
}
"""What has not happened to a program: one pod elects no leader, one program serves no webhook, no executor fails, and
nothing cannot be submitted."""
STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
nodePools:
  - {name: cpu, nodes: 2, selector: {pool: cpu}}
components:
  spark-operator: {}
teams:
  - {name: vision}
jobs:
"""


def program(name: str, *args: str, **more: Any) -> dict[str, Any]:
    """A program of Spark's."""
    said = {"template": "spark", "program": "local:///programs/spark/counts.py", "args": [*args], "sparkConf": LOCAL}
    return {**SMALL, **said, "name": name, **more}


JOBS = (
    program("fits", workers=2),
    program("fails", "0"),
    program("alone", "1"),
)


@pytest.fixture(scope="module")
def running(programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlowBench]:
    """The cluster with the operator."""
    interpreter = or_skip(lambda: obtain("spark"))
    (home,) = (interpreter.parent.parent / "lib").glob("python*/site-packages/pyspark")
    variables = {"SPARK_HOME": str(home), "PYSPARK_PYTHON": str(interpreter)}
    files = {"/programs": str(PROGRAMS), "/etc/passwd": str(PROGRAMS / "spark" / "passwd")}
    own = (str(programs["spark-operator"].parent), str(interpreter.parent))
    images = {
        "ghcr.io/kubeflow/spark-operator/": Image(own, variables, files, entrypoint=("spark-operator",), keeps=True),
        "spark/": Image((str(interpreter.parent),), variables, files, entrypoint=("bash", "/programs/spark/entry.sh")),
    }
    text = STACK + "".join(f"  - {json.dumps(job)}\n" for job in JOBS)
    root = tmp_path_factory.mktemp("spark")
    with flow_bench(root, programs, text, components=("spark-operator",), images=images) as bench:
        yield bench


@pytest.fixture
def spark(running: FlowBench, request: pytest.FixtureRequest) -> FlowBench:
    """The shared cluster; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    return running


def state(bench: FlowBench, application: Manifest) -> dict[str, str]:
    """State of a program, and what went wrong."""
    return dict(bench.status(application).get("applicationState") or {})


def trouble(bench: FlowBench, application: Manifest) -> str:
    """What the operator says went wrong."""
    return state(bench, application).get("errorMessage", "")


def wait(bench: FlowBench, holds: Callable[[], bool], what: str, application: Manifest) -> None:
    """Wait for what takes three starts of Java, and on a busy machine minutes for each."""
    try:
        until(holds, seconds=SECONDS, what=what, every=0.2)
    except TimeoutError as error:
        raise AssertionError(f"{error}\n{bench.told(application)}") from error


def run(bench: FlowBench, application: Manifest, *, ends: str = "COMPLETED") -> Manifest:
    """Run a program to its end; its status."""
    bench.store(application)
    name = application["metadata"]["name"]
    wait(bench, lambda: state(bench, application).get("state") in ENDS, f"{name} ends", application)
    assert state(bench, application)["state"] == ends, bench.told(application)
    return bench.status(application)


def again(bench: FlowBench, job: str, name: str) -> Manifest:
    """A program under another name."""
    application = bench.job(job)
    application["metadata"]["name"] = name
    return application


def forbidden(bench: FlowBench) -> list[str]:
    """What the operator was refused."""
    return [line for line in bench.log(CORE, "").splitlines() if "forbidden" in line]


def test_a_program_trains_on_all_its_executors_and_ends(spark: FlowBench) -> None:
    application = spark.job("fits")
    status = run(spark, application)

    told = [
        json.loads(line) for line in spark.log(HOME, status["driverInfo"]["podName"]).splitlines() if '"loss"' in line
    ]
    assert told[-1]["loss"] < told[0]["loss"] / 100
    assert {host for each in told for host in each["hosts"]} == {*status["executorState"]}
    assert len(status["executorState"]) == 2
    assert forbidden(spark) == []


def test_a_program_that_fails_is_said_to(spark: FlowBench, programs: Mapping[str, Path]) -> None:
    run(spark, again(spark, "fails", "fails-first"), ends="FAILED")
    early = page_of_pod(spark, CORE, CONTROLLER, 8080)
    status = run(spark, spark.job("fails"), ends="FAILED")
    pages = {name: page_of_pod(spark, CORE, name, 8080) for name in (CONTROLLER, WEBHOOK)}

    assert "no steps" in spark.log(HOME, status["driverInfo"]["podName"])
    assert "driver container failed" in status["applicationState"]["errorMessage"]
    # What ran before it, and it, are counted as the tables of both programs say.
    binary = programs["spark-operator"]
    found = faults(pages[CONTROLLER], [CONTROLLER_RUNTIME, METRICS], program=binary, silent=UNHEARD[CONTROLLER])
    found += faults(pages[WEBHOOK], [CONTROLLER_RUNTIME], program=binary, silent=UNHEARD[WEBHOOK])
    assert found == []
    read = {CONTROLLER: [early, pages[CONTROLLER]], WEBHOOK: [pages[WEBHOOK]]}
    assert unfed("spark-operator", read, engine=programs["prometheus-engine"]) == []


def test_the_webhook_refuses_what_spark_cannot_run(spark: FlowBench) -> None:
    application = again(spark, "alone", "old")
    application["spec"]["sparkVersion"] = "2.4.0"

    refusal = spark.control_plane.api.apply(application).refusal
    assert "denied the request" in refusal
    assert "Spark version 3.0.0 or higher" in refusal


def test_pods_that_spark_did_not_launch_do_not_wait_for_the_webhook(spark: FlowBench) -> None:
    (hook,) = (
        hook
        for hook in spark.object("MutatingWebhookConfiguration", WEBHOOK)["webhooks"]
        if hook["rules"][0]["resources"] == ["pods"]
    )
    drivers = spark.control_plane.api.get(f"/api/v1/namespaces/{HOME}/pods?labelSelector=spark-role=driver").body[
        "items"
    ]

    assert hook["objectSelector"]["matchLabels"] == {f"{GROUP}/launched-by-spark-operator": "true"}
    assert all(each["metadata"]["labels"][f"{GROUP}/launched-by-spark-operator"] == "true" for each in drivers)


@pytest.mark.parametrize("resource", ["configmaps", "pods", "services"])
def test_no_program_is_submitted_without_a_right_of_the_controller(spark: FlowBench, resource: str) -> None:
    role = spark.object("Role", f"{CONTROLLER}-programs", HOME)
    application = again(spark, "alone", f"without-{resource}")

    with spark.without(role, ("", resource, "create"), account=f"{CORE}:{CONTROLLER}", namespace=HOME):
        spark.store(application)
        wait(spark, lambda: "forbidden" in trouble(spark, application), "the submission is refused", application)

    assert f"{CORE}:{CONTROLLER}" in trouble(spark, application)


@pytest.mark.parametrize("resource", ["configmaps", "pods"])
def test_no_executor_starts_without_a_right_of_the_driver(spark: FlowBench, resource: str) -> None:
    role = spark.object("Role", DRIVER, HOME)
    application = again(spark, "alone", f"driver-without-{resource}")

    with spark.without(role, ("", resource, "create"), account=f"{HOME}:{DRIVER}", namespace=HOME):
        spark.store(application)
        driver = f"{application['metadata']['name']}-driver"
        wait(spark, lambda: "forbidden" in spark.log(HOME, driver), "the driver is refused", application)
        # Without the right to make ConfigMaps the pod of an executor is made first, and waits for its files.
        assert {*(spark.status(application).get("executorState") or {}).values()} <= {"PENDING"}
    spark.control_plane.api.request("DELETE", spark.control_plane.api.path(application) or "")
