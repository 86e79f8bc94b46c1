"""A ComputeDomain gets its daemons and the template of its claims, and goes with all of it, by NVIDIA's DRA driver 0.4.1.

Real: the driver's controller and webhook with their rendered flags, accounts and rights, cert-manager's CA injector,
Kubernetes' controllers and its scheduler, which gives out devices by the rendered classes. Played: nodes, kubelets (kwok),
the webhook's certificate, the plugin's devices and labels, and the daemons' reports.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.cluster import rights
from tests.cluster.client import Manifest
from tests.cluster.compute_domains import (
    CONTROLLER,
    DOMAINS,
    HOOK,
    LABEL,
    NAME,
    NODES,
    PROGRAM,
    TEAM,
    Driver,
    claim,
    domain_of,
    start_driver,
    worker_of,
)
from tests.cluster.conftest import show_logs
from tests.cluster.control_plane import ControlPlane
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of, rendered_stack
from tests.cluster.tools import KUBERNETES

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
availability: ha
nodePools:
  - {name: train, nodes: 2, selector: {pool: train}, gpu: {model: h100-80gb, perNode: 4}}
components:
  nvidia-dra-driver: {webhook: true}
  cert-manager: {}
teams: [{name: vision}]
"""
EVERYWHERE, HERE = f"{NAME}-clusterrole-controller", f"{NAME}-role-controller"
NEEDED = {
    (DOMAINS, "computedomains", "update"): ("ClusterRole", EVERYWHERE),
    ("resource.k8s.io", "resourceclaimtemplates", "create"): ("ClusterRole", EVERYWHERE),
    ("apps", "daemonsets", "create"): ("Role", HERE),
}
"""Rights without which nothing becomes of a domain, and the role that grants each."""


@pytest.fixture(scope="module")
def running(
    binaries: Mapping[str, Path], programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Driver]:
    """The cluster with the driver's programs."""
    stack = rendered_stack(tmp_path_factory.mktemp("domains"), STACK, name="domains")
    objects = [item.manifest for each in stack.components.values() for item in each.objects]
    names = (*KUBERNETES, "cert-manager-programs", PROGRAM, HOOK)
    wanted = {name: programs[name] for name in names}
    with ControlPlane(binaries, data=snapshot(binaries, crds_of(objects))) as control_plane:
        with control_plane.explaining():
            driver = start_driver(control_plane, wanted, objects)
        yield driver


@pytest.fixture
def driver(running: Driver, request: pytest.FixtureRequest) -> Iterator[Driver]:
    """The shared cluster without domains; the controller was refused nothing that a test did not take from it."""
    show_logs(request, running.control_plane)
    yield running
    while running.made:
        running.remove(running.made.pop())
    refused = running.controller.forbidden()
    running.controller.log.write_text("")

    assert refused == []


def made(driver: Driver, name: str) -> Manifest:
    """A stored domain, once there is all that it consists of."""
    domain = driver.make(domain_of(name))
    driver.wait(lambda: bool(driver.daemons(domain)) and len(driver.templates(domain)) == 2, f"{name} is there")
    return domain


def test_a_domain_gets_daemons_and_templates_of_claims(driver: Driver) -> None:
    domain = made(driver, "resnet")
    (daemons,), templates = driver.daemons(domain), driver.templates(domain)
    told = {each["name"]: each.get("value") for each in driver.controller.spec["env"]}
    pod = daemons["spec"]["template"]["spec"]

    assert templates[TEAM]["metadata"]["name"] == "resnet-channel"
    assert {*templates} == {TEAM, NAME}
    assert pod["containers"][0]["image"] == told["IMAGE_NAME"]
    assert driver.controller.object("ServiceAccount", pod["serviceAccountName"])["metadata"]["namespace"] == NAME
    classes = {
        each["spec"]["spec"]["devices"]["requests"][0]["exactly"]["deviceClassName"] for each in templates.values()
    }
    assert all(driver.controller.object("DeviceClass", name) for name in classes)
    assert driver.control_plane.api.read(domain).body["metadata"]["finalizers"] == [LABEL]


