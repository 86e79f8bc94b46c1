"""The taint of sick nodes with a stack's account: its program against the real API server, and the policy that keeps this
account to one taint of nodes of the stack's pools.

Real: API server, the rendered account, rights, policy, plan and program. Played: conditions of nodes, and the CronJob's pod.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cluster.client import Api, Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.endpoints import tell
from tests.cluster.pods import Program
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of, rendered_stack
from tests.cluster.waves import apply_in_waves, refusals

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
nodePools:
  - {name: train, nodes: 4, selector: {pool: train}, gpu: {model: a100-80gb, perNode: 8}}
components:
  nvidia-device-plugin: {}
  node-problem-detector: {taint: {}}
"""
NAME, KEY = "node-taints", "platform-def.dev/sick"
NOT_READY = "node.kubernetes.io/not-ready"
OWN = {"key": "gpu", "value": "train", "effect": "NoSchedule"}
NODES: Mapping[str, Mapping[str, str]] = {
    **{f"train-{number}": {"pool": "train"} for number in range(4)},
    "web-0": {"pool": "web"},
    "bare-0": {},
}
FORBIDDEN: Sequence[tuple[str, Manifest]] = (
    ("web-0", {"spec": {"taints": [{"key": KEY, "effect": "NoSchedule"}]}}),
    ("bare-0", {"spec": {"taints": [{"key": KEY, "effect": "NoSchedule"}]}}),
    ("train-3", {"spec": {"taints": [OWN, {"key": "other", "effect": "NoExecute"}]}}),
    ("train-3", {"spec": {"taints": []}}),
    ("train-3", {"spec": {"unschedulable": True}}),
    ("train-3", {"metadata": {"labels": {"pool": "web"}}}),
    ("train-3", {"metadata": {"annotations": {"any": "thing"}}}),
    ("train-3", {"metadata": {"finalizers": ["example.com/any"]}}),
)
"""What the account may not write, by the node."""


@dataclass(frozen=True)
class Taints(Program):
    """The program of the CronJob; what its container has at /program lies in its /tmp."""

    kind: str = "CronJob"

    @property
    def pod(self) -> Manifest:
        """Its pod."""
        spec = self.object(self.kind, self.deployment)["spec"]["jobTemplate"]["spec"]
        return dict(spec["template"]["spec"])

    def run(self) -> tuple[int, str]:
        """Run it once; its exit code, and what it said."""
        sandbox = self.control_plane.sandbox
        flags = [each.replace("/program/", "/tmp/") for each in self.spec["command"][1:]]
        self.tmp.mkdir(parents=True, exist_ok=True)
        for name, text in self.object("ConfigMap", NAME)["data"].items():
            (self.tmp / name).write_text(text)
        self.log.write_text("")
        self.start(Path(sys.executable), flags)
        until(lambda: self.name in sandbox.ended(), seconds=START_SECONDS, what="the program has ended")
        code = sandbox.ended()[self.name]
        sandbox.stop(self.name)
        return code, self.log.read_text()

    def ail(self, node: str, condition: str = "GpuMissing", status: str = "True") -> None:
        """Have a node say that it has a condition, or has it no more."""
        api = self.control_plane.api
        stored = api.get(f"/api/v1/nodes/{node}").body
        tell(
            api, {**stored, "apiVersion": "v1", "kind": "Node"}, {"conditions": [{"type": condition, "status": status}]}
        )

    def stored(self, node: str) -> list[Manifest]:
        """Taints of a node; the API server's own is among them, as no kubelet says that the node is ready."""
        return list(self.control_plane.api.get(f"/api/v1/nodes/{node}").body["spec"].get("taints", []))

    def tainted(self) -> dict[str, list[str]]:
        """Keys of the taints of each node that has some of a person or of the program."""
        found = {node: [each["key"] for each in self.stored(node) if each["key"] != NOT_READY] for node in NODES}
        return {node: keys for node, keys in found.items() if keys}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, binaries: Mapping[str, Path]) -> Iterator[Taints]:
    """The stack's objects and some nodes, once the policy is in force: the server learns of it after it took it."""
    rendered = rendered_stack(tmp_path_factory.mktemp("stack"), STACK, name="tainting")
    objects = [item.manifest for item in rendered.components["node-problem-detector"].objects]
    homes = [item.manifest for each in rendered.components.values() for item in each.objects]
    spaces = [each for each in homes if each["kind"] == "Namespace"]
    nodes: list[Manifest] = [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": {**labels}},
            "spec": {"taints": [OWN]} if "pool" in labels and labels["pool"] == "train" else {},
        }
        for name, labels in NODES.items()
    ]
    with ControlPlane(binaries, data=snapshot(binaries, crds_of(objects))) as control_plane:
        with control_plane.explaining():
            results = apply_in_waves(control_plane.api, [*spaces, *objects, *nodes])
            assert not refusals(results), "\n".join(refusals(results))
            found = Taints(control_plane, objects, NAME, "taints")
            node, patch = FORBIDDEN[0]
            with own(found) as api:
                refused = lambda: patched(api, node, patch)[0] != 200  # noqa: E731
                until(refused, seconds=START_SECONDS, what="the policy is in force")
        yield found


