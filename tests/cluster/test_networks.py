"""Networks of pods: what Multus and whereabouts make of what a stack says, and addresses that are given and taken back.

Real: Multus' and whereabouts' own packages of configuration, the program of Multus' pod under its rendered flags,
whereabouts' plugin and control loop with their account and rights. Played: the runtime that calls the plugin, and the
functions of adapters; the plugins for those (sriov-cni, ib-sriov-cni, rdma-cni) are in no proxy of Go modules.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cluster import rights
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.control_plane import ControlPlane
from tests.cluster.networks import Node, Whereabouts, networks, understood
from tests.cluster.readers import Placed, ask, lost, placed
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import Stacks, crds_of, rendered_stack
from tests.cluster.test_read_by import changed
from tests.cluster.waves import apply_in_waves, refusals

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

OTHERS = ("vlan", "link_state", "rdmaIsolation", "ibKubernetesEnabled")
"""Keys of a network that its plugin alone reads."""
FILES = {"05-other.conflist": "other", "10-calico.conflist": "calico"}
MULTUS = {
    "coverage/sriov": {"isolated": True, "shared": ["sriov-cni", "telemetry"], "network": "calico"},
    "coverage/sriov-k3s": {"isolated": False, "shared": ["default"], "network": "other"},
}
"""What stacks say of Multus; a pod of a stack that isolates nothing may name every network."""
STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.35"}
nodePools:
  - name: rails
    selector: {pool: rails}
    rdma:
      kind: roce
      mode: sriov
      functions: 4
      networks: [{name: rail0, interface: ens1, range: 192.0.2.0/28, exclude: [192.0.2.0/29], gateway: 192.0.2.8}]
components:
  multus: {}
  sriov-cni: {}
  sriov-network-device-plugin: {}
  whereabouts: {}
"""
COMPONENTS = ("namespaces", "multus", "sriov-cni", "whereabouts")
NETWORK_STATUS = "k8s.v1.cni.cncf.io/network-status"
GROUP, ROLE = "whereabouts.cni.cncf.io", "whereabouts-cni"
POOLS = f"/apis/{GROUP}/v1alpha1/namespaces/whereabouts/ippools"


def told(text: str) -> Manifest:
    """What of a network Multus and whereabouts read."""
    said: Manifest = json.loads(text)
    plugins = [{key: each[key] for key in each if key not in OTHERS} for each in said["plugins"]]
    return {**said, "plugins": plugins}


