"""Flyte's configuration has the fields that Flyte reads, and the jobs that its plugins write are taken under its account.

No registry has the program: flyteadmin and datacatalog 1.16.8 are served by no proxy of Go modules. So the fields are those that its source
declares, with file and line (`programs/flyte/sections.yaml`), and the jobs are written here as the plugins of flyteplugins
1.16.8 write them. A named stand-in stores them: the tests' client with a token of Flyte's account. The API server is real.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from platform_def.components.pipelines.flyte.configure import credentials
from platform_def.components.pipelines.flyte.plugins import PLUGINS, FlytePlugin
from platform_def.yaml import load
from tests.cluster import rights
from tests.cluster.client import Api, Manifest
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.machines import PROGRAMS
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of, rendered_stack
from tests.cluster.waves import apply_in_waves, refusals

pytestmark = pytest.mark.cluster

HOME = "vision-development"
OPERATORS = ("training-operator", "kuberay-operator", "spark-operator")
STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
nodePools:
  - {name: cpu, nodes: 2, selector: {pool: cpu}}
storage:
  shared: {driver: existing, accessModes: [ReadWriteOnce, ReadWriteMany], default: true}
components:
  flyte: {access: administrators, projects: [vision], podTemplate: tasks, publicStore: "https://store.example.com"}
  postgresql: {}
  seaweedfs: {}
  training-operator: {}
  kuberay-operator: {}
  spark-operator: {}
teams:
  - {name: vision}
"""
IMAGE = "registry.example.com/train:1"
ROLE, ACCOUNT = "flyte-binary-cluster-role", "flyte-binary"


def template(container: str, *words: str, **more: Any) -> Manifest:
    """A task's pod, as flytek8s writes it."""
    main = {"name": container, "image": IMAGE, "args": [*words], "terminationMessagePolicy": "FallbackToLogsOnError"}
    pod = {"containers": [{**main, **more}], "restartPolicy": "Never", "serviceAccountName": "default"}
    return {"metadata": {"labels": {"execution-id": "run"}}, "spec": pod}


def role(container: str, replicas: int) -> Manifest:
    """A role of a job, by kfoperators/common/common_operator.go:293."""
    return {"replicas": replicas, "template": template(container, "python", "train.py"), "restartPolicy": "Never"}


def ray_group(name: str, *, port: int) -> Manifest:
    """Pods of Ray, by k8s/ray/ray.go:370 and 228."""
    return template(name, ports=[{"name": "redis", "containerPort": port}])


POD: Manifest = {
    "image": IMAGE,
    "labels": {"execution-id": "run"},
    "env": [{"name": "FLYTE_MAX_ATTEMPTS", "value": "1"}],
    "schedulerName": "",
    "hostNetwork": False,
    "serviceAccount": "spark",
    "memory": "1g",
    "cores": 1,
}
"""Driver and executor, by k8s/spark/spark.go:178."""
SPECS: Mapping[str, Manifest] = {
    # kfoperators/pytorch/pytorch.go:155
    "pytorch": {"pytorchReplicaSpecs": {"Master": role("pytorch", 1), "Worker": role("pytorch", 2)}, "runPolicy": {}},
    # kfoperators/tensorflow/tensorflow.go:134
    "tensorflow": {"tfReplicaSpecs": {"Chief": role("tensorflow", 1), "PS": role("tensorflow", 1)}, "runPolicy": {}},
    # kfoperators/mpi/mpi.go:134
    "mpi": {
        "slotsPerWorker": 1,
        "runPolicy": {},
        "mpiReplicaSpecs": {"Launcher": role("mpi", 1), "Worker": role("mpi", 2)},
    },
    # k8s/ray/ray.go:272
    "ray": {
        "entrypoint": "python train.py",
        "shutdownAfterJobFinishes": True,
        "ttlSecondsAfterFinished": 3600,
        "submitterPodTemplate": template("ray-submitter"),
        "rayClusterSpec": {
            "enableInTreeAutoscaling": False,
            "headGroupSpec": {
                "template": ray_group("ray-head", port=6379),
                "serviceType": "NodePort",
                "enableIngress": True,
                "rayStartParams": {"include-dashboard": "true", "node-ip-address": "$MY_POD_IP"},
            },
            "workerGroupSpecs": [
                {
                    "groupName": "workers",
                    "replicas": 2,
                    "minReplicas": 2,
                    "maxReplicas": 2,
                    "rayStartParams": {"node-ip-address": "$MY_POD_IP"},
                    "template": ray_group("ray-worker", port=6379),
                }
            ],
        },
    },
    # k8s/spark/spark.go:310, which says no version of Spark
    "spark": {
        "type": "Python",
        "sparkVersion": "",
        "image": IMAGE,
        "mode": "cluster",
        "mainApplicationFile": "local:///app/train.py",
        "sparkConf": {"spark.executor.instances": "2"},
        "driver": POD,
        "executor": {**POD, "instances": 2},
        "restartPolicy": {"type": "OnFailure", "onSubmissionFailureRetries": 14},
    },
}
VERSIONS = {"ray": "ray.io/v1", "spark": "sparkoperator.k8s.io/v1beta2"}
"""By which version a plugin makes its jobs: the others by v1 of the training operator's."""


