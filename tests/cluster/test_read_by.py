"""One changed key or flag is told by who reads it; every image of every stack has somebody who is asked, or the reason."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from platform_def.yaml import dump, load
from tests.cluster import tools
from tests.cluster.client import Manifest
from tests.cluster.read_by import READ, RUN, UNREAD
from tests.cluster.readers import Placed, ask, lost, placed
from tests.cluster.stacks import Stacks
from tests.cluster.test_readers import NEWER, RDMA, SRIOV, as_written, flag, nfd_file, scheduled

pytestmark = pytest.mark.cluster

HERE = Path(__file__).parent


def changed(value: Any) -> Iterator[Any]:
    """A file's content with one key renamed, each key that says something once."""
    if isinstance(value, dict):
        for key, inner in value.items():
            rest = {other: each for other, each in value.items() if other != key}
            if inner:
                yield {**rest, f"{key}x": inner}
            yield from ({**value, key: each} for each in changed(inner))
    if isinstance(value, list):
        for index, inner in enumerate(value):
            yield from ([*value[:index], each, *value[index + 1 :]] for each in changed(inner))


def texts_of(manifests: Stacks, image: str) -> dict[str, str]:
    """The distinct files of an image's containers in all stacks, with the program that reads each."""
    mine = [each for objects in manifests.values() for each in placed(objects) if each.image == image and path_of(each)]
    return {each.file(path_of(each)): "".join(each.command[:1]) for each in mine}


def path_of(each: Placed) -> str:
    """Where a container finds the file that its program reads; empty where it reads none."""
    return {
        "nvidia/k8s-device-plugin": each.variables.get("CONFIG_FILE", ""),
        "cloud-native/k8s-mig-manager": each.variables.get("CONFIG_FILE", ""),
        "nfd/node-feature-discovery": nfd_file(each),
        "k8snetworkplumbingwg/sriov-network-device-plugin": SRIOV,
        "mellanox/k8s-rdma-shared-dev-plugin": RDMA,
    }.get(each.image, "")


def understood(image: str, program: str, texts: list[str], reader: Path) -> list[Manifest]:
    """What a reader makes of texts; nothing where it refuses one."""
    question: object = texts
    if image.endswith("sriov-network-device-plugin"):
        question = {"texts": texts, "ports": [], "functions": 0}
    elif image.startswith("nfd/"):
        question = [{"program": program, "text": text} for text in texts]
    answers = ask(reader, question)
    return [{} if "refused" in each else each.get("config") or as_written(each) for each in answers]


@pytest.mark.parametrize("image", [image for image, reader in READ.items() if reader.endswith("-reader")])
def test_each_changed_key_of_a_file_is_told(image: str, manifests: Stacks, programs: Mapping[str, Path]) -> None:
    for text, program in texts_of(manifests, image).items():
        said = load(text)
        wrong = [json.dumps(each) for each in changed(said)]
        answers = understood(image, program, [text, *wrong], programs[READ[image]])

        told = [[each for each in lost(said, answer) if not each.startswith(NEWER)] for answer in answers]
        assert told[0] == []
        unnoticed = [each for each, why in zip(wrong, told[1:], strict=True) if not why]
        assert [each for each in unnoticed if not without_effect(each)] == []


def without_effect(text: str) -> bool:
    """Keys that the device plugin's reader, of 0.19.3, does not know yet, takes for granted in a file that lacks them,
    or has one answer for."""
    newer, mps = f"{NEWER.rpartition('.')[2]}x", '"mps"' in text and "failRequestsGreaterThanOnex" in text
    return newer in text or "versionx" in text or mps


