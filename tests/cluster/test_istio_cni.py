"""Istio's CNI agent, as a stack renders it, brings its plugin to a node, keeps it there, and finds pods that came before.

Real: the agent with its flags, variables, ConfigMap, account and rights. Played: the folders of a node, its own plugin,
the plugin that the agent's image holds, and a pod whose network is not led to its proxy; to mend that network takes a real
kubelet's pods.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from platform_def.yaml import load
from tests.cluster import rights
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.control_plane import ControlPlane
from tests.cluster.queueing import Controller
from tests.cluster.stacks import rendered_stack
from tests.cluster.waves import apply_in_waves, refusals

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.35"}
components:
  istio: {}
  istio-cni: {}
"""
AGENT, CONTAINER = "istio-cni-node", "install-cni"
ROLES = ("istio-cni", "istio-cni-repair-role")
NODE, ELSEWHERE = "node-1", "node-2"
NETWORK = "10-calico.conflist"
BROKEN = 126
"""How the container that looks for the mesh's rules ends where there are none."""


@dataclass(frozen=True)
class Agent(Controller):
    """The agent in a root folder of its own, with the node's folders below it."""

    @property
    def spec(self) -> Manifest:
        """Its container, with the program in the root folder."""
        found = super().spec
        return {**found, "command": [f"/{found['command'][0]}"]}

    @property
    def told(self) -> dict[str, str]:
        """Its variables, those of its ConfigMap too."""
        (source,) = self.spec["envFrom"]
        data: dict[str, str] = self.object("ConfigMap", source["configMapRef"]["name"])["data"]
        return {**data, **self.variables()}

    def folder(self, volume: str) -> Path:
        """A folder of the node."""
        (path,) = (each["mountPath"] for each in self.spec["volumeMounts"] if each["name"] == volume)
        found = self.root / str(path).lstrip("/")
        found.mkdir(parents=True, exist_ok=True)
        return found

    def network(self) -> Manifest:
        """What the runtime reads: the node's network, with all plugins."""
        found: Manifest = json.loads((self.folder("cni-net-dir") / NETWORK).read_text())
        return found

    def plugins(self) -> list[str]:
        """Plugins that the runtime calls for a pod, in order."""
        return [each["type"] for each in self.network()["plugins"]]

    def lay(self) -> None:
        """Write what is on a node before, and what the agent's image holds."""
        text = {"cniVersion": "1.0.0", "name": "calico", "plugins": [{"type": "calico"}]}
        (self.folder("cni-net-dir") / NETWORK).write_text(json.dumps(text))
        plugin = self.root / "opt" / "cni" / "bin" / "istio-cni"
        plugin.parent.mkdir(parents=True, exist_ok=True)
        plugin.write_text("the plugin")

    def run(self, binary: Path) -> None:
        """Start it, and wait until it has brought the plugin."""
        self.lay()
        self.start(binary, self.spec["args"], settings=self.told)
        self.wait(lambda: self.plugins() == ["calico", "istio-cni"], "the node calls the plugin")


@pytest.fixture(scope="module")
def running(
    binaries: Mapping[str, Path], programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Agent]:
    """The agent on its node."""
    stack = rendered_stack(tmp_path_factory.mktemp("cni"), STACK, name="cni")
    objects = [item.manifest for name in ("namespaces", "istio-cni") for item in stack.components[name].objects]
    program = programs[CONTAINER]
    with ControlPlane(binaries) as control_plane:
        results = apply_in_waves(control_plane.api, objects)
        assert not refusals(results), "\n".join(refusals(results))
        agent = Agent(control_plane, objects, AGENT, CONTAINER, kind="DaemonSet", node=NODE)
        with control_plane.explaining():
            agent.run(program)
        yield agent


@pytest.fixture
def agent(running: Agent, request: pytest.FixtureRequest) -> Agent:
    """The agent; its log is shown when a test fails."""
    show_logs(request, running.control_plane)
    return running


def broken(name: str, node: str) -> Manifest:
    """A pod of the mesh that started before the plugin was there."""
    container = {"name": "main", "image": "registry.example.com/web:1"}
    first = {**container, "name": "istio-validation"}
    annotations = {"sidecar.istio.io/status": "{}"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "annotations": annotations},
        "spec": {"nodeName": node, "containers": [container], "initContainers": [first]},
    }


