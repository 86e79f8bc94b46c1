"""Configuration of every stack, read as the programs that get it read it: what they understand is what the stack says.

From a pool's node the way goes by labels to the pod that runs there, to the file that its container finds, to upstream's
own package of configuration, and back to the pool. Programs that other tests run are asked there.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from platform_def.config.pools import WHOLE_GPU, Gpu, NodePool, virtual
from platform_def.config.rdma import RDMA_RESOURCE
from platform_def.pipeline.load import load as load_stacks
from platform_def.yaml import load
from tests.cluster.client import Manifest
from tests.cluster.read_by import READ
from tests.cluster.readers import Placed, ask, lost, placed
from tests.cluster.stacks import COVERAGE, REPOSITORY, Stacks

pytestmark = pytest.mark.cluster

PRESENT = {"nvidia.com/gpu.present": "true", "feature.node.kubernetes.io/custom-rdma.available": "true"}
"""Labels that nodes have by themselves, where a pool has no selector."""
PLUGIN_LABEL, MIG_LABEL = "nvidia.com/device-plugin.config", "nvidia.com/mig.config"
NEWER = "flags.plugin.sharedDevicesAllocationPolicy"
"""Came with the device plugin's 0.20; the newest release that can be had here is 0.19.3, and drops it."""
DISCOVERY = "/etc/kubernetes/node-feature-discovery"
SRIOV, RDMA = "/etc/pcidp/config.json", "/k8s-rdma-shared-dev-plugin/config.json"
"""Paths that are compiled into the programs; those of others stand in their flags or variables."""
LINK_TYPES = {"infiniband": "infiniband", "roce": "ether"}

Pools = Mapping[str, Sequence[NodePool]]


@pytest.fixture(scope="session")
def pools() -> Pools:
    """The pools of every stack, as its files say them."""
    roots = {"dist": REPOSITORY, "coverage": COVERAGE}
    return {f"{key}/{each.name}": each.stack.node_pools for key, root in roots.items() for each in load_stacks(root)}


def labels_of(pool: NodePool) -> dict[str, str]:
    return {**PRESENT, **pool.selector}


def on(pool: NodePool, objects: list[Manifest], image: str, program: str = "") -> list[Placed]:
    """Containers of an image on a pool's nodes."""
    here = [each for each in placed(objects) if each.image == image and each.runs_on(labels_of(pool))]
    return [each for each in here if not program or each.command[:1] == [program]]


def policy_of(objects: list[Manifest]) -> Manifest:
    """What the GPU Operator is told to bring, where a stack has it."""
    return next((item for item in objects if item["kind"] == "ClusterPolicy"), {"spec": {}})


def of_policy(objects: list[Manifest], operand: str, chosen: str) -> list[str]:
    """The file of a part of the GPU Operator, by the name that a Node's label says."""
    told = policy_of(objects)["spec"].get(operand, {})
    if not told.get("enabled") or "config" not in told:
        return []
    (files,) = (item["data"] for item in objects if item["metadata"]["name"] == told["config"]["name"])
    return [files["config.yaml"] if "config.yaml" in files else files[chosen or told["config"]["default"]]]


def plugin_files(pool: NodePool, objects: list[Manifest], labels: Mapping[str, str]) -> list[str]:
    """What device plugins and GPU feature discovery read on a pool's nodes."""
    here = [each for each in on(pool, objects, "nvidia/k8s-device-plugin") if "CONFIG_FILE" in each.variables]
    mine = [each.file(each.variables["CONFIG_FILE"]) for each in here]
    return [*mine, *of_policy(objects, "devicePlugin", labels.get(PLUGIN_LABEL, ""))]


def mig_files(pool: NodePool, objects: list[Manifest]) -> list[str]:
    """What MIG manager reads on a pool's nodes."""
    here = on(pool, objects, "cloud-native/k8s-mig-manager")
    return [*(each.file(each.variables["CONFIG_FILE"]) for each in here), *of_policy(objects, "migManager", "")]