def test_each_changed_key_of_a_schedulers_file_is_told(
    manifests: Stacks, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    (scheduler,) = (
        each for each in placed(manifests["coverage/hami"]) if each.image == "registry.k8s.io/kube-scheduler"
    )
    said = load(scheduler.file(flag(scheduler, "--config")))
    for each in changed(said):
        try:
            answer = scheduled(programs["kube-scheduler"], scheduler, dump(each), tmp_path)
        except AssertionError:
            continue
        assert list(lost(said, answer)) != [], each


VERSIONED = {
    "nfd/node-feature-discovery": "",
    "mellanox/k8s-rdma-shared-dev-plugin": "rdma-shared-device-plugin",
    "sig-storage/csi-attacher": "csi-attacher",
    "sig-storage/csi-provisioner": "csi-provisioner",
    "sig-storage/csi-resizer": "csi-resizer",
    "sig-storage/csi-snapshotter": "csi-snapshotter",
    "sig-storage/snapshot-controller": "snapshot-controller",
}
"""Images of programs that tell their version and end, with the program's name here; the command's where there is none."""
ALONE = {"metallb/controller": "metallb-controller", "metallb/speaker": "metallb-speaker"}
"""Images of programs that parse their flags, and end with 1 where they then find neither cluster nor files."""


def flagged(manifests: Stacks, images: Mapping[str, str]) -> set[tuple[str, tuple[str, ...]]]:
    """Programs with their flags, of containers of these images whose release the program is of, or is one behind."""
    found = set()
    for objects in manifests.values():
        for each in placed(objects):
            if each.image in images and is_of_release(each, images[each.image]):
                name = images[each.image] or PurePosixPath(each.command[0]).name
                flags = each.command[1:] if each.container.get("command") else each.command
                found.add((name, tuple(flags)))
    return found


def is_of_release(each: Placed, program: str) -> bool:
    """Whether a container's release is the program's, or the minor before it; others differ in their flags."""
    tag = re.search(r":v?(\d+)\.(\d+)", str(each.container["image"]))
    if not program or tag is None:
        return True
    major, minor = (int(number) for number in tools.version_of(program).removeprefix("v").split(".")[:2])
    return int(tag[1]) == major and int(tag[2]) in (minor, minor - 1)


def misspelt(flags: Sequence[str]) -> Iterator[list[str]]:
    """The flags, with one of them in a wrong way each time."""
    for index, each in enumerate(flags):
        word, equals, value = each.partition("=")
        yield [*flags[:index], f"{word}x{equals}{value}", *flags[index + 1 :]]


def test_flags_are_those_of_the_program(manifests: Stacks, programs: Mapping[str, Path]) -> None:
    """Go's flags are parsed before the version is told, and the first that is unknown ends the program."""
    known = flagged(manifests, VERSIONED)
    for name, flags in known:
        assert version(programs[name], flags) == 0, (name, flags)
        assert {version(programs[name], wrong) for wrong in misspelt(flags)} <= {2}, (name, flags)
    assert {*VERSIONED.values()} - {""} <= {name for name, _ in known}


def test_flags_of_programs_without_a_version_are_theirs(manifests: Stacks, programs: Mapping[str, Path]) -> None:
    known = flagged(manifests, ALONE)
    for name, flags in known:
        assert ended(programs[name], flags) == 1, (name, flags)
        assert {ended(programs[name], wrong) for wrong in misspelt(flags)} == {2}, (name, flags)
    assert {*ALONE.values()} == {name for name, _ in known}


def version(program: Path, flags: Sequence[str]) -> int:
    return ended(program, [*flags, "--version"])


def ended(program: Path, flags: Sequence[str]) -> int:
    """How a program ends where there is nothing that it is to work with."""
    done = subprocess.run(
        [program, *flags], capture_output=True, timeout=60, check=False, env={"METALLB_NODE_NAME": "a"}
    )
    return done.returncode


def test_every_image_has_somebody_who_is_asked_or_the_reason(manifests: Stacks) -> None:
    images = {
        each.image
        for objects in manifests.values()
        for each in placed(objects)
        # A job's containers are of its user.
        if "app.kubernetes.io/component" not in each.workload["metadata"]["labels"]
    }
    tables = [set(READ), set(RUN), set(UNREAD)]

    assert images == set.union(*tables)
    assert sum(map(len, tables)) == len(images)
    assert {*READ.values()} <= {*tools.TOOLS}
    assert [test for test in RUN.values() if not (HERE / test).is_file()] == []
