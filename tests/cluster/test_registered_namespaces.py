"""A namespace that a person registers gets what teams of the stack have for pipelines, with a key for its own part of the bucket.

Real: Metacontroller and the hook, each as rendered and under its account, the API server with RBAC and Kubernetes' controllers,
SeaweedFS, and the Jobs that make its bucket, keys and Secrets. Played: the profile controller, whose namespaces have the labels
that the stack tells it; the kubelet, and images. There is no mesh, and no network policy is kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from platform_def.components.pipelines.metacontroller.observation import METRICS
from platform_def.constructs.observation.tables import TARGET
from platform_def.yaml import load
from tests.cluster.backups import said, secret
from tests.cluster.checkouts import METACONTROLLER
from tests.cluster.client import Manifest
from tests.cluster.conftest import or_skip, show_logs
from tests.cluster.flow_stores import python, seaweedfs
from tests.cluster.flows import FlowBench, flow_bench
from tests.cluster.kubelet.image import Image

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

TABLE = {name: {*series.labels} - {*TARGET} for name, series in METRICS.series.items()}
TEAM, ACCOUNT = "team-vision", "metacontroller:metacontroller"
HOOK, ROLE = "kfp-namespaces", "kfp-namespaces-metacontroller"
MADE = "metacontroller.k8s.io/decorator-controller"
COMPONENTS = ("kubeflow-roles", "profiles", "seaweedfs", "metacontroller", "kfp")
KINDS = (
    "Namespace", "ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding", "ConfigMap", "Secret", "Service",
    "StatefulSet", "PersistentVolumeClaim", "DecoratorController",
)  # fmt: skip
STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
gateway: istio-ingress-gateway
ingress: {kind: cloud, host: ml.example.com, tls: {secret: ml-example-com}}
nodePools:
  - {name: cpu, nodes: 2, selector: {pool: cpu}}
storage:
  shared: {driver: existing, accessModes: [ReadWriteOnce, ReadWriteMany], default: true}
external:
  identity: {issuer: "https://id.example.com"}
components:
  istio: {inject: [team-vision]}
  istio-cni: {}
  istio-ingress-gateway: {}
  argo-workflows: {artifacts: false}
  kubeflow-roles: {}
  profiles: {owners: {vision: ada@example.com}, selfRegistration: true}
  central-dashboard: {}
  mysql: {nativePassword: true}
  seaweedfs: {}
  metacontroller: {}
  kfp: {registeredNamespaces: true}
teams:
  - {name: vision}
"""
CURL = """curl -sS -o /tmp/said -w '%{http_code} ' --aws-sigv4 aws:amz:us-east-1:s3 -u "$ID:$KEY" """
WRITES = f"""\
set -eu
store=http://seaweedfs.seaweedfs.svc.cluster.local:8333/mlpipeline/private-artifacts
echo text > /tmp/text
{CURL} -T /tmp/text $store/ada/one
{CURL} $store/ada/one
{CURL} -T /tmp/text $store/{TEAM}/one
{CURL} $store/{TEAM}/one
"""


def taken(item: Manifest) -> Manifest | None:
    """What comes to the cluster: accounts, rights, settings, the store with its Jobs, Metacontroller and the hook."""
    kind, name = item["kind"], item["metadata"]["name"]
    if kind == "Deployment" and name in ("metacontroller", HOOK):
        made = deepcopy(item)
        (container,) = made["spec"]["template"]["spec"]["containers"]
        container["command"] = [
            each.rpartition("/")[2] if each.endswith("metacontroller") else each for each in container["command"]
        ]
        return made
    if kind == "CustomResourceDefinition":
        return item if item["spec"]["group"] == "metacontroller.k8s.io" else None
    if kind == "Job":
        return item if any(word in name for word in ("bucket", "artifact", "administrator", "seed")) else None
    return item if kind in KINDS else None


@pytest.fixture(scope="module")
def running(programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlowBench]:
    """The cluster with store, Metacontroller and hook."""
    program = or_skip(METACONTROLLER.obtain)["metacontroller"]
    images = {
        "ghcr.io/metacontroller/metacontroller:": Image((str(program.parent),)),
        **python(),
        **seaweedfs(programs),
    }
    root = tmp_path_factory.mktemp("registered")
    with flow_bench(root, programs, STACK, components=COMPONENTS, images=images, taken=taken) as bench:
        yield bench