def written_labels(pool: NodePool, objects: list[Manifest], reader: Path) -> dict[str, str]:
    """Labels that node feature discovery's worker writes on a pool's nodes, by its own rules; it is one alone."""
    workers = on(pool, objects, "nfd/node-feature-discovery", "nfd-worker")
    if not workers:
        return {}
    (worker,) = workers
    (answer,) = ask(reader, [{"program": "nfd-worker", "text": worker.file(nfd_file(worker))}])
    return dict(answer.get("labels", {}))


def nfd_file(program: Placed) -> str:
    """Where a program of node feature discovery looks for its file; the garbage collector has none."""
    return "" if program.command[:1] == ["nfd-gc"] else f"{DISCOVERY}/{''.join(program.command[:1])}.conf"


def shares(answer: Manifest) -> tuple[str, str, dict[str, int]]:
    """MIG strategy, way of sharing and shares by the resource's name, as the device plugin understands them."""
    config, mode = answer["config"], answer["strategy"]
    section = {"mps": "mps", "time-slicing": "timeSlicing"}.get(mode)
    resources = config["sharing"][section]["resources"] if section else []
    offered = {each.get("rename") or each["name"]: each["replicas"] for each in resources}
    return config["flags"]["migStrategy"], mode, offered


def said(gpu: Gpu) -> tuple[str, str, dict[str, int]]:
    """The same as the pool says it."""
    strategy = gpu.mig.strategy if gpu.mig else "none"
    if gpu.sharing is None:
        return strategy, "none", {}
    names = [WHOLE_GPU]
    if gpu.mig and strategy == "mixed":
        names = [f"nvidia.com/mig-{profile.replace('+', '.')}" for profile in gpu.mig.layout]
    suffix = ".shared" if gpu.sharing.rename else ""
    return strategy, gpu.sharing.mode, {f"{name}{suffix}": gpu.sharing.replicas for name in names}


def test_the_device_plugin_shares_a_pools_cards_as_the_pool_says(
    stack: str, manifests: Stacks, pools: Pools, programs: Mapping[str, Path]
) -> None:
    for pool in pools[stack]:
        if pool.gpu is None or virtual(pool):
            continue
        labels = written_labels(pool, manifests[stack], programs["nfd-reader"])
        texts = plugin_files(pool, manifests[stack], labels)
        answers = ask(programs["device-plugin-reader"], texts)

        assert [shares(each) for each in answers] == [said(pool.gpu)] * len(texts)
        for text, answer in zip(texts, answers, strict=True):
            assert [each for each in lost(load(text), answer["config"]) if not each.startswith(NEWER)] == []


def test_mig_manager_cuts_a_pools_cards_as_the_pool_says(
    stack: str, manifests: Stacks, pools: Pools, programs: Mapping[str, Path]
) -> None:
    for pool in pools[stack]:
        if pool.gpu is None:
            continue
        for text in mig_files(pool, manifests[stack]):
            (answer,) = ask(programs["mig-parted-reader"], [text])
            layouts = answer["config"]["mig-configs"]
            label = written_labels(pool, manifests[stack], programs["nfd-reader"]).get(MIG_LABEL)
            wanted = cuts(pool.gpu)

            assert list(lost(load(text), answer["config"])) == []
            if label:
                assert layouts[label] == wanted
            elif pool.gpu.mig:
                assert wanted in layouts.values()


def cuts(gpu: Gpu) -> list[Manifest]:
    """How mig-parted is to cut a pool's cards, as the pool says it."""
    if gpu.mig is None:
        return [cut("all", {})]
    return [cut([*cards], layout) for cards, layout in gpu.mig.of_cards()] or [cut("all", gpu.mig.layout)]


def cut(cards: str | list[int], layout: Mapping[str, int]) -> Manifest:
    return {"devices": cards, "mig-enabled": bool(layout), "mig-devices": layout or None}


def test_node_feature_discovery_holds_all_that_its_files_say(
    stack: str, manifests: Stacks, programs: Mapping[str, Path]
) -> None:
    files = [
        (each.command[0], each.file(nfd_file(each)))
        for each in placed(manifests[stack])
        if each.image == "nfd/node-feature-discovery" and nfd_file(each)
    ]
    answers = ask(programs["nfd-reader"], [{"program": program, "text": text} for program, text in files])

    for (_, text), answer in zip(files, answers, strict=True):
        assert list(lost(load(text), answer["config"])) == []