@dataclass(frozen=True)
class Flyte:
    """What is rendered, and a cluster that takes jobs."""

    control_plane: ControlPlane
    objects: list[Manifest]

    def one(self, kind: str, name: str) -> Manifest:
        """An object of the component."""
        (found,) = (each for each in self.objects if (each["kind"], each["metadata"]["name"]) == (kind, name))
        return found

    def refusal(self, job: Manifest) -> str:
        """Store a job as Flyte's account: nothing, or why it may not."""
        control_plane, ask = (
            self.control_plane,
            {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}},
        )
        path = f"/api/v1/namespaces/flyte/serviceaccounts/{ACCOUNT}/token"
        token = control_plane.api.request("POST", path, ask).body["status"]["token"]
        own = Api(control_plane.folder / "api.sock", authority=control_plane.pki.authority, token=token)
        at = (control_plane.api.path(job) or "").rpartition("/")[0]
        reply = own.request("POST", f"{at}?fieldValidation=Strict", job)
        own.close()
        return "" if reply.status == 201 else reply.message


@pytest.fixture(scope="module")
def flyte(programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flyte]:
    """A cluster with the definitions of all jobs, and Flyte's account with its rights."""
    stack = rendered_stack(tmp_path_factory.mktemp("flyte"), STACK, name="flyte")
    objects = [each.manifest for each in stack.components["flyte"].objects]
    definitions = crds_of([each.manifest for name in OPERATORS for each in stack.components[name].objects])
    spaces = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in ("flyte", HOME)]
    kinds = ("ServiceAccount", "ClusterRole", "ClusterRoleBinding")
    wanted = [each for each in objects if each["kind"] in kinds and each["metadata"]["name"].startswith("flyte-")]
    with ControlPlane(programs, data=snapshot(programs, definitions)) as control_plane:
        assert not refusals(found := apply_in_waves(control_plane.api, [*spaces, *wanted])), found
        yield Flyte(control_plane, objects)


def unknown(content: Any, known: Any, path: str = "") -> Iterator[str]:
    """Fields of the configuration that Flyte does not declare."""
    if not isinstance(content, dict) or not isinstance(known, dict):
        yield from () if isinstance(known, str) and not isinstance(content, dict) else (path,)
        return
    for name, value in content.items():
        declared = known.get(name, known.get("*"))
        yield from (f"{path}.{name}",) if declared is None else unknown(value, declared, f"{path}.{name}")


def configuration(flyte: Flyte) -> list[Any]:
    """All files, and the one that the init container writes."""
    files = flyte.one("ConfigMap", "flyte-binary-config")["data"]
    variables = {"DB_USER": "u", "DB_PASSWORD": "p", "STORE_ACCESS_KEY": "a", "STORE_SECRET_KEY": "s"}
    return [
        *(load(text.encode(), file=name) for name, text in files.items() if name.endswith(".yaml")),
        credentials(variables),
    ]