def test_the_plugin_is_called_after_the_nodes_own(agent: Agent) -> None:
    *_, called = agent.network()["plugins"]
    told = agent.told

    assert agent.plugins() == ["calico", "istio-cni"]
    assert called["exclude_namespaces"] == told["EXCLUDE_NAMESPACES"].split(",")
    assert called["pod_namespace"] == agent.home
    assert called["cni_agent_run_dir"] == str(Path("/") / agent.folder("cni-socket-dir").relative_to(agent.root))
    assert called["plugin_log_level"] == "info"
    assert (called["ambient_enabled"], called["native_nftables"]) == (False, False)
    assert (agent.folder("cni-bin-dir") / "istio-cni").read_text() == "the plugin"


def test_the_plugin_asks_the_api_server_as_the_agents_account(agent: Agent) -> None:
    text = (agent.folder("cni-socket-dir") / "istio-cni-kubeconfig").read_bytes()
    read: Manifest = load(text, file="kubeconfig")  # type: ignore[assignment]
    (user,), (cluster,) = read["users"], read["clusters"]

    assert user["user"]["token"] == (agent.root / "var/run/secrets/kubernetes.io/serviceaccount/token").read_text()
    assert cluster["cluster"]["server"] == f"https://127.0.0.1:{agent.control_plane.port}"


def test_a_node_whose_network_is_written_anew_calls_the_plugin_again(agent: Agent) -> None:
    agent.lay()

    agent.wait(lambda: agent.plugins() == ["calico", "istio-cni"], "the plugin is called again")


def test_a_broken_pod_is_mended_on_its_own_node_alone(agent: Agent) -> None:
    api = agent.control_plane.api
    assert not api.apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": _default()}).refusal
    ended = {"terminated": {"exitCode": BROKEN, "reason": "Error"}}
    state = {"waiting": {"reason": "CrashLoopBackOff"}}
    first = {"name": "istio-validation", "image": "any", "imageID": "", "ready": False, "restartCount": 1}
    for name, node in (("elsewhere", ELSEWHERE), ("here", NODE)):
        pod = broken(name, node)
        assert not api.apply(pod).refusal
        status = {"initContainerStatuses": [{**first, "state": state, "lastState": ended}]}
        path = f"{api.path(pod)}/status"
        assert api.request("PATCH", path, {"status": status}, content="application/merge-patch+json").status == 200
    agent.wait(lambda: "Repairing pod" in agent.log.read_text(), "it tries to mend a pod")
    tried = [line for line in agent.log.read_text().splitlines() if "Repairing pod" in line]

    assert {"default/here" in line for line in tried} == {True}
    assert agent.forbidden() == []


def _default() -> Manifest:
    return {"name": "default", "namespace": "default"}


def test_an_agent_that_goes_takes_the_plugin_with_it(agent: Agent, programs: Mapping[str, Path]) -> None:
    agent.control_plane.sandbox.stop(agent.name)

    assert agent.plugins() == ["calico"]
    assert not (agent.folder("cni-bin-dir") / "istio-cni").exists()
    assert not (agent.folder("cni-socket-dir") / "istio-cni-kubeconfig").exists()
    agent.run(programs[CONTAINER])


def test_without_the_right_to_see_pods_the_agent_mends_none(agent: Agent, programs: Mapping[str, Path]) -> None:
    agent.control_plane.sandbox.stop(agent.name)
    agent.log.write_text("")
    with ExitStack() as stack:
        for role in ROLES:
            found = agent.object("ClusterRole", role)
            stack.enter_context(rights.without(agent.control_plane.api, found, "pods", {"list", "watch"}))
        agent.lay()
        agent.start(programs[CONTAINER], agent.spec["args"], settings=agent.told)
        assert "pods" in agent.refusal()

    agent.wait(lambda: agent.plugins() == ["calico", "istio-cni"], "with it the agent goes on")


def test_the_agent_ends_at_a_flag_that_is_misspelt(agent: Agent, programs: Mapping[str, Path]) -> None:
    (flag,) = agent.spec["args"]
    word, _, value = flag.partition("=")
    argv = [str(programs[CONTAINER]), f"{word}x={value}"]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)

    assert done.returncode != 0
    assert f"unknown flag: {word}x" in done.stderr
