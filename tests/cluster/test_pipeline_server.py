"""What people may do through the server of Kubeflow Pipelines is what their roles say in each team's namespace, and its own rights are
enough for it.

Real: the API server with RBAC, Kubernetes' controller that joins ClusterRoles, and every account, role and binding that the stack
renders. Played: the server (`pipeline_server.py`), by its calls of Kubernetes. SQL and the store have no part here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from tests.cluster.client import Api, Manifest
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import start_kubernetes
from tests.cluster.pipeline_server import PipelineServer, RefusedError
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of, rendered_stack

pytestmark = pytest.mark.cluster

OWN, OTHER = "team-vision", "team-speech"
EDITOR, VIEWER = "li@example.com", "guest@example.com"
KINDS = ("Namespace", "ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding", "ConfigMap")
STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
gateway: istio-ingress-gateway
ingress: {kind: cloud, host: ml.example.com, tls: {secret: ml-example-com}}
storage:
  block: {driver: existing, default: true}
external:
  identity: {issuer: "https://id.example.com"}
components:
  istio: {}
  istio-cni: {}
  istio-ingress-gateway: {}
  argo-workflows: {artifacts: false}
  kubeflow-roles: {}
  profiles: {}
  mysql: {nativePassword: true}
  seaweedfs: {}
  kfp: {}
teams:
  - {name: vision, members: [{name: li@example.com}, {name: guest@example.com, role: view}]}
  - {name: speech, members: [{name: kim@example.com}]}
"""


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> list[Manifest]:
    """Accounts, rights and settings of the stack, with its CRDs."""
    stack = rendered_stack(tmp_path_factory.mktemp("server"), STACK, name="server")
    found = [item.manifest for part in stack.components.values() for item in part.objects]
    return [each for each in found if each["kind"] in (*KINDS, "CustomResourceDefinition")]


@pytest.fixture(scope="module")
def server(programs: Mapping[str, Path], objects: list[Manifest]) -> Iterator[PipelineServer]:
    """The stand-in, under the account of the server."""
    crds = [each for each in crds_of(objects) if each["spec"]["group"] == "argoproj.io"]
    with ControlPlane(programs, data=snapshot(programs, crds)) as control_plane:
        controllers = ["clusterrole-aggregation-controller", "serviceaccount-controller"]
        start_kubernetes(control_plane, programs, kwok=False, controllers=controllers)
        api = control_plane.api
        for kind in KINDS:
            results = api.apply_all([each for each in objects if each["kind"] == kind])
            assert [each.refusal for each in results if each.refusal] == []
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        token = api.request("POST", "/api/v1/namespaces/kubeflow/serviceaccounts/ml-pipeline/token", request)
        own = Api(api.socket, authority=control_plane.pki.authority, token=token.body["status"]["token"])
        with closing(own):
            made = PipelineServer(own, "pipeline-runner")
            until(lambda: may(made, EDITOR, "create", OWN), seconds=60, what="roles of people are joined")
            yield made


def may(server: PipelineServer, person: str, verb: str, namespace: str) -> bool:
    """Whether a person may do that to runs."""
    try:
        server.authorize(person, verb, namespace)
    except RefusedError:
        return False
    return True


def test_a_member_starts_reads_ends_and_deletes_runs_of_the_team_through_the_server(server: PipelineServer) -> None:
    assert server.create_run(EDITOR, OWN, "one").status == 201
    assert server.read_artifact(EDITOR, OWN, "one").status == 200
    assert server.terminate(EDITOR, OWN, "one").status == 200
    assert server.delete_run(EDITOR, OWN, "one").status == 200
    assert server.launcher(OWN).status == 200


def test_who_may_only_look_reads_artifacts_and_starts_nothing(server: PipelineServer) -> None:
    server.create_run(EDITOR, OWN, "two")

    assert server.read_artifact(VIEWER, OWN, "two").status == 200
    with pytest.raises(RefusedError, match="may not create runs"):
        server.create_run(VIEWER, OWN, "three")


@pytest.mark.parametrize("verb", ["get", "readArtifact", "create", "delete", "terminate"])
def test_runs_and_artifacts_of_another_team_are_refused(server: PipelineServer, verb: str) -> None:
    assert may(server, "kim@example.com", verb, OTHER)
    assert not may(server, EDITOR, verb, OTHER)


def test_the_server_reads_no_secret_of_a_team(server: PipelineServer) -> None:
    assert server.api.get(f"/api/v1/namespaces/{OWN}/secrets").status == 403
    assert server.api.get(f"/api/v1/namespaces/{OWN}/configmaps").status == 403