def test_each_field_of_its_configuration_is_one_that_flyte_reads(flyte: Flyte) -> None:
    known = load((PROGRAMS / "flyte" / "sections.yaml").read_bytes(), file="sections.yaml")

    assert [each for content in configuration(flyte) for each in unknown(content, known)] == []
    assert [*unknown({"propeller": {"createCrd": False}}, known)] == [".propeller.createCrd"]
    assert [*unknown({"database": {"postgres": {"host": {}}}}, known)] == [".database.postgres.host"]


def test_each_plugin_that_is_on_is_one_whose_jobs_are_tried_here(flyte: Flyte) -> None:
    (plugins,) = (each["tasks"]["task-plugins"] for each in configuration(flyte) if "tasks" in each)

    assert {*plugins["enabled-plugins"]} == {"container", "sidecar", "k8s-array", "echo", *SPECS}
    # What Flyte itself asks at its start: a default is a plugin that is on.
    assert {*plugins["default-for-task-types"].values()} <= {*plugins["enabled-plugins"]}


@pytest.mark.parametrize("plugin", PLUGINS, ids=[each.name for each in PLUGINS])
def test_a_job_of_a_plugin_is_taken_under_its_account_and_not_without_the_right(
    flyte: Flyte, plugin: FlytePlugin
) -> None:
    kind, _, group = plugin.kind.partition(".")
    job = {
        "apiVersion": VERSIONS.get(plugin.name, "kubeflow.org/v1"),
        "kind": kind,
        "metadata": {"name": f"run-{plugin.name}", "namespace": HOME},
        "spec": SPECS[plugin.name],
    }

    api, granted = flyte.control_plane.api, flyte.one("ClusterRole", ROLE)
    with rights.without(api, granted, plugin.resource, ["create"], group=group):
        until(lambda: "cannot create resource" in flyte.refusal(job), seconds=rights.SECONDS, what="it is refused")
    until(lambda: "cannot create resource" not in flyte.refusal(job), seconds=rights.SECONDS, what="the right is back")
    assert api.read(job).status == 200, flyte.refusal(job)


def may(flyte: Flyte, namespace: str) -> bool:
    """Whether a driver of Spark in a namespace of Flyte's may make executors in another."""
    asked = {"verb": "create", "resource": "pods", "namespace": namespace}
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {"user": f"system:serviceaccount:{HOME}:spark", "resourceAttributes": asked},
    }
    path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
    return bool(flyte.control_plane.api.request("POST", path, body).body["status"]["allowed"])


def test_flyte_may_give_drivers_of_spark_their_role_in_its_namespaces_and_no_other_role(flyte: Flyte) -> None:
    data = flyte.one("ConfigMap", f"{ACCOUNT}-cluster-resource-templates")["data"]
    texts = (data[name].replace("{{ namespace }}", HOME) for name in sorted(data))
    _, account, binding = (cast("Manifest", load(each.encode(), file="template")) for each in texts)
    other: Manifest = {**binding, "metadata": {**binding["metadata"], "name": "more"}}
    other["roleRef"] = {**binding["roleRef"], "name": "cluster-admin"}
    api, granted = flyte.control_plane.api, flyte.one("ClusterRole", ROLE)

    assert not may(flyte, HOME)
    assert flyte.refusal(account) == ""
    with rights.without(api, granted, "clusterroles", ["bind"], group="rbac.authorization.k8s.io"):
        until(lambda: "attempting to grant" in flyte.refusal(binding), seconds=rights.SECONDS, what="it is refused")
    until(lambda: flyte.refusal(binding) == "", seconds=rights.SECONDS, what="the right is back")
    until(lambda: may(flyte, HOME), seconds=rights.SECONDS, what="drivers make executors")
    assert not may(flyte, "default")
    assert "attempting to grant" in flyte.refusal(other)
