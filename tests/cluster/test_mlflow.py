"""MLflow records a run, keeps a model and hands it out again after a restart, as the stack renders it: with its own accounts, a
database and an object store of the stack. A model that is registered there is served by the template `serve`.

Real: MLflow 3.18.0 as server and client, SeaweedFS, Debian's PostgreSQL, the Jobs that make Secrets, bucket, keys and database,
KServe's fetcher and its server of scikit-learn, and the API server with its controllers and scheduler. Played: the kubelet, which runs
each container as processes; images, of which MLflow's has none of the packages for numbers that the real one has; and what KServe's
webhook makes of an InferenceService (`test_kserve.py` has the real one).
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from platform_def.components.models.mlflow.config import METRICS as MLFLOW
from platform_def.components.storage.seaweedfs.observation import METRICS as SEAWEEDFS
from platform_def.components.storage.seaweedfs.pods import METRICS_PORT
from platform_def.constructs.security import RESTRICTED
from tests.cluster.client import Manifest
from tests.cluster.conftest import or_skip, show_logs
from tests.cluster.environments import obtain
from tests.cluster.fed import unfed
from tests.cluster.flow_stores import postgres_folder, postgresql, python, seaweedfs
from tests.cluster.flows import FlowBench, flow_bench
from tests.cluster.kubelet.image import Image
from tests.cluster.machines import PROGRAMS
from tests.cluster.scrape import differences, faults, page_of_pod, read, unserved
from tests.cluster.stacks import rendered_stack
from tests.cluster.tools import MissingToolError, module_folder

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.own_network,
    pytest.mark.skipif(postgres_folder() is None, reason="no PostgreSQL: apt-get install postgresql"),
]

HOME, TEAM, SERVER = "mlflow", "team-vision", "mlflow.mlflow.svc.cluster.local"
COMPONENTS = ("seaweedfs", "postgresql", "mlflow")
IMAGE, SERVING = "ghcr.io/mlflow/mlflow:", "docker.io/kserve/sklearnserver:"
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
SERVED = """\
  cert-manager: {}
  kserve: {}
teams: [{name: vision}]
serving:
  - {template: serve, name: flowers, team: vision, model: "ADDRESS", format: sklearn, runtime: kserve-sklearnserver}
"""
ASKED = [[1.0, 0.5, 0.25, 0.0], [-1.0, 0.5, 0.25, 0.0]]
"""What `programs/models/fitted.py` has asked its model."""
NUMBERS = count()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where programs of the team find the model that is fitted."""
    return tmp_path_factory.mktemp("fitted")


@pytest.fixture(scope="module")
def fitted(folder: Path) -> list[int]:
    """What a model of scikit-learn answers that is fitted by the packages of its server."""
    argv = [str(or_skip(lambda: obtain("kserve"))), str(PROGRAMS / "models" / "fitted.py"), str(folder)]
    told: list[int] = json.loads(subprocess.run(argv, capture_output=True, text=True, check=True).stdout)
    return told


def serving() -> dict[str, Image]:
    """The image of KServe's fetcher and of its server of scikit-learn; none where these cannot be had."""
    try:
        packages, source = obtain("kserve"), module_folder("kserve-manager") / "python"
    except MissingToolError:
        return {}
    files = {"/programs": str(PROGRAMS), "/fetcher": str(source / "storage-initializer" / "scripts")}
    variables = {"PYTHONPATH": str(source / "sklearnserver"), "HOME": "/tmp"}
    return {SERVING: Image((str(packages.parent),), variables, files)}


