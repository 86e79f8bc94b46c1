"""From one revision of Istio to the next by the steps of its page: two real control planes, and requests all the while.

Real: both istiods with their rights, webhooks and settings, pilot-agent and Envoy of the gateway and of the pods. The old
ones are of a commit between the branch of 1.30 and its release, because none of 1.30 itself is to be had; the next ones are
of 1.31.1. Envoy is one of 1.39 for both. Played: see `proxies.py`, and the engine, whose part is to apply what is in dist/ and to remove what is no longer in it.
"""

from __future__ import annotations

import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from platform_def.constructs import Route
from tests.acceptance.sessions import blocks, steps
from tests.cluster.client import Key, Manifest
from tests.cluster.conftest import or_skip, show_logs
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.door import envoy_program, give_pods_addresses
from tests.cluster.pods import Program
from tests.cluster.proxies import Proxy, release_of
from tests.cluster.shop import HOME, QUIET, SYSTEM, Shop, around, led, pod
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import REPOSITORY, crds_of, rendered_stack
from tests.unit.constructs.samples import built

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

OLD, NEW = "1.30.4", "1.31.1"
OLD_DOOR, NEW_DOOR, NEWER_DOOR, OLD_POD, NEW_POD = "10.99.0.1", "10.99.0.2", "10.99.0.3", "10.99.3.1", "10.99.3.2"
STEPS = ("one", "two", "turned", "moved", "next")
"""Before anything changes; with both; the gateway turned to the next; namespaces too; without the old one."""
KEPT = ("CustomResourceDefinition", "Namespace")
"""What engines never remove here."""


def stacks_of_the_page(root: Path) -> Iterator[str]:
    """The stack as the page has it at every step: whenever it says `synth`."""
    (root / "stacks").mkdir(parents=True)
    for block in blocks(REPOSITORY / "docs" / "components" / "istio.md"):
        if block.option == "file":
            (root / block.value).write_text(block.body)
        for command, _ in steps(block.body) if block.kind == "console" else ():
            if command.startswith(("sed ", "echo ")):
                subprocess.run(["bash", "-c", command], cwd=root, check=True)
            elif command == "platformctl synth":
                yield (root / "stacks" / "gpu-prod.yaml").read_text()


def objects_of(root: Path, text: str) -> list[Manifest]:
    """The objects of a stack, with a route to the Service."""
    stack = rendered_stack(root, text, name="mesh")

    def route(name: str) -> Manifest:
        made = built(
            lambda self: Route(self, name, path=f"/{name}/", service="web", namespace=HOME), platform=stack.platform
        )
        (found,) = (each.manifest for each in made.objects)
        found["metadata"]["namespace"] = HOME
        return found

    return [*(item.manifest for each in stack.components.values() for item in each.objects), route("web")]


@dataclass
class Upgrade:
    """The shop, and what runs of both revisions."""

    shop: Shop
    stacks: Mapping[str, Sequence[Manifest]]
    running: dict[str, Program] = field(default_factory=dict)
    gateway: Proxy = field(init=False)
    sidecar: Proxy = field(init=False)

    def go(self, step: str, before: str) -> None:
        """Have the cluster hold what a step renders, and nothing more of what the step before it did."""
        self.shop.store(self.stacks[step])
        here = {Key.of(each) for each in self.stacks[step]}
        api = self.shop.control_plane.api
        for each in self.stacks[before]:
            if Key.of(each) not in here and each["kind"] not in KEPT:
                reply = api.request("DELETE", api.path(each) or "")
                assert reply.status in (200, 202), f"{Key.of(each)}: {reply.message}"

    def rule(self, step: str, name: str, *, moved: int = 0) -> None:
        """Start a control plane."""
        self.running[name] = self.shop.rule(self.stacks[step], name, moved=moved)


@pytest.fixture(scope="module")
def running(
    tmp_path_factory: pytest.TempPathFactory, binaries: Mapping[str, Path], programs: Mapping[str, Path]
) -> Iterator[Upgrade]:
    """The cluster at the first step."""
    envoy, root = or_skip(envoy_program), tmp_path_factory.mktemp("upgrade")
    pages = zip(STEPS, stacks_of_the_page(root / "page"), strict=True)
    stacks = {step: objects_of(root / step, text) for step, text in pages}
    with (
        ControlPlane(binaries, data=snapshot(binaries, crds_of(stacks["one"]))) as control_plane,
        control_plane.explaining(),
    ):
        shop = Shop(control_plane, programs, envoy)
        give_pods_addresses(control_plane.sandbox, control_plane.folder)
        shop.store([*stacks["one"], *around({"web-old": OLD_POD}), QUIET])
        shop.serve()
        upgrade = Upgrade(shop, stacks)
        upgrade.rule("one", "istiod")
        upgrade.gateway = shop.gateway(stacks["one"], "door-old", OLD_DOOR)
        upgrade.sidecar = shop.run(shop.admitted(upgrade.running["istiod"], pod("web-old")), OLD_POD, moved=100)
        shop.wait([upgrade.gateway, upgrade.sidecar])
        yield upgrade


