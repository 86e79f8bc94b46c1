"""MLflow records a run, keeps a model and hands it out again after a restart, as the stack renders it: with its own accounts, a
database and an object store of the stack. The key of a team that serves models from there reads its bucket and writes nothing.

Real: MLflow 3.18.0 as server and client, SeaweedFS, Debian's PostgreSQL, the Jobs that make Secrets, bucket, keys and database, and
the API server with its controllers and scheduler. Played: the kubelet, which runs each container as processes, and images: MLflow's has
none of the packages for numbers that the real one has.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from platform_def.constructs.security import RESTRICTED
from tests.cluster.client import Manifest
from tests.cluster.conftest import or_skip, show_logs
from tests.cluster.environments import obtain
from tests.cluster.flow_stores import postgres_folder, postgresql, python, seaweedfs
from tests.cluster.flows import FlowBench, flow_bench
from tests.cluster.job_bench import PROGRAMS
from tests.cluster.kubelet.image import Image

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.own_network,
    pytest.mark.skipif(postgres_folder() is None, reason="no PostgreSQL: apt-get install postgresql"),
]

HOME, TEAM, SERVER = "mlflow", "team-vision", "mlflow.mlflow.svc.cluster.local"
COMPONENTS = ("seaweedfs", "postgresql", "mlflow")
IMAGE = "ghcr.io/mlflow/mlflow:"
STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
nodePools:
  - {name: cpu, nodes: 2, selector: {pool: cpu}}
storage:
  shared: {driver: existing, accessModes: [ReadWriteOnce, ReadWriteMany], default: true}
components:
  mlflow: {access: administrators, signIn: accounts, workers: 1, servingTeams: [vision]}
  postgresql: {}
  seaweedfs: {}
"""
TEAMS = "teams: [{name: vision}]\n"
NUMBERS = count()


@pytest.fixture(scope="module")
def running(programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlowBench]:
    """The cluster with server, store and database."""
    interpreter = or_skip(lambda: obtain("mlflow"))
    server = {IMAGE: Image((str(interpreter.parent),), {}, {"/programs": str(PROGRAMS)})}
    images = {**server, **python(), **seaweedfs(programs), **postgresql()}
    root = tmp_path_factory.mktemp("mlflow")
    with flow_bench(root, programs, STACK + TEAMS, components=COMPONENTS, images=images) as bench:
        yield bench


@pytest.fixture
def models(running: FlowBench, request: pytest.FixtureRequest) -> FlowBench:
    """The shared cluster; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    return running


@pytest.fixture(scope="module")
def recorded(running: FlowBench) -> dict[str, Any]:
    """A run with a model, which a program has left."""
    return told(running, "python3 /programs/models/records.py record")


def told(bench: FlowBench, command: str) -> dict[str, Any]:
    """What a program in a pod prints last, with the password of the first account."""
    name = f"asks-{next(NUMBERS)}"
    password = {"secretKeyRef": {"name": "mlflow-admin", "key": "password"}}
    container: Manifest = {
        "name": "main",
        "image": f"{IMAGE}client",
        "command": ["sh", "-c", command],
        "env": [
            {"name": "MLFLOW_TRACKING_URI", "value": f"http://{SERVER}/mlflow"},
            {"name": "MLFLOW_TRACKING_USERNAME", "value": "admin"},
            {"name": "MLFLOW_TRACKING_PASSWORD", "valueFrom": password},
            {"name": "MLFLOW_DISABLE_TELEMETRY", "value": "true"},
        ],
        "securityContext": {**RESTRICTED, "runAsUser": 1000},
    }
    return ended(bench, name, HOME, {"containers": [container]})


def ended(bench: FlowBench, name: str, home: str, spec: Manifest) -> dict[str, Any]:
    """What the first container of a pod prints last, as JSON, once the pod has ended well."""
    spec = {**spec, "restartPolicy": "Never", "activeDeadlineSeconds": 240}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": home}, "spec": spec}
    bench.store(pod)
    bench.wait(lambda: bench.status(pod).get("phase") in ("Succeeded", "Failed"), f"{name} ends", pod)
    said = bench.log(home, name)
    assert bench.status(pod)["phase"] == "Succeeded", said + bench.told(pod)
    found: dict[str, Any] = json.loads(said.splitlines()[-1])
    return found


def answered(bench: FlowBench, *arguments: str) -> int:
    """With which status the server answers a request for its experiments."""
    url = f"http://{SERVER}/mlflow/api/2.0/mlflow/experiments/search?max_results=1"
    words = " ".join(f'"{each}"' for each in ("curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", *arguments, url))
    return int(told(bench, f'printf \'{{"status": %s}}\' "$({words})"')["status"])


def restarted(bench: FlowBench) -> None:
    """Delete the server's pod, and wait until another one is ready."""
    api = bench.control_plane.api
    path = f"/api/v1/namespaces/{HOME}/pods"

    def pods() -> dict[str, Manifest]:
        found = api.get(f"{path}?labelSelector=app.kubernetes.io/name=mlflow").body["items"]
        return {each["metadata"]["uid"]: each for each in found}

    def ready(pod: Manifest) -> bool:
        conditions = pod.get("status", {}).get("conditions", [])
        return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)

    before = pods()
    for each in before.values():
        api.request("DELETE", f"{path}/{each['metadata']['name']}")
    bench.wait(lambda: any(ready(each) for uid, each in pods().items() if uid not in before), "the server is back")


