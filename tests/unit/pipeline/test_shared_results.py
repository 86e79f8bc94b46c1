"""Stacks of one run share what they have alike; each is what it would be by itself."""

from __future__ import annotations

import gc
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FunctionType, ModuleType
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from platform_def.config.cluster import Ingress
from platform_def.config.platform import Platform
from platform_def.manifests.rendered import RenderedObject
from platform_def.manifests.workloads import _all_pods
from platform_def.pipeline.build.stacks import Progress
from platform_def.pipeline.fleet import run
from platform_def.pipeline.fleet.run import Fleet, work
from platform_def.pipeline.synth import Options, render

from .repository import HEAD, write

LABELS = "{labels: {tier: ml}}"
DRAWN = st.fixed_dictionaries(
    {
        "engine": st.sampled_from(["none", "argocd", "flux"]),
        "registry": st.sampled_from(["", "mirror.example.com"]),
        "nodes": st.integers(1, 2),
        "team": st.sampled_from(["vision", "speech"]),
        "labels": st.sampled_from(["{}", LABELS]),
    }
)


def member(drawn: dict[str, object]) -> str:
    """A stack file."""
    delivery = f'{{engine: {drawn["engine"]}, repository: "https://git.example.com/platform.git"}}'
    return (
        HEAD.replace('"1.36"', f'"1.36", registry: {drawn["registry"]}' if drawn["registry"] else '"1.36"')
        + (f"delivery: {delivery}\n" if drawn["engine"] != "none" else "")
        + f"teams: [{{name: {drawn['team']}}}]\n"
        + "nodePools:\n"
        + f"  - {{name: gpu, nodes: {drawn['nodes']}, selector: {{pool: gpu}}, "
        + "gpu: {model: a100-80gb, perNode: 8}}\n"
        + f"components: {{nvidia-device-plugin: {drawn['labels']}, metrics-server: {{}}}}\n"
    )


def worked(root: Path, cache: Path | None, *names: str) -> Fleet:
    return work(Options(root, names, cache, jobs=1), {})


@settings(max_examples=max(1, settings().max_examples // 20))  # each is a dozen renderings
@given(st.lists(DRAWN, min_size=3, max_size=5))
def test_a_fleet_has_of_each_stack_what_it_has_alone(every: list[dict[str, object]]) -> None:
    with TemporaryDirectory() as folder, patch.object(run, "GROUP", 2):
        root = write(Path(folder), {f"stacks/s{number}.yaml": member(each) for number, each in enumerate(every)})
        together = worked(root, root / "cache")
        again = worked(root, root / "cache")
        for name in together.files:
            alone = worked(root, None, name)

            assert together.files[name] == again.files[name] == alone.files[name]
            assert together.accounts[name] == again.accounts[name] == alone.accounts[name]


def test_stacks_share_the_objects_that_their_own_builds_have_alike(tmp_path: Path) -> None:
    every = ("{}", "{workloads: {metrics-server: {replicas: 2}}}")
    files = {
        f"stacks/s{number}.yaml": f"{HEAD}components: {{metrics-server: {each}}}\n" for number, each in enumerate(every)
    }
    both = render(Options(write(tmp_path, files), (), tmp_path / "cache", jobs=1)).stacks
    texts = [{item.text: item for item in stack.components["metrics-server"].objects} for stack in both]
    alike = texts[0].keys() & texts[1].keys()

    assert 0 < len(alike) < len(texts[0])
    assert all(texts[0][text] is texts[1][text] for text in alike)


GATEWAY = """\
gateway: emissary
ingress: {{kind: {kind}, host: {host}}}
components: {{emissary: {{}}, cert-manager: {{}}}}
"""


@pytest.mark.parametrize(("kind", "built"), [("cloud", ["b/emissary"]), ("nodePort", ["b/emissary"] * 2)])
def test_a_gateway_is_built_once_for_stacks_that_differ_in_their_hosts(
    tmp_path: Path, kind: str, built: list[str]
) -> None:
    """What else differs builds both of its halves again."""
    told: list[Progress] = []
    first = {"stacks/a.yaml": HEAD + GATEWAY.format(kind="cloud", host="a.example.com")}
    second = {"stacks/b.yaml": HEAD + GATEWAY.format(kind=kind, host="b.example.com")}
    render(Options(write(tmp_path, first), (), tmp_path / "cache", jobs=1))
    a, b = render(Options(write(tmp_path, second), (), tmp_path / "cache", jobs=1, report=told.append)).stacks
    one, other = ({item.key: item for item in stack.components["emissary"].objects} for stack in (a, b))

    assert [each.what for each in told if not each.cached and "emissary" in each.what] == built
    assert [item.manifest["spec"]["hostname"] for item in one.values() if item.kind == "Host"] == ["a.example.com"]
    assert {item.kind for item in other.values() if item.kind != "Service"} == {
        item.kind for item in one.values() if item.kind != "Service"
    }
    assert "b.example.com" in {item.manifest["spec"]["hostname"] for item in other.values() if item.kind == "Host"}


def test_what_is_built_for_all_hosts_cannot_read_one() -> None:
    door = Platform(ingress=Ingress(kind="cloud", host="a.example.com")).door

    assert (door.kind, door.balanced) == ("cloud", True)
    for read in (lambda: door.host, lambda: door.further_hosts, door.address):
        with pytest.raises(AssertionError, match="built for all hosts"):
            read()


def test_objects_do_not_lead_back_to_themselves(tmp_path: Path) -> None:
    """What survives a group of stacks is looked through once: circles of what is let go later would stay for good."""
    drawn = {"engine": "argocd", "registry": "", "nodes": 1, "team": "vision", "labels": "{}"}
    (stack,) = render(Options(write(tmp_path, {"stacks/s.yaml": member(drawn)}), jobs=1)).stacks

    assert [str(item) for item in stack.objects() if _leads_to(item, _held(item))] == []


def _held(item: RenderedObject) -> list[object]:
    """What is held with an object; its pods know it, which few objects have."""
    facts = [value for made, value in item._facts.items() if made is not _all_pods]
    return [*facts, *(value for name, value in item.__dict__.items() if name != "_facts")]


def _leads_to(item: RenderedObject, start: object) -> bool:
    todo, seen = [start], {id(start)}
    while todo:
        for each in gc.get_referents(todo.pop()):
            if each is item:
                return True
            if id(each) not in seen and not isinstance(each, type | ModuleType | FunctionType):
                seen.add(id(each))
                todo.append(each)
    return False
