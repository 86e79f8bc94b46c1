"""HAMi reads its files and flags as the stack means them, and gives out parts of cards under its own account.

Real: the API server, kube-scheduler by HAMi's configuration, HAMi's extender and webhook with their account, rights and
files. What is played says `hami.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from functools import partial
from pathlib import Path

import pytest

from platform_def.yaml import dump, load
from tests.cluster import rights
from tests.cluster.client import Manifest
from tests.cluster.conftest import or_skip, show_logs
from tests.cluster.hami import CARD_MEMORY, CARDS, PACKAGES, READER, SharedCards, card_node, obtain_hami, start_hami
from tests.cluster.operated import operated
from tests.cluster.readers import Placed, ask, lost, placed
from tests.cluster.stacks import rendered_stack
from tests.cluster.test_read_by import changed, ended, misspelt

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
nodePools:
  - {name: share, nodes: 2, gpu: {model: l4, perNode: 2, sharing: {mode: vgpu, layer: hami, replicas: 4}}}
components:
  hami: {}
  cert-manager: {}
"""
HALF = CARD_MEMORY // 2


@pytest.fixture(scope="module")
def hami() -> Mapping[str, Path]:
    """The programs."""
    return or_skip(obtain_hami)


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> list[Manifest]:
    """What the stack renders for it."""
    stack = rendered_stack(tmp_path_factory.mktemp("hami"), STACK, name="hami")
    return [deepcopy(item.manifest) for name in ("namespaces", "hami") for item in stack.components[name].objects]


@pytest.fixture(scope="module")
def running(hami: Mapping[str, Path], objects: list[Manifest], programs: Mapping[str, Path]) -> Iterator[SharedCards]:
    """The cluster with two nodes, and HAMi at work."""
    nodes = [card_node(name) for name in ("one", "two")]
    with operated(programs, objects, nodes, partial(start_hami, hami=hami)) as cards:
        yield cards


@pytest.fixture
def cards(running: SharedCards, request: pytest.FixtureRequest) -> Iterator[SharedCards]:
    """The shared cluster without pods of users."""
    show_logs(request, running.control_plane)
    yield running
    running.clear()


def containers(objects: Sequence[Manifest]) -> list[Placed]:
    return [each for each in placed(objects) if each.image == "projecthami/hami"]


def held(reader: Path, texts: list[str]) -> list[Manifest]:
    """What HAMi holds of its files; nothing where it refuses one."""
    return [load(each["config"]) if "config" in each else {} for each in ask(reader, texts)]  # type: ignore[misc]


def test_scheduler_and_device_plugin_hold_what_the_pool_says(hami: Mapping[str, Path], objects: list[Manifest]) -> None:
    readers = [each for each in containers(objects) if any("config-file=" in word for word in each.command)]
    texts = {each.file("/device-config.yaml") for each in readers}
    (text,) = texts
    (config,) = held(hami[READER], [text])

    assert {each.command[0] for each in readers} == {"scheduler", "nvidia-device-plugin"}
    assert config["nvidia"]["deviceSplitCount"] == 4
    assert told(text, config) == []


def test_each_changed_key_is_told(hami: Mapping[str, Path], objects: list[Manifest]) -> None:
    text = next(each.file("/device-config.yaml") for each in containers(objects) if each.command[0] == "scheduler")
    wrong = [dump(each) for each in changed(load(text))]

    assert [each for each, config in zip(wrong, held(hami[READER], wrong), strict=True) if not told(text, config)] == []


def told(text: str, config: Manifest) -> list[str]:
    """What of a file is not held; the level of the library's log is a word for HAMi."""
    return [each for each in lost(load(text), config) if "libCudaLogLevel: 1 is understood as '1'" not in each]


def test_flags_are_those_of_the_programs(hami: Mapping[str, Path], objects: list[Manifest]) -> None:
    found = containers(objects)
    for each in found:
        program, flags = hami[each.command[0]], each.command[1:]

        assert ended(program, [*flags, "--help"]) == 0, flags
        assert 0 not in {ended(program, [*wrong, "--help"]) for wrong in misspelt(flags)}, flags
    assert {each.command[0] for each in found} == {*PACKAGES} - {READER}


def test_pods_that_name_no_scheduler_get_the_parts_that_they_ask_for_on_different_cards(cards: SharedCards) -> None:
    pods = [cards.submit(f"part-{number}", memory=6000) for number in range(CARDS)]
    given = [cards.placed(pod) for pod in pods]
    specs = [cards.now(pod)["spec"] for pod in pods]

    assert [each[2:] for each in given] == [(6000, 25)] * CARDS
    assert len({node for node, *_ in given}) == 1
    assert len({card for _, card, *_ in given}) == CARDS
    assert {(each["schedulerName"], each["runtimeClassName"]) for each in specs} == {("hami-scheduler", "nvidia")}
    assert cards.extender.forbidden() == []
    assert cards.scheduler.forbidden() == []


def test_a_card_s_memory_is_given_once(cards: SharedCards) -> None:
    full = [cards.placed(cards.submit(f"half-{number}", memory=HALF)) for number in range(2 * 2 * CARDS)]
    late = cards.submit("late", memory=HALF)
    cards.wait(lambda: cards.waits(late), "it is said that no node takes it")
    nowhere = cards.node(late)
    gone = cards.now({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "half-0", "namespace": "default"}})
    api = cards.control_plane.api
    api.request("DELETE", f"{api.path(gone)}?gracePeriodSeconds=0")

    assert sorted({each[1] for each in full}) == sorted(each[1] for each in full)[::2]
    assert nowhere == ""
    assert cards.placed(late)[:2] == full[0][:2]
    assert cards.extender.forbidden() == []


def test_a_pod_without_gpus_is_left_to_kubernetes_scheduler(cards: SharedCards) -> None:
    pod: Manifest = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "plain", "namespace": "default"},
        "spec": {"containers": [{"name": "main", "image": "a:1"}]},
    }

    assert cards.control_plane.api.apply(pod).stored["spec"]["schedulerName"] == "default-scheduler"  # type: ignore[index]


@pytest.mark.parametrize("right", [("", "nodes", "patch"), ("", "pods", "patch")], ids=lambda right: right[1])
def test_without_one_of_its_rights_it_is_refused(cards: SharedCards, right: tuple[str, str, str]) -> None:
    with rights.withheld(cards.extender, right):
        cards.submit("poor", memory=6000)

        assert f'cannot {right[2]} resource "{right[1]}"' in cards.extender.refusal().replace("\\", "")
    cards.extender.log.write_text("")