@pytest.fixture
def bench(running: FlowBench, request: pytest.FixtureRequest) -> FlowBench:
    """The shared cluster; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    return running


def parsed(text: str) -> dict[str, set[str]]:
    """Labels of each series."""
    found: dict[str, set[str]] = {}
    for name, inside in re.findall(r"^(\w+)\{([^}]*)\} ", text, re.MULTILINE):
        found.setdefault(name, set()).update(re.findall(r'(\w+)="', inside))
    return found


def labels(bench: FlowBench) -> dict[str, str]:
    """Those that the stack tells the profile controller to give."""
    told = bench.object("ConfigMap", "profiles-namespace-labels-data")["data"]["namespace-labels.yaml"]
    found = load(told.encode(), file="namespace-labels.yaml")
    assert isinstance(found, dict)
    return {str(key): str(value) for key, value in found.items()}


def register(bench: FlowBench, name: str) -> Manifest:
    """A namespace as the profile controller makes it."""
    metadata = {"name": name, "labels": labels(bench), "annotations": {"owner": f"{name}@example.com"}}
    return bench.store({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})


def there(bench: FlowBench, namespace: str) -> dict[tuple[str, str], Manifest]:
    """What the namespace has of the kinds that the hook answers, but for what Kubernetes itself makes."""
    api, found = bench.control_plane.api, {}
    for kind, path in (
        ("ConfigMap", "/api/v1/namespaces/{}/configmaps"),
        ("ServiceAccount", "/api/v1/namespaces/{}/serviceaccounts"),
        ("RoleBinding", "/apis/rbac.authorization.k8s.io/v1/namespaces/{}/rolebindings"),
    ):
        for item in api.get(path.format(namespace)).body.get("items", []):
            if item["metadata"]["name"] not in ("kube-root-ca.crt", "default"):
                found[kind, item["metadata"]["name"]] = item
    return found


def rendered(bench: FlowBench, namespace: str) -> dict[tuple[str, str], str]:
    """What the stack renders for its team, with another name in it."""
    kinds = ("ConfigMap", "ServiceAccount", "RoleBinding")
    of_kfp = [item.manifest for item in bench.stack.components["kfp"].objects]
    found = [each for each in of_kfp if each["kind"] in kinds and each["metadata"].get("namespace") == TEAM]
    return {
        (each["kind"], each["metadata"]["name"]): content(each).replace(TEAM, namespace)
        for each in found
        if not each["metadata"]["name"].endswith("-generator")
    }


def content(item: Manifest) -> str:
    """What an object says, apart from what the server and Metacontroller write."""
    return json.dumps({key: item[key] for key in ("data", "roleRef", "subjects") if key in item}, sort_keys=True)


def events(bench: FlowBench, namespace: str) -> list[str]:
    """Why the hook's answer for a namespace was not carried out."""
    found = bench.control_plane.api.get("/api/v1/events").body["items"]
    return [
        each["message"]
        for each in found
        if (each["involvedObject"]["name"], each["reason"]) == (namespace, "SyncError")
    ]


def whole(bench: FlowBench, namespace: str) -> bool:
    """Whether everything is there, with the key."""
    made = bench.control_plane.api.get(f"/api/v1/namespaces/{namespace}/secrets/kfp-{namespace}-bucket").status == 200
    return made and there(bench, namespace).keys() == rendered(bench, namespace).keys()


def replicas(bench: FlowBench, number: int) -> None:
    """Scale the hook, and wait until so many pods of it are there and ready."""
    pods = f"/api/v1/namespaces/seaweedfs/pods?labelSelector=app.kubernetes.io/name={HOOK}"
    path = f"/apis/apps/v1/namespaces/seaweedfs/deployments/{HOOK}"
    patch = {"spec": {"replicas": number}}
    bench.control_plane.api.request("PATCH", path, patch, content="application/merge-patch+json")
    api = bench.control_plane.api

    def stands() -> bool:
        ready = api.get(path).body["status"].get("readyReplicas") or 0
        return ready == len(api.get(pods).body["items"]) == number

    bench.wait(stands, "it is scaled")


def metrics(bench: FlowBench) -> str:
    """What Metacontroller tells Prometheus."""
    return said(
        bench,
        "curl -sSf http://metacontroller.metacontroller.svc.cluster.local:9999/metrics",
        namespace="default",
        spec={},
    )


def test_a_registered_namespace_gets_what_a_team_has_and_a_key_that_opens_its_own_part_alone(bench: FlowBench) -> None:
    namespace = register(bench, "ada")
    bench.wait(lambda: whole(bench, "ada"), "the namespace has everything", namespace)
    values = {
        "ID": secret(bench, "ada", "kfp-ada-bucket", "accessKey"),
        "KEY": secret(bench, "ada", "kfp-ada-bucket", "secretKey"),
    }
    found = said(
        bench, WRITES, namespace="ada", spec={}, env=[{"name": name, "value": each} for name, each in values.items()]
    )

    assert {key: content(item) for key, item in there(bench, "ada").items()} == rendered(bench, "ada")
    assert found.split() == ["200", "200", "403", "403"]


def test_a_team_that_is_a_profile_too_keeps_what_the_stack_renders(bench: FlowBench) -> None:
    path = f"/api/v1/namespaces/{TEAM}"
    patch = {"metadata": {"labels": labels(bench)}}
    bench.control_plane.api.request("PATCH", path, patch, content="application/merge-patch+json")
    namespace = register(bench, "later")
    bench.wait(lambda: whole(bench, "later"), "one that came after it has everything", namespace)

    own = there(bench, TEAM).values()
    assert not [
        each for each in own if MADE in each["metadata"].get("annotations", {}) or "ownerReferences" in each["metadata"]
    ]
    assert events(bench, TEAM) == []