@pytest.fixture(scope="module")
def running(
    programs: Mapping[str, Path], folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[FlowBench]:
    """The cluster with server, store and database."""
    interpreter = or_skip(lambda: obtain("mlflow"))
    server = {IMAGE: Image((str(interpreter.parent),), {}, {"/programs": str(PROGRAMS), "/fitted": str(folder)})}
    images = {**server, **serving(), **python(), **seaweedfs(programs), **postgresql()}
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
    logs = (bench.folder / "pods" / home).glob(f"{name}*/*/{spec['containers'][0]['name']}.log")
    said = "".join(each.read_text(errors="replace") for each in sorted(logs))
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


def test_mlflow_counts_as_its_table_says(
    models: FlowBench, recorded: dict[str, Any], programs: Mapping[str, Path]
) -> None:
    quoting = "import json, sys; print(json.dumps({'page': sys.stdin.read()}))"
    asking = f'curl -sSf -u "admin:$MLFLOW_TRACKING_PASSWORD" http://{SERVER}'
    body = """-H 'Content-Type: application/json' -d '{"max_results": 1}'"""
    searching = f"{asking}/mlflow/api/2.0/mlflow/experiments/search {body} > /dev/null"
    script = f'{searching} && {asking}/metrics | python3 -c "{quoting}"'
    early, page = (read(told(models, script)["page"]) for _ in range(2))

    assert recorded["run"]
    # No request has ended in an exception.
    assert unserved(page, [MLFLOW]) == {"mlflow_http_request_exceptions_total"}
    assert [*differences(page, [MLFLOW])] == []
    assert unfed("mlflow", [early, page], engine=programs["prometheus-engine"]) == []


def test_seaweedfs_counts_as_its_table_says(
    models: FlowBench, recorded: dict[str, Any], programs: Mapping[str, Path]
) -> None:
    assert recorded["run"]
    # What is in buckets is counted once a minute.
    models.wait(
        lambda: not unserved(page_of_pod(models, "seaweedfs", "seaweedfs", METRICS_PORT), [SEAWEEDFS]), "all is counted"
    )
    page = page_of_pod(models, "seaweedfs", "seaweedfs", METRICS_PORT)

    assert faults(page, [SEAWEEDFS], program=programs["weed"]) == []
    assert unfed("seaweedfs", [page], engine=programs["prometheus-engine"]) == []


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


@dataclass(frozen=True)
class Served:
    """What the stack renders for a model of the registry."""

    service: Manifest
    configuration: Mapping[str, str]
    runtime: Manifest

    @property
    def address(self) -> str:
        """Where KServe fetches it."""
        return str(self.service["spec"]["predictor"]["model"]["storageUri"])

    def variables(self, bench: FlowBench) -> list[Manifest]:
        """What KServe's webhook gives the container that fetches: the store, and the key in the Secret of the account."""
        said = json.loads(self.configuration["credentials"])["s3"]
        account = bench.object("ServiceAccount", self.service["spec"]["predictor"]["serviceAccountName"], TEAM)
        (secret,) = account["secrets"]
        keys = {"AWS_ACCESS_KEY_ID": said["s3AccessKeyIDName"], "AWS_SECRET_ACCESS_KEY": said["s3SecretAccessKeyName"]}
        plain = {
            "AWS_ENDPOINT_URL": f"{'https' if said['s3UseHttps'] == '1' else 'http'}://{said['s3Endpoint']}",
            "AWS_DEFAULT_REGION": said["s3Region"],
            "S3_USE_HTTPS": said["s3UseHttps"],
            "S3_VERIFY_SSL": said["s3VerifySSL"],
        }
        return [
            *({"name": name, "value": value} for name, value in plain.items()),
            *(
                {"name": name, "valueFrom": {"secretKeyRef": {"name": secret["name"], "key": key}}}
                for name, key in keys.items()
            ),
        ]


@pytest.fixture(scope="module")
def served(running: FlowBench, fitted: list[int], tmp_path_factory: pytest.TempPathFactory) -> Served:
    """A model that a program registers, once it is fitted, by the address that MLflow gives it."""
    address = told(running, "python3 /programs/models/records.py register /fitted/model.joblib")["address"]
    stack = rendered_stack(tmp_path_factory.mktemp("served"), STACK + SERVED.replace("ADDRESS", address), name="served")

    def objects(component: str, kind: str) -> list[Manifest]:
        return [each.manifest for each in stack.components[component].objects if each.manifest["kind"] == kind]

    (service,) = objects("flowers", "InferenceService")
    (configuration,) = (each["data"] for each in objects("kserve", "ConfigMap") if "credentials" in each["data"])
    chosen = service["spec"]["predictor"]["model"]["runtime"]
    (runtime,) = (each for each in objects("kserve", "ClusterServingRuntime") if each["metadata"]["name"] == chosen)
    return Served(service, configuration, runtime)


def container(name: str, *command: str, **rest: Any) -> Manifest:
    """A container with KServe's programs, and the rights of its fetcher."""
    rights = {key: value for key, value in RESTRICTED.items() if key != "readOnlyRootFilesystem"}
    made = {"name": name, "image": f"{SERVING}v1", "command": [*command]}
    return {**made, "securityContext": {**rights, "runAsUser": 1000}, **rest}


def test_a_registered_model_is_served_from_the_address_that_mlflow_gives(
    models: FlowBench, served: Served, fitted: list[int]
) -> None:
    volume = [{"name": "model", "mountPath": "/mnt/models"}]
    fetcher = ("python3", "/fetcher/initializer-entrypoint", served.address, "/mnt/models")
    (program,) = served.runtime["spec"]["containers"]
    args = " ".join(each.replace("{{.Name}}", "flowers") for each in program["args"])
    asks = f"curl -sf localhost:8080/v1/models/flowers:predict -d '{json.dumps({'instances': ASKED})}'"
    asks += " -H 'content-type: application/json'"
    server = f'python3 -m sklearnserver {args} & until answer=$({asks}); do sleep 1; done; echo "$answer"'
    spec = {
        "serviceAccountName": served.service["spec"]["predictor"]["serviceAccountName"],
        "initContainers": [
            container("storage-initializer", *fetcher, env=served.variables(models), volumeMounts=volume)
        ],
        "containers": [container("kserve-container", "sh", "-c", server, volumeMounts=volume)],
        "securityContext": {"fsGroup": 1000},
        "volumes": [{"name": "model", "emptyDir": {}}],
    }

    assert served.address.startswith("s3://mlflow/")
    assert ended(models, "flowers", TEAM, spec)["predictions"] == fitted


def test_the_key_of_a_team_that_serves_reads_and_writes_nothing(models: FlowBench, recorded: dict[str, Any]) -> None:
    plan = json.loads(models.object("ConfigMap", "mlflow-bucket", "seaweedfs")["data"]["plan.json"])
    (secret,) = models.object("ServiceAccount", "mlflow-models", TEAM)["secrets"]
    plain = {"AWS_ENDPOINT_URL": f"http://{plan['host']}:{plan['port']}", "AWS_DEFAULT_REGION": plan["region"]}
    keys = {"AWS_ACCESS_KEY_ID": "accessKey", "AWS_SECRET_ACCESS_KEY": "secretKey"}
    env: list[Manifest] = [{"name": name, "value": value} for name, value in plain.items()]
    env += [{"name": name, "valueFrom": {"secretKeyRef": {**secret, "key": key}}} for name, key in keys.items()]
    command = ["python3", "/programs/models/keys.py", plan["bucket"], "1/"]
    asks = {**container("main", *command, env=env), "image": f"{IMAGE}client"}
    found = ended(models, "keys", TEAM, {"containers": [asks]})

    assert recorded["run"]
    assert found.pop("get") == ""
    assert found == dict.fromkeys(("put", "overwrite", "delete", "upload", "drop"), "AccessDenied")