def test_a_run_and_a_model_outlive_the_server(models: FlowBench, recorded: dict[str, Any]) -> None:
    assert recorded["run"]
    restarted(models)

    assert told(models, "python3 /programs/models/records.py load") == {
        "loss": 0.25,
        "rate": "0.1",
        "notes": "one two",
        "doubled": [2.0, 5.0],
        "artifacts": "mlflow-artifacts",
    }


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("-u", "admin:$MLFLOW_TRACKING_PASSWORD"), 200),
        (("-u", "admin:password1234"), 401),
        ((), 401),
        (("-u", "admin:$MLFLOW_TRACKING_PASSWORD", "-H", "Host: evil.example.com"), 403),
    ],
)
def test_the_server_asks_for_a_password_and_for_a_name_of_its_own(
    models: FlowBench, arguments: tuple[str, ...], status: int
) -> None:
    assert answered(models, *arguments) == status


def container(name: str, *command: str, **rest: Any) -> Manifest:
    """A container of a team's pod, with the rights of what fetches models."""
    rights = {key: value for key, value in RESTRICTED.items() if key != "readOnlyRootFilesystem"}
    made = {"name": name, "image": f"{IMAGE}client", "command": [*command]}
    return {**made, "securityContext": {**rights, "runAsUser": 1000}, **rest}


def test_the_key_of_a_team_that_serves_reads_and_writes_nothing(models: FlowBench, recorded: dict[str, Any]) -> None:
    plan = json.loads(models.object("ConfigMap", "mlflow-bucket", "seaweedfs")["data"]["plan.json"])
    (secret,) = models.object("ServiceAccount", "mlflow-models", TEAM)["secrets"]
    plain = {"AWS_ENDPOINT_URL": f"http://{plan['host']}:{plan['port']}", "AWS_DEFAULT_REGION": plan["region"]}
    keys = {"AWS_ACCESS_KEY_ID": "accessKey", "AWS_SECRET_ACCESS_KEY": "secretKey"}
    env: list[Manifest] = [{"name": name, "value": value} for name, value in plain.items()]
    env += [{"name": name, "valueFrom": {"secretKeyRef": {**secret, "key": key}}} for name, key in keys.items()]
    command = ["python3", "/programs/models/keys.py", plan["bucket"], "1/"]
    asks = container("main", *command, env=env)
    found = ended(models, "keys", TEAM, {"containers": [asks]})

    assert recorded["run"]
    assert found.pop("get") == ""
    assert found == dict.fromkeys(("put", "overwrite", "delete", "upload", "drop"), "AccessDenied")