def test_what_is_changed_by_hand_is_put_back(bench: FlowBench) -> None:
    namespace = register(bench, "kim")
    bench.wait(lambda: whole(bench, "kim"), "the namespace has everything", namespace)
    path = "/api/v1/namespaces/kim/configmaps/kfp-launcher"
    patch = {"data": {"defaultPipelineRoot": "minio://elsewhere"}}
    bench.control_plane.api.request("PATCH", path, patch, content="application/merge-patch+json")

    wanted = rendered(bench, "kim")["ConfigMap", "kfp-launcher"]
    bench.wait(lambda: content(there(bench, "kim")["ConfigMap", "kfp-launcher"]) == wanted, "it is put back", namespace)


def test_while_the_hook_is_away_nothing_changes_and_what_waited_is_made_when_it_is_back(bench: FlowBench) -> None:
    before = register(bench, "before")
    bench.wait(lambda: whole(bench, "before"), "the namespace has everything", before)
    versions = {key: item["metadata"]["resourceVersion"] for key, item in there(bench, "before").items()}
    replicas(bench, 0)
    waits = register(bench, "waits")
    bench.wait(lambda: bool(events(bench, "waits")), "an event says why", waits)

    assert there(bench, "waits") == {}
    assert {key: item["metadata"]["resourceVersion"] for key, item in there(bench, "before").items()} == versions
    assert re.search(
        r'^workqueue_retries_total\{.*name="DecoratorController-kfp-namespaces"', metrics(bench), re.MULTILINE
    )
    replicas(bench, 1)
    bench.wait(lambda: whole(bench, "waits"), "what waited is made", waits)


@pytest.mark.parametrize(
    ("right", "name"),
    [
        (("", "configmaps", "create"), "without-configmaps"),
        (("rbac.authorization.k8s.io", "rolebindings", "create"), "without-bindings"),
        (("rbac.authorization.k8s.io", "clusterroles", "bind"), "without-bind"),
    ],
    ids=lambda each: each if isinstance(each, str) else each[1],
)
def test_without_a_right_an_event_says_so_and_nothing_of_that_is_made(
    bench: FlowBench, right: tuple[str, str, str], name: str
) -> None:
    role = bench.object("ClusterRole", ROLE)
    kind = "ConfigMap" if right[1] == "configmaps" else "RoleBinding"
    if right[2] == "bind":
        # It may not be asked of the server as others are: what counts is that the binding is refused.
        less = {**role, "rules": [each for each in role["rules"] if "bind" not in each["verbs"]]}
        bench.store(less)
        namespace = register(bench, name)
        bench.wait(
            lambda: any("attempting to grant" in each for each in events(bench, name)), "an event says why", namespace
        )
        bench.store(role)
    else:
        with bench.without(role, right, account=ACCOUNT, namespace=name):
            namespace = register(bench, name)
            bench.wait(lambda: any("forbidden" in each for each in events(bench, name)), "an event says why", namespace)

            assert not [key for key in there(bench, name) if key[0] == kind]
    bench.wait(lambda: whole(bench, name), "with the right it is made", namespace)


def test_answers_are_counted_as_alert_and_dashboard_expect(bench: FlowBench) -> None:
    found = parsed(metrics(bench))
    table = {name: labels for name, labels in TABLE.items() if name.startswith("metacontroller_sync_")}

    # Its hook is asked without TLS, and by the address that the name server is asked for.
    untold = {name for name in table if "_tls_" in name}
    assert {name for name in table if name not in found} <= untold
    assert all(found[name] == labels for name, labels in table.items() if name in found)
    assert found["workqueue_retries_total"] >= {"name"}


def test_a_namespace_that_goes_takes_everything_along(bench: FlowBench) -> None:
    namespace = register(bench, "gone")
    bench.wait(lambda: whole(bench, "gone"), "the namespace has everything", namespace)
    api = bench.control_plane.api
    api.request("DELETE", "/api/v1/namespaces/gone")

    bench.wait(lambda: api.get("/api/v1/namespaces/gone").status == 404, "the namespace is gone", namespace)
    assert there(bench, "gone") == {}


def test_no_secret_was_read_or_listed_by_those_who_make_this(bench: FlowBench) -> None:
    api: Any = bench.control_plane.api

    def may(account: str, verb: str) -> bool:
        asked = {"group": "", "resource": "secrets", "verb": verb, "namespace": "ada"}
        spec = {"user": f"system:serviceaccount:{account}", "resourceAttributes": asked}
        review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": spec}
        path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
        return bool(api.request("POST", path, review).body["status"]["allowed"])

    verbs = ("get", "list", "watch", "update", "delete")
    assert not [verb for verb in verbs for account in (ACCOUNT, f"seaweedfs:{HOOK}") if may(account, verb)]
    assert may(f"seaweedfs:{HOOK}", "create")
    assert not may(ACCOUNT, "create")