def test_networks_are_understood_as_they_are_said(
    stack: str, manifests: Stacks, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    texts = networks(manifests[stack])
    answers = understood(programs["networks-reader"], texts, tmp_path)

    for text, answer in zip(texts, answers, strict=True):
        assert list(lost(told(text), answer)) == []


def test_each_changed_key_of_a_network_is_told(manifests: Stacks, programs: Mapping[str, Path], tmp_path: Path) -> None:
    for text in {text for objects in manifests.values() for text in networks(objects)}:
        said = told(text)
        wrong = list(changed(said))
        answers = understood(programs["networks-reader"], [json.dumps(each) for each in wrong], tmp_path)

        assert wrong
        assert [each for each, answer in zip(wrong, answers, strict=True) if not list(lost(said, answer))] == []


def multus(objects: Sequence[Manifest]) -> Placed:
    """The container of Multus' pod."""
    (found,) = (each for each in placed(objects) if each.image == "k8snetworkplumbingwg/multus-cni")
    return found


@pytest.mark.parametrize("isolated", MULTUS)
def test_multus_writes_what_the_stack_says(
    isolated: str, manifests: Stacks, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    here = multus(manifests[isolated])
    node = Node(tmp_path / "node", programs["multus-entrypoint"], here, FILES)
    with node.brought() as text:
        (answer,) = ask(programs["networks-reader"], {"multus": [text]})
    (volume,) = (each for each in here.pod["volumes"] if each["name"] == "cni")

    assert {key: answer[key] for key in MULTUS[isolated]} == MULTUS[isolated]
    assert answer["kubeconfig"] == f"{volume['hostPath']['path']}/multus.d/multus.kubeconfig"
    assert (node.configuration / "multus.d" / "multus.kubeconfig").is_file()
    assert node.written() == []


@pytest.mark.parametrize("isolated", MULTUS)
def test_multus_pod_ends_at_a_flag_that_is_misspelt(
    isolated: str, manifests: Stacks, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    here = multus(manifests[isolated])
    node = Node(tmp_path / "node", programs["multus-entrypoint"], here, FILES)
    flags = here.command[1:]
    for index, each in enumerate(flags):
        word, equals, value = each.partition("=")
        wrong = [*flags[:index], f"{word}x{equals}{value}", *flags[index + 1 :]]
        done = subprocess.run(node.command(wrong), capture_output=True, text=True, timeout=60, check=False)

        assert done.returncode == 2, each
        assert f"unknown flag: {word}x" in done.stderr


def test_whereabouts_programs_end_at_a_flag_that_is_misspelt(manifests: Stacks, programs: Mapping[str, Path]) -> None:
    """With their own flags they end later: without an account, and without the file that says when."""
    found = {each.container["name"]: each.container.get("args", []) for each in placed(manifests["coverage/sriov"])}
    loop = found["whereabouts"][-1].strip().splitlines()[-1].split()
    for program, flags, code in (
        ("ip-control-loop", loop[2:], 1),
        ("ip-reconciler", found["whereabouts-reconciler"], 3),
    ):
        wrong = [f"{flags[0]}x", *flags[1:]]
        ends = [subprocess.run([programs[program], *each], capture_output=True, timeout=60) for each in (flags, wrong)]

        assert [each.returncode for each in ends] == [code, 2]
    assert loop[:2] == ["exec", "/ip-control-loop"]


@dataclass
class Addresses:
    """A cluster with a network, and whereabouts' programs on its node."""

    control_plane: ControlPlane
    plugin: Whereabouts
    loop: Whereabouts
    binary: Path
    network: Manifest

    def give(self, pod: str) -> str:
        """The address that a pod gets."""
        answer = self.plugin.call(self.binary, "ADD", pod, json.loads(self.network["spec"]["config"]))
        (address,) = answer["ips"]
        return str(address["address"])

    def take(self, pod: str) -> None:
        """Give a pod's address back."""
        self.plugin.call(self.binary, "DEL", pod, json.loads(self.network["spec"]["config"]))

    def owners(self) -> list[str]:
        """The pods that have addresses."""
        pools = self.control_plane.api.get(POOLS).body["items"]
        return sorted(each["podref"] for pool in pools for each in pool["spec"]["allocations"].values())

    def pod(self, name: str, address: str) -> Manifest:
        """A pod on the node with its address, as Multus says it."""
        metadata = self.network["metadata"]
        told = {
            "name": f"{metadata['namespace']}/{metadata['name']}",
            "interface": "net1",
            "ips": [address.partition("/")[0]],
        }
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": "default", "annotations": {NETWORK_STATUS: json.dumps([told])}},
            "spec": {
                "nodeName": self.plugin.node,
                "containers": [{"name": "main", "image": "registry.example.com/train:1"}],
            },
        }


@pytest.fixture(scope="module")
def running(
    binaries: Mapping[str, Path], programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Addresses]:
    """The cluster, and the control loop at work."""
    plugin, loop = programs["whereabouts"], programs["ip-control-loop"]
    stack = rendered_stack(tmp_path_factory.mktemp("networks"), STACK, name="networks")
    objects = [item.manifest for name in COMPONENTS for item in stack.components[name].objects]
    (network,) = (item for item in objects if item["kind"] == "NetworkAttachmentDefinition")
    account: Manifest = {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": "default", "namespace": "default"},
    }
    node: Manifest = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-1"}}
    with ControlPlane(binaries, data=snapshot(binaries, crds_of(objects))) as control_plane:
        results = apply_in_waves(control_plane.api, [*objects, node, account])
        assert not refusals(results), "\n".join(refusals(results))
        members = (_member(control_plane, objects, called) for called in ("plugin", "ip-control-loop"))
        found = Addresses(control_plane, next(members), next(members), plugin, network)
        found.loop.lay("")
        found.loop.start(loop, found.loop.loop)
        found.loop.wait(lambda: "Informer factories started" in found.loop.log.read_text(), "the control loop works")
        yield found


def _member(control_plane: ControlPlane, objects: Sequence[Manifest], called: str) -> Whereabouts:
    name = "whereabouts"
    return Whereabouts(control_plane, objects, name, name, kind="DaemonSet", node="node-1", called=called)


@pytest.fixture
def addresses(running: Addresses, request: pytest.FixtureRequest) -> Addresses:
    """The shared cluster; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    return running


def test_pods_get_addresses_beside_those_that_are_kept(addresses: Addresses) -> None:
    given = [addresses.give("first"), addresses.give("second")]
    owners = addresses.owners()
    for pod in ("first", "second"):
        addresses.take(pod)

    assert given == ["192.0.2.9/28", "192.0.2.10/28"]
    assert owners == ["default/first", "default/second"]
    assert addresses.owners() == []


def test_the_address_of_a_pod_that_is_gone_is_taken_back(addresses: Addresses) -> None:
    api = addresses.control_plane.api
    pod = addresses.pod("lost", addresses.give("lost"))
    api.store(pod)
    path = f"{api.path(pod)}?gracePeriodSeconds=0"
    assert api.request("DELETE", path).status == 200
    addresses.loop.wait(lambda: addresses.owners() == [], "its address is free")

    assert addresses.loop.forbidden() == []


def test_without_its_right_to_reservations_the_plugin_gives_no_address(addresses: Addresses) -> None:
    right = (GROUP, "overlappingrangeipreservations", "create")
    with (
        rights.withheld(addresses.plugin, right, role=ROLE, kind="Role"),
        pytest.raises(AssertionError, match="is forbidden"),
    ):
        addresses.give("refused")
    addresses.take("refused")

    assert addresses.owners() == []


def test_without_its_right_to_pools_the_plugin_remembers_no_address(addresses: Addresses) -> None:
    """It gives one all the same, and another pod may get it: its own error is lost at this release."""
    right = (GROUP, "ippools", "update patch")
    with rights.withheld(addresses.plugin, right, role=ROLE, kind="Role"):
        addresses.give("forgotten")

    assert "ippools" in addresses.plugin.forbidden()[0]
    assert addresses.owners() == []
