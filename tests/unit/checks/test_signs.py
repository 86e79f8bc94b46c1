"""What a rule does not look at, for the sign that its author names is not there, would have had no finding."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from platform_def.checks.catalogue import checks, rules
from platform_def.checks.context import Context, Memo
from platform_def.checks.examples import cases
from platform_def.checks.fault import Fault
from platform_def.checks.rule import ObjectRule
from platform_def.manifests.paths import HeldPods, pods
from platform_def.manifests.rendered import Manifest, RenderedComponent, RenderedObject, RenderedStack
from platform_def.yaml import dump, load_all
from tests.unit.checks.core_examples import EXAMPLES
from tests.unit.checks.samples import config_map, deployment, rendered
from tests.unit.checks.seeded.seed import Seed, seeded
from tests.unit.checks.seeded.stacks import stacks
from tests.unit.checks.test_any_shape import SHAPES, places, put
from tests.unit.checks.test_seeded_defects import SEEDS

MEMO = Memo()
SIGNED = [rule for rule in rules() if isinstance(rule, ObjectRule) and rule.sign]
TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
TELLING: tuple[Any, ...] = (
    TOKEN,
    base64.b64encode(f"token is {TOKEN}".encode()).decode(),
    "https://me:hunter2@example.com/x",
    {"auths": '{"auth": "bWU6aHVudGVyMg=="}'},
    {"name": "API_TOKEN", "value": "hunter2hunter2"},
    {"a" * 25: "x", base64.b64encode(f"-{TOKEN}-".encode()).decode().rstrip("="): "x"},
    base64.b64encode(base64.b64encode(f"x {TOKEN}".encode())).decode(),
    "of ghcr.io/a/b:1.2 and quay.io/c/d@sha256:" + "0" * 64,
    "/etc\n" + base64.b64encode(f"  {TOKEN}".encode()).decode() + "\t",
    {"AccountKey": "a1B2c3D4e5F6" * 7 + "ab=="},
    ["--auth-token=hunter2hunter2"],
    "bitnami/kafka:3",
    "k8s.gcr.io/pause:3.1",
    {"containers": [{"name": "x", "image": "quay.io/kubernetes-ingress-controller/x:1"}]},
    {"containers": [{"name": "x", "image": "http://x/y", "securityContext": {"runAsNonRoot": True, "runAsUser": 0}}]},
    {"containers": [{"name": "x", "image": "x", "lifecycle": {"stopSignal": "SIGTERM"}}]},
    {"containers": [{"name": "x", "env": [{"name": "NCCL_IB_DISABLE", "value": "yes"}]}]},
    {"containers": [{"name": "x", "env": [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}]}]},
    {"containers": [{"name": "x", "resources": {"limits": {"rdma/ib": 1, "tencent.com/vcuda-core": 150}}}]},
    {"containers": [], "schedulerName": "kai-scheduler"},
    {"resources": {"requests": {"mem": 1}}},
    {"annotations": {"kueue.x-k8s.io/queue-name": "x", "gpu-fraction": "2"}},
    {"kueue.x-k8s.io/podset-slice-size": "x"},
)
"""Values that rules have something to say of, wherever they stand."""


def overlooked(stack: RenderedStack, items: Iterable[RenderedObject]) -> Iterator[tuple[str, Fault]]:
    """What rules find in objects that they do not look at; whatever is asked of an object in each of its texts at once."""
    context = Context(stack, MEMO)
    for _, alike in groupby(items, key=lambda item: id(item.manifest)):
        written = [*alike]
        item = written[0]
        found = tuple(pods(item.manifest))
        assert [each.pods for each in written] == [found] * len(written)
        with HeldPods(item.manifest, found):
            for rule in SIGNED:
                if rule.sign and not all(rule.sign(each.versioned_kind, each.text) for each in written):
                    given_ = rule.reads(context, item)
                    yield from ((rule.id, fault) for fault in rule.check(item.manifest, given_) or ())


def of(*manifests: Manifest, foreign: bool = True) -> list[tuple[str, Fault]]:
    """The same of manifests, as JSON, and as YAML where they can be written so."""
    texts = [(each, write(each)) for each in manifests for write in (json.dumps, _dumped)]
    objects = tuple(RenderedObject(each, "app", "main", "here", file_text=text) for each, text in texts if text)
    stack = replace(rendered(), components={"app": RenderedComponent("app", objects)}, foreign=foreign)
    return [*overlooked(stack, objects)]


def _dumped(manifest: Manifest) -> str:
    try:
        return dump(manifest)
    except ValueError:
        return ""


def test_most_rules_that_look_at_all_kinds_have_a_sign() -> None:
    assert len(SIGNED) >= 9


def test_a_plain_object_is_looked_at_by_few_rules() -> None:
    made = RenderedObject(config_map(), "app", "main", "here")
    running = RenderedObject(deployment(), "app", "main", "here")

    assert [rule.id for rule in SIGNED if rule.sign and rule.sign(made.versioned_kind, made.text)] == ["value-refused"]
    assert {rule.id for rule in SIGNED if rule.sign and rule.sign(running.versioned_kind, running.text)} == {
        "node-refused",
        "image-tag",
        "feature-gate",
        "image-inventory",
    }


@pytest.mark.parametrize("check", checks())
def test_nothing_in_the_examples_of_a_check_is_overlooked(check: str) -> None:
    for case in cases(check):
        for written in (case.breaking, case.keeping):
            for text in written.values() if not isinstance(written, str) else (written,):
                manifests = [each for each in cast(list[Any], load_all(text)) if isinstance(each, dict)]
                assert of(*manifests) == []


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: str(seed.id))
def test_no_seeded_defect_is_overlooked(seed: Seed) -> None:
    sound = stacks()[seed.stack]
    known = {item.text for item in sound.objects()}
    stack = seeded(sound, seed)

    assert [*overlooked(stack, (item for item in stack.objects() if item.text not in known))] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_what_tells_something_is_seen_at_every_place(name: str) -> None:
    manifest = EXAMPLES[name]
    for path in places(manifest):
        if path[0] not in ("apiVersion", "kind") and isinstance(path[-1], str):
            assert of(*(put(manifest, path, value) for value in TELLING)) == [], path


@given(st.data())
def test_nothing_in_any_value_at_any_place_is_overlooked(data: st.DataObject) -> None:
    manifest = EXAMPLES[data.draw(st.sampled_from(sorted(EXAMPLES)))]
    for _ in range(2):
        open_ = [path for path in places(manifest) if path[0] not in ("apiVersion", "kind")]
        manifest = put(manifest, data.draw(st.sampled_from(open_)), data.draw(SHAPES | st.sampled_from(TELLING)))

    assert of(manifest, foreign=data.draw(st.booleans())) == []
