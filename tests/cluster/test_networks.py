"""Networks of pods: what Multus and whereabouts make of what a stack says.

Real: Multus' and whereabouts' own packages of configuration, and the program of Multus' pod under its rendered flags.
Played: the functions of adapters; the plugins for those (sriov-cni, ib-sriov-cni) are in no proxy of Go modules.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.cluster.client import Manifest
from tests.cluster.networks import Node, networks, understood
from tests.cluster.readers import Placed, ask, lost, placed
from tests.cluster.sandbox import own_network_allowed
from tests.cluster.test_read_by import changed

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(not own_network_allowed(), reason="this system allows no namespaces, which volumes need"),
]

Stacks = Mapping[str, list[Manifest]]
OTHERS = ("vlan", "link_state", "rdmaIsolation", "ibKubernetesEnabled")
"""Keys of a network that its plugin alone reads."""
FILES = {"05-other.conflist": "other", "10-calico.conflist": "calico"}
MULTUS = {
    "coverage/sriov": {"isolated": True, "shared": ["sriov-cni", "telemetry"], "network": "calico"},
    "coverage/sriov-k3s": {"isolated": False, "shared": ["default"], "network": "other"},
}
"""What stacks say of Multus; a pod of a stack that isolates nothing may name every network."""


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
