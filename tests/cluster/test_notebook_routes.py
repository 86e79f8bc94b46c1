"""The routes that Kubeflow's notebook programs write at run time: served by a real istiod and Envoy, to those alone who are known.

Stand-ins: the programs, read in source (`notebook_writers.py`), with the variables that dist gives them. The rest is as in
`test_gateways.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from platform_def.constructs import Route
from platform_def.yaml import load
from tests.cluster import notebook_writers as writers
from tests.cluster.client import Manifest
from tests.cluster.committed import in_dist, in_stack
from tests.cluster.conftest import or_skip, show_logs
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.door import SERVERS, envoy_program
from tests.cluster.mesh import Mesh, start_mesh
from tests.cluster.notebook_writers import NAME, PORT, SERVED
from tests.cluster.people import endpoints
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of
from tests.cluster.test_gateways import objects_of, rendered
from tests.unit.constructs.samples import built

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

HOME = "here"
KIND_PORTS = [{"id": "jupyterlab", "port": PORT}]
SERVICES: Mapping[str, int] = {
    NAME: SERVED,
    f"{NAME}-board": SERVED,
    f"pvcviewer-{NAME}": SERVED,
    f"ws-{NAME}-r7mq4": PORT,
}
"""Of the programs' making, with their ports."""
ASKED: Mapping[str, tuple[str, str]] = {
    "notebook": (f"/notebook/{HOME}/{NAME}/api/status?a=1", f"/notebook/{HOME}/{NAME}/api/status?a=1"),
    "tensorboard": (f"/tensorboard/{HOME}/{NAME}-board/data/runs", "/data/runs"),
    "viewer": (f"/pvcviewers/{HOME}/{NAME}/files/", "/files/"),
    "workspace": (
        f"/workspace/connect/{HOME}/{NAME}/jupyterlab/lab",
        f"/workspace/connect/{HOME}/{NAME}/jupyterlab/lab",
    ),
}
"""What a browser asks for, and what the server behind is asked."""


def read(part: str, kind: str, name: str) -> Manifest:
    """An object of dist/."""
    found = in_dist(f"kubeflow/{part}")
    return next(each for each in found if (each["kind"], each["metadata"]["name"]) == (kind, name))


def variables(part: str, name: str) -> dict[str, str]:
    """The variables of a program's container that dist/ writes out."""
    (container, *_) = read(part, "Deployment", name)["spec"]["template"]["spec"]["containers"]
    return {each["name"]: each["value"] for each in container["env"] if "value" in each}


def routes() -> dict[str, Manifest]:
    """What each program writes."""
    (text,) = read("volumes-web-app", "ConfigMap", "volumes-web-app-viewer-spec")["data"].values()
    networking: dict[str, Any] = cast("Manifest", load(text, file="viewer"))["networking"]
    notebook = variables("notebook-controller", "notebook-controller-deployment")
    board = variables("tensorboard-controller", "tensorboard-controller-deployment")
    viewer = variables("pvcviewer-controller", "pvcviewer-controller-manager")
    workspace = {"ISTIO_HOSTS": notebook["ISTIO_HOST"], "ISTIO_GATEWAY": notebook["ISTIO_GATEWAY"]}
    return {
        "notebook": writers.notebook_route(notebook, NAME, HOME),
        "tensorboard": writers.tensorboard_route(board, f"{NAME}-board", HOME),
        "viewer": writers.viewer_route(viewer, networking, NAME, HOME),
        "workspace": writers.workspace_route(workspace, f"ws-{NAME}-r7mq4", KIND_PORTS, NAME, HOME),
    }


POLICIES = {
    "notebook": "notebook-controller",
    "tensorboard": "tensorboard-controller",
    "viewer": "pvcviewer-controller",
}
"""The components whose policies have the gateway ask who comes, by route."""


def policies(preview: Sequence[Manifest], provider: str) -> dict[str, Manifest]:
    """What has the gateway ask this provider, by route: of dist/, and for workspaces of the coverage stack."""
    found = {}
    for name, part in POLICIES.items():
        after = in_dist(f"kubeflow/{part}/after")
        (found[name],) = (each for each in after if each["kind"] == "AuthorizationPolicy")
    asks = [
        each for each in preview if each["kind"] == "AuthorizationPolicy" and each["spec"].get("action") == "CUSTOM"
    ]
    path = ASKED["workspace"][0].removesuffix(f"{HOME}/{NAME}/jupyterlab/lab")
    (found["workspace"],) = (each for each in asks if f"{path}*" in json.dumps(each["spec"]["rules"]))
    return {name: {**each, "spec": {**each["spec"], "provider": {"name": provider}}} for name, each in found.items()}