def test_virtual_functions_are_those_that_the_pools_networks_say(
    stack: str, manifests: Stacks, pools: Pools, programs: Mapping[str, Path]
) -> None:
    ports = [network.port for pool in pools[stack] for network in pool.rdma.networks]
    for pool in pools[stack]:
        plugins = on(pool, manifests[stack], "k8snetworkplumbingwg/sriov-network-device-plugin")
        texts = [each.file(SRIOV) for each in plugins]
        answers = ask(programs["sriov-reader"], {"texts": texts, "ports": ports, "functions": 128})
        wanted = {each.resource: {each.port: [*range(pool.rdma.functions or 0)]} for each in pool.rdma.networks}

        assert len(texts) == (bool(wanted) and bool(plugins))
        for text, answer in zip(texts, answers, strict=True):
            assert "refused" not in answer
            assert offered_functions(answer) == wanted
            assert list(lost(load(text), as_written(answer))) == []
            selectors = [each for found in answer["pools"] for each in found["selectors"]]
            assert {(*each["linkTypes"], each["IsRdma"]) for each in selectors} == {(LINK_TYPES[pool.rdma.kind], True)}


def offered_functions(answer: Manifest) -> dict[str, dict[str, list[int]]]:
    found = {}
    for each in answer["pools"]:
        found[f"{each['resource']['resourcePrefix']}/{each['resource']['resourceName']}"] = each["functions"]
    return found


def as_written(answer: Manifest) -> Manifest:
    """A file as the plugin holds it, in the file's form."""
    return {"resourceList": [{**each["resource"], "selectors": each["selectors"]} for each in answer.get("pools", [])]}


def test_adapters_are_shared_on_nodes_of_their_fabric(
    stack: str, manifests: Stacks, pools: Pools, programs: Mapping[str, Path]
) -> None:
    for pool in pools[stack]:
        texts = [each.file(RDMA) for each in on(pool, manifests[stack], "mellanox/k8s-rdma-shared-dev-plugin")]
        answers = ask(programs["rdma-reader"], texts)

        assert len(texts) <= 1
        for text, answer in zip(texts, answers, strict=True):
            (resource,) = answer["config"]["configList"]
            assert f"{resource['resourcePrefix']}/{resource['resourceName']}" == RDMA_RESOURCE
            assert resource["selectors"]["linkTypes"] == [LINK_TYPES[pool.rdma.kind]]
            assert list(lost(load(text), answer["config"])) == []


def test_a_scheduler_understands_its_configuration_and_asks_who_listens(
    stack: str, manifests: Stacks, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    for each in placed(manifests[stack]):
        if not each.image.endswith("/kube-scheduler"):
            continue
        text = each.file(flag(each, "--config"))
        understood = scheduled(programs[READ[each.image]], each, text, tmp_path)

        assert list(lost(load(text), understood)) == []
        for extender in understood.get("extenders", []):
            beside = [other for other in each.pod["containers"] if other["name"] != each.container["name"]]
            port = extender["urlPrefix"].split("/")[2].rpartition(":")[2]
            assert any(f":{port}" in word for other in beside for word in (*other["command"], *other.get("args", [])))


def scheduled(program: Path, scheduler: Placed, text: str, folder: Path) -> Manifest:
    """A scheduler's configuration as its own program completes it, under the flags of its container."""
    written, said = folder / "understood.yaml", folder / "config.yaml"
    said.write_text(text)
    written.unlink(missing_ok=True)
    flags = [f"--config={said}" if word.startswith("--config=") else word for word in scheduler.command[1:]]
    # It ends where it has written; before that it asks nobody.
    command = [str(program), *flags, "--master=http://127.0.0.1:9", f"--write-config-to={written}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=folder)
    assert written.is_file(), done.stderr
    found: Manifest = load(written.read_text())  # type: ignore[assignment]
    return found


def flag(program: Placed, name: str) -> str:
    (found,) = (word.partition("=")[2] for word in program.command if word.startswith(f"{name}="))
    return found
