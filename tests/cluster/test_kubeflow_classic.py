"""The page of `kubeflow-classic` as a reader walks it: its commands, by a real shell and kubectl, up to a model file.

Real: the API server with its controllers and scheduler, MXNet, and the training operator 1.7.0, which stands for mxnet-operator
1.1.0: no registry of Go modules has that one. Played: the kubelet with folders for CephFS, busybox' httpd, and InsightFace's
train.py, which reads what that reads and trains a small model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from shutil import copytree

import pytest

from tests.acceptance.sessions import Block, blocks, missing, steps
from tests.cluster import images
from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane
from tests.cluster.controllers import CONTROLLERS, start_kubernetes
from tests.cluster.engines import commands
from tests.cluster.kubelet.image import Image
from tests.cluster.machines import OWNERS, PLAIN, PROGRAMS, PROJECT, start_kubelet
from tests.cluster.pods import OPERATOR, Program
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import borrowed_crds, crds_of, only_stack
from tests.cluster.waves import DEFINITIONS, apply_in_waves, refusals, wave

pytestmark = [
    pytest.mark.frameworks,
    pytest.mark.own_network,
    pytest.mark.skipif(bool(images.missing(["mxnet"])), reason="make job-test makes the images"),
]

PAGE = PROJECT / "docs/kubeflow-classic.md"
STACK = "stacks/kubeflow-classic.yaml"
PLAYED = {
    "  training-operator: {kinds: [TFJob, PyTorchJob]}\n": '  training-operator: {release: "1.7.0", kinds: [MXJob, PyTorchJob, TFJob]}\n',
    "  mxnet-operator: {}\n": "",
    "    dataset: {claim: faces}\n": "    dataset: {claim: faces}\n    cleanPods: None\n",
    "    - {rule: release-support, object: Deployment kubeflow/mxnet-operator, reason: MXNet has no other operator for its jobs}\n": "",
}
"""Lines of the stack, and what the test has in their place; pods are kept, since a worker that ends in the same moment as its
job would be cleaned up."""
INSTALLED = ("namespaces", "training-operator", "landing-page")
MIRROR = "registry.example.com/mirror/docker.io/library/"
RUN_SECONDS = 400.0
END = "=== ends: "
"""What is printed before each command, so that outputs are told apart."""


@pytest.fixture(scope="module")
def sessions() -> list[Block]:
    """The page's sessions, up to how big it is."""
    found = [block for block in blocks(PAGE) if block.kind == "console"]
    last = next(number for number, block in enumerate(found) if "capacity" in block.body)
    return found[:last]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a reader has: the stack, and a data set."""
    root = tmp_path_factory.mktemp("repository")
    copytree(PROJECT / "stacks", root / "stacks")
    for other in (root / "stacks").glob("*.yaml"):
        if other.name != Path(STACK).name:
            other.unlink()
    text = (root / STACK).read_text(encoding="utf-8")
    for line, instead in PLAYED.items():
        assert text.count(line) == 1, line
        text = text.replace(line, instead)
    (root / STACK).write_text(text, encoding="utf-8")
    (root / "datasets/emore").mkdir(parents=True)
    (root / "datasets/emore/property").write_text("2,112,112\n", encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def cluster(programs: Mapping[str, Path], repository: Path) -> Iterator[ControlPlane]:
    """The nodes of the stack, with as much of it as the page asks for."""
    stack = only_stack(repository)
    objects = [item.manifest for name in INSTALLED for item in stack.components[name].objects]
    every = [item.manifest for component in stack.components.values() for item in component.objects]
    data = snapshot(programs, [*crds_of(objects), *borrowed_crds(objects, crds_of(every))])
    with ControlPlane(programs, data=data, flags=(OWNERS,)) as control_plane:
        controllers = (*CONTROLLERS, "deployment-controller", "replicaset-controller", "garbage-collector-controller")
        start_kubernetes(control_plane, programs, kwok=False, controllers=controllers)
        wanted = [*machines(), *(item for item in objects if wave(item) != DEFINITIONS)]
        assert not refusals(found := apply_in_waves(control_plane.api, wanted)), refusals(found)
        start_kubelet(control_plane, known_images(repository))
        operator = Program(control_plane, objects, OPERATOR, OPERATOR)
        # The page has port 8080 of the one machine that this is.
        operator.start(programs["training-operator-1.7"], [*operator.flags, "--metrics-bind-address=127.0.0.1:18080"])
        page = operator.object("Deployment", "landing-page")
        operator.wait(
            lambda: control_plane.api.read(page).body["status"].get("readyReplicas") == 1, "the page is there"
        )
        yield control_plane


def known_images(folder: Path) -> dict[str, Image]:
    """Those that the page's pods are of."""
    config = folder / "config.py"
    config.write_text("from types import SimpleNamespace\nconfig = SimpleNamespace(max_steps=96)\n", encoding="utf-8")
    home, plain = "/insightface/recognition/arcface_mxnet", images.image("mxnet")
    files = {**plain.files, f"{home}/train.py": str(PROGRAMS / "faces.py"), f"{home}/config.py": str(config)}
    return {
        "registry.example.com/faces/insightface-mxnet": replace(plain, files=files),
        f"{MIRROR}python": PLAIN,
        f"{MIRROR}busybox": Image((str(PROGRAMS / "busybox"),), keeps=True),
    }


def machines() -> list[Manifest]:
    """Nodes of the stack's pool, and the RuntimeClass of GPU pods."""
    room = {"cpu": "80", "memory": "512Gi", "ephemeral-storage": "100Gi", "pods": "110", "nvidia.com/gpu": "8"}
    nodes: list[Manifest] = [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": f"train-{number}", "labels": {"pool": "train", "kubernetes.io/os": "linux"}},
            "status": {"capacity": room, "allocatable": room},
        }
        for number in range(4)
    ]
    runtime = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia"}}
    return [*nodes, {**runtime, "handler": "nvidia"}]


def test_the_page_leads_from_the_stack_to_a_model_file(
    cluster: ControlPlane, repository: Path, sessions: list[Block]
) -> None:
    walked = [(block, *step) for block in sessions for step in steps(block.body)]
    script = [line for _, command, _ in walked for line in (f"echo '{END}'", command)]
    told = commands.run(cluster, [*script, "kill %1"], folder=repository, seconds=RUN_SECONDS)

    outputs = told.split(f"{END}\n")[1:]
    for (block, command, shown), output in zip(walked, outputs, strict=True):
        if block.option == "on":
            assert not missing(shown, output.splitlines()), f"$ {command}\n{output}"
    (model,) = (repository / "models").rglob("*.params")
    assert model.stat().st_size > 0