def services() -> Iterator[Manifest]:
    """The Services that the programs write, all of which lead to one server here."""
    address, port = SERVERS[HOME, "a"]
    for name, number in SERVICES.items():
        wanted = [{"name": "http", "port": number, "targetPort": port, "protocol": "TCP"}]
        made = {**writers.key("v1", "Service", name, HOME), "spec": {"ports": wanted}}
        yield made
        yield endpoints(made, address, {"http": port})


@pytest.fixture(scope="module")
def running(
    tmp_path_factory: pytest.TempPathFactory,
    binaries: Mapping[str, Path],
    programs: Mapping[str, Path],
    oauth2_proxy: Path | None,
) -> Iterator[Mesh]:
    """A mesh with the routes."""
    envoy, root = or_skip(envoy_program), tmp_path_factory.mktemp("notebook-routes")
    stack = rendered(root, "istio")
    objects = objects_of(stack)
    plain = built(lambda self: Route(self, "plain", path="/plain/", service="a"), platform=stack.platform)
    asked = [each.manifest for each in plain.objects]
    (provider,) = (each["spec"]["provider"]["name"] for each in asked if each["kind"] == "AuthorizationPolicy")
    asks = policies(in_stack("coverage/notebooks"), provider)
    made = {"plain": asked, **{name: [each, asks[name]] for name, each in routes().items()}}
    with ControlPlane(binaries, data=snapshot(binaries, crds_of(objects))) as control_plane, control_plane.explaining():
        yield start_mesh(
            control_plane,
            [*objects, *services()],
            made,
            istiod=programs["istiod"],
            envoy=envoy,
            oauth2_proxy=oauth2_proxy,
        )


@pytest.fixture
def mesh(running: Mesh, request: pytest.FixtureRequest) -> Mesh:
    """The shared mesh; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    return running


@pytest.mark.parametrize("name", ASKED)
def test_who_is_known_reaches_the_program_by_the_route_that_its_controller_writes(mesh: Mesh, name: str) -> None:
    path, expected = ASKED[name]
    until(lambda: named(mesh, path) == "ada", seconds=START_SECONDS, what=f"the route of a {name}")
    found = mesh.door.get(path, headers={"kubeflow-userid": "somebody"})

    assert (found.asked["path"], found.asked["user"]) == (expected, "ada")
    # Sent to the page to sign in, or refused where a stand-in decides: the program is not asked.
    stranger = mesh.door.get(path, known=False)
    assert (stranger.status in (302, 401), stranger.asked) == (True, {})
    assert mesh.door.get(path.replace(f"/{NAME}", "/other")).status == 404


@pytest.mark.parametrize("name", ASKED)
def test_a_websocket_stays_open_on_the_routes_of_controllers(mesh: Mesh, name: str) -> None:
    path, _ = ASKED[name]
    until(lambda: mesh.door.get(path).status == 200, seconds=START_SECONDS, what=f"the route of a {name}")

    assert mesh.door.upgraded(path, b"said") == b"said"


def test_without_the_policy_of_its_path_anyone_would_be_whom_they_say(mesh: Mesh) -> None:
    """What the programs write asks no one: the components' policies do."""
    (policy,) = (each for each in mesh.routes["notebook"] if each["kind"] == "AuthorizationPolicy")
    path, api = ASKED["notebook"][0], mesh.control_plane.api
    until(lambda: named(mesh, path) == "ada", seconds=START_SECONDS, what="the gateway asks")
    api.request("DELETE", str(api.path(policy)))
    try:
        until(lambda: named(mesh, path) == "somebody", seconds=START_SECONDS, what="no one is asked")
    finally:
        assert api.apply(policy).stored


def named(mesh: Mesh, path: str) -> str:
    """Whom the program is told of, where the browser itself names somebody."""
    return str(mesh.door.get(path, headers={"kubeflow-userid": "somebody"}).asked.get("user"))


def test_the_gateway_that_the_routes_name_is_the_one_that_the_stack_has(mesh: Mesh) -> None:
    named = {each["spec"]["gateways"][0] for each in routes().values()}

    (gateway,) = named
    home, _, name = gateway.partition("/")
    found = writers.key("networking.istio.io/v1", "Gateway", name, home)
    assert mesh.control_plane.api.read(found).status == 200