def test_a_domain_is_ready_when_its_daemons_are_on_all_its_nodes(driver: Driver) -> None:
    domain = made(driver, "ready")
    driver.wait(lambda: driver.status(domain) == "NotReady", "it waits for nodes")
    driver.join(domain)
    driver.wait(lambda: len(driver.pods(domain)) == len(NODES), "a daemon runs on each node")
    driver.report(domain)
    # It is ready as soon as the pods of its daemons are, before it has heard of the nodes.
    driver.wait(lambda: driver.nodes(domain) == dict.fromkeys(NODES, "Ready"), "it knows of its nodes")

    assert driver.status(domain) == "Ready"


def test_a_pod_that_works_in_a_domain_gets_a_channel(driver: Driver) -> None:
    made(driver, "work")
    worker = driver.make(worker_of("work"))
    api = driver.control_plane.api
    driver.wait(lambda: api.read(worker).body["status"]["phase"] == "Running", "it runs")
    (named,) = api.read(worker).body["status"]["resourceClaimStatuses"]
    path = f"/apis/resource.k8s.io/v1/namespaces/{TEAM}/resourceclaims/{named['resourceClaimName']}"
    (given,) = api.get(path).body["status"]["allocation"]["devices"]["results"]

    assert (given["driver"], given["device"]) == ("compute-domain.nvidia.com", "channel-0")


def test_a_domain_goes_with_all_that_was_made_for_it(driver: Driver) -> None:
    domain = made(driver, "gone")
    driver.join(domain)
    driver.wait(lambda: len(driver.pods(domain)) == len(NODES), "a daemon runs on each node")
    driver.remove(driver.made.pop())

    assert driver.daemons(domain) == []
    assert driver.templates(domain) == {}
    assert driver.found("/api/v1/nodes", domain) == []


@pytest.mark.parametrize("right", NEEDED, ids=lambda right: right[1])
def test_without_a_right_nothing_becomes_of_a_domain(driver: Driver, right: tuple[str, str, str]) -> None:
    (kind, role), name = NEEDED[right], f"no-{right[1]}"
    with rights.withheld(driver.controller, right, role=role, kind=kind):
        domain = driver.make(domain_of(name))
        assert right[1] in driver.controller.refusal()
        assert driver.daemons(domain) == []

    driver.wait(lambda: bool(driver.daemons(domain)) and len(driver.templates(domain)) == 2, "with the right it does")
    driver.controller.log.write_text("")


def test_without_the_right_to_change_nodes_a_domain_stays(driver: Driver) -> None:
    domain = made(driver, "stays")
    driver.join(domain)
    api, right = driver.control_plane.api, ("", "nodes", "update")
    with rights.withheld(driver.controller, right, role=EVERYWHERE):
        assert api.request("DELETE", api.path(domain) or "").status == 200
        assert "nodes" in driver.controller.refusal()
        assert api.read(domain).status == 200

    driver.wait(lambda: api.read(domain).status == 404, "with the right it goes")
    driver.made.pop()
    driver.controller.log.write_text("")


def test_the_controller_holds_the_lease_by_which_replicas_agree(driver: Driver) -> None:
    path = f"/apis/coordination.k8s.io/v1/namespaces/{NAME}/leases/{CONTROLLER}"

    assert driver.control_plane.api.get(path).body["spec"]["holderIdentity"].startswith(CONTROLLER)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"sharin": {}}, 'unknown field "sharin"'),
        ({"kind": "Card"}, 'no kind "Card" is registered'),
    ],
    ids=["key", "kind"],
)
def test_what_the_driver_would_not_read_is_refused_by_its_webhook(
    driver: Driver, config: Mapping[str, object], said: str
) -> None:
    refusal = driver.control_plane.api.apply(claim(config), dry_run=True).refusal

    assert 'admission webhook "gpu.nvidia.com" denied the request' in refusal
    assert said in refusal