@pytest.fixture
def taints(running: Taints, request: pytest.FixtureRequest) -> Iterator[Taints]:
    """The shared stack, whose nodes are well; logs are shown when a test fails."""
    show_logs(request, running.control_plane)
    yield running
    for node in NODES:
        running.ail(node, status="False")
    assert running.run()[0] == 0


@contextmanager
def own(taints: Taints) -> Iterator[Api]:
    """The API server as the account sees it."""
    control_plane = taints.control_plane
    api = Api(control_plane.api.socket, authority=control_plane.pki.authority, token=taints.token())
    try:
        yield api
    finally:
        api.close()


def patched(api: Api, node: str, patch: Manifest, *, part: str = "") -> tuple[int, str]:
    """Status and message of a patch, which is tried and not kept."""
    path = f"/api/v1/nodes/{node}{part}?dryRun=All"
    reply = api.request("PATCH", path, patch, content="application/merge-patch+json")
    return reply.status, reply.message


def test_a_sick_node_of_a_pool_is_tainted_until_it_is_well(taints: Taints) -> None:
    taints.ail("train-1")
    first = taints.run()
    while_sick = taints.tainted()
    second = taints.run()
    taints.ail("train-1", status="False")
    third = taints.run()

    assert (first, second, third) == (
        (0, "taint train-1\n"),
        (0, ""),
        (0, "take the taint from train-1\n"),
    )
    assert while_sick == {**{f"train-{number}": ["gpu"] for number in range(4)}, "train-1": ["gpu", KEY]}
    assert taints.tainted() == {f"train-{number}": ["gpu"] for number in range(4)}


def test_a_sick_node_of_no_pool_stays_as_it_is(taints: Taints) -> None:
    for node in ("web-0", "bare-0"):
        taints.ail(node)

    assert taints.run() == (0, "")
    assert taints.tainted() == {f"train-{number}": ["gpu"] for number in range(4)}


def test_no_more_than_half_of_a_pool_is_tainted(taints: Taints) -> None:
    for number in range(3):
        taints.ail(f"train-{number}", "GpuFatalError")
    code, said = taints.run()

    assert code == 0
    assert "3 nodes of {'pool': 'train'} are sick, and no more than 2 are tainted" in said
    assert [name for name, keys in taints.tainted().items() if KEY in keys] == ["train-0", "train-1"]


@pytest.mark.parametrize(("node", "patch"), FORBIDDEN, ids=[f"{node} {each}"[:60] for node, each in FORBIDDEN])
def test_its_account_is_refused_all_but_its_taint_on_nodes_of_pools(taints: Taints, node: str, patch: Manifest) -> None:
    with own(taints) as api:
        status, message = patched(api, node, patch)

    assert status == 422
    assert "this account may write" in message
    # An administrator may: it is the account that is refused.
    assert patched(taints.control_plane.api, node, patch)[0] == 200


def test_its_account_may_write_its_taint_and_has_no_other_right(taints: Taints) -> None:
    made = [*taints.stored("train-3"), {"key": KEY, "value": "GpuMissing", "effect": "NoSchedule"}]
    mine = {"spec": {"taints": made}}
    with own(taints) as api:
        assert patched(api, "train-3", mine)[0] == 200
        assert patched(api, "train-3", {}, part="/status")[0] == 403
        assert api.request("DELETE", "/api/v1/nodes/train-3?dryRun=All").status == 403
        assert api.get("/api/v1/secrets").status == 403
