"""The rule on the repository's own dist/: quiet as it stands, and loud for each object that is taken away."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from platform_def.checks.rules.references.reference_exists import REFERENCE_EXISTS
from platform_def.manifests.existing import exists
from platform_def.manifests.graph import Graph
from platform_def.manifests.index import Key
from platform_def.manifests.rendered import Manifest, RenderedComponent, RenderedObject, RenderedStack
from platform_def.yaml import load_all
from tests.unit.checks.samples import found, rendered

DIST = Path(__file__).parents[3] / "dist"
STACKS = sorted(path.name for path in DIST.iterdir() if (path / "index.json").is_file())


def read(stack: str) -> RenderedStack:
    files = sorted(path for path in (DIST / stack).rglob("*.yaml") if path.relative_to(DIST).parts[1] != "_delivery")
    loaded = [manifest for path in files for manifest in load_all(path.read_text(), file=path.name)]
    return rendered(*cast(list[Manifest], loaded))


def without(stack: RenderedStack, gone: RenderedObject) -> RenderedStack:
    left = tuple(item for item in stack.objects() if item is not gone)
    return RenderedStack(stack.name, stack.platform, {"app": RenderedComponent("app", left)})


@pytest.mark.parametrize("stack", STACKS)
def test_every_name_in_a_sample_stack_leads_somewhere(stack: str) -> None:
    assert [finding for finding in found(REFERENCE_EXISTS, read(stack)) if finding.severity == "error"] == []


def test_whatever_object_is_taken_away_those_that_name_it_are_found() -> None:
    stack = read("onprem-gpu")
    graph = Graph.of(stack)
    own = {
        None,
        *(item.name for item in stack.objects() if item.kind == "Namespace"),
    }  # not seen: what others may bring
    named: dict[Key, tuple[RenderedObject, RenderedObject]] = {}
    for item in stack.objects():
        for name in item.links.names:
            target = graph.target(name)
            if not target or name.optional or target.kind != name.kind or target is item or target.namespace not in own:
                continue
            if not exists(name, stack.platform):  # `system:` roles may be the cluster's
                named.setdefault(target.key, (target, item))

    assert len(named) > 30
    for target, naming in named.values():
        findings = found(REFERENCE_EXISTS, without(stack, target))
        assert naming.key in [finding.key for finding in findings if f"'{target.name}'" in finding.text], str(target)