@contextmanager
def asking(shop: Shop) -> Iterator[Counter[int]]:
    """Ask the gateway all the while, and count the answers by their status.

    A connection that closes without an answer is opened once more, as browsers do: both pods of a rollout listen at one
    address here, and no kube-proxy leads away from the one that goes.
    """
    found: Counter[int] = Counter()
    over = threading.Event()

    def ask() -> None:
        while not over.is_set():
            found[shop.asked("/web/") or shop.asked("/web/")] += 1
            time.sleep(0.05)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield found
    finally:
        over.set()
        thread.join()


def revision_of(proxy: Proxy) -> tuple[str, str]:
    """Who put the proxy there, and whom it asks."""
    config = next(each["value"] for each in proxy.container["env"] if each["name"] == "PROXY_CONFIG")
    return proxy.pod["metadata"]["annotations"].get("istio.io/rev", ""), config


def test_requests_are_answered_from_one_revision_to_the_next(running: Upgrade, request: pytest.FixtureRequest) -> None:
    show_logs(request, running.shop.control_plane)
    shop, api = running.shop, running.shop.control_plane.api
    old = running.sidecar
    assert revision_of(old)[0] == "default"
    with asking(shop) as answers:
        running.go("two", "one")
        running.rule("two", "istiod-next", moved=1000)
        assert revision_of(old)[0] == "default"
        running.go("turned", "two")
        # Whom nobody made anew is still who it was: the new gateway reaches it, for both trust one authority.
        gateway = shop.gateway(running.stacks["turned"], "door-new", NEW_DOOR, moved=300)
        shop.ready(gateway)
        running.gateway.stop()
        shop.wait([gateway, old])
        crossed = shop.door.get("/web/x")
        running.go("moved", "turned")
        shop.store([led("web-new", NEW_POD)])
        sidecar = shop.run(shop.admitted(running.running["istiod-next"], pod("web-new")), NEW_POD, moved=400)
        shop.ready(sidecar)
        shop.store([*around({"web-new": NEW_POD})])
        shop.wait([gateway, sidecar])
        old.stop()
        running.go("next", "moved")
        shop.control_plane.sandbox.stop("istiod")
        # No control plane is left that is older, so the gateway's Deployment is of the newer release.
        newer = shop.gateway(running.stacks["next"], "door-newer", NEWER_DOOR, moved=500)
        shop.ready(newer)
        gateway.stop()
        shop.wait([newer, sidecar])

    assert [release_of(each.container) for each in (old, gateway, sidecar, newer)] == [OLD, OLD, NEW, NEW]
    assert "istiod-next.istio-system.svc:15012" in revision_of(gateway)[1]
    assert gateway.pod["metadata"]["labels"]["istio.io/rev"] == "next"
    assert revision_of(sidecar)[0] == "next"
    assert "istiod-next.istio-system.svc:15012" in revision_of(sidecar)[1]
    assert "sa/istio-ingressgateway-service-account" in crossed.asked["peer"]
    assert set(answers) == {200}, answers
    assert answers[200] > 20
    _follows_the_new_one(running)
    gone = api.get(f"/apis/apps/v1/namespaces/{SYSTEM}/deployments/istiod").status
    left = api.get(f"/apis/apps/v1/namespaces/{SYSTEM}/deployments/istiod-next").status
    assert (gone, left) == (404, 200)
    assert running.running["istiod-next"].forbidden() == []


def _follows_the_new_one(running: Upgrade) -> None:
    """With the old control plane gone, a changed route is served as it says, and strict mutual TLS goes on."""
    (route,) = (each for each in running.stacks["next"] if each["kind"] == "VirtualService")
    (rule,) = route["spec"]["http"]
    changed = {**rule, "match": [{"uri": {"prefix": "/other/"}}]}
    running.shop.store([{**route, "spec": {**route["spec"], "http": [changed]}}])
    until(lambda: running.shop.asked("/web/") == 404, seconds=START_SECONDS, what="the old path is gone")
    assert running.shop.asked("/other/") == 200
