"""In every stack of this repository a part waits for what something in it needs, in both engines, and for nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest

from platform_def.config.cluster import Delivery
from platform_def.config.kubernetes import Kubernetes
from platform_def.delivery.deliver import deliver
from platform_def.delivery.gates import AFTER
from platform_def.delivery.target import ROOT, part_names
from platform_def.manifests.graph import Graph
from platform_def.manifests.rendered import Manifest, RenderedStack
from platform_def.pipeline.synth import Options, render
from tests.acceptance.repository import PROJECT

REPOSITORY = "https://git.example.com/platform.git"
NEW = Kubernetes("1.36")
"""A version of Kubernetes that both engines can order with."""


@pytest.fixture(scope="module")
def stacks() -> tuple[RenderedStack, ...]:
    """Those that people start from, and those that have every component."""
    roots = (PROJECT, PROJECT / "tests" / "coverage")
    found = [stack for root in roots for stack in render(Options(root=root, jobs=1)).stacks]
    return tuple(replace(each, platform=each.platform.with_facts(kubernetes=NEW)) for each in found)


def test_a_part_waits_for_nothing_that_nothing_in_it_needs(stacks: tuple[RenderedStack, ...]) -> None:
    astray = {}
    for stack in stacks:
        needed = dict(_needed(stack))
        for engine, waits in (("argocd", _gates(stack)), ("flux", _dependencies(stack))):
            assert waits.keys() == needed.keys()
            for part, names in waits.items():
                if names != needed[part]:
                    astray[f"{stack.name}, {engine}: {part}"] = names ^ needed[part]

    assert len(stacks) > 30
    assert astray == {}


def _needed(stack: RenderedStack) -> Iterator[tuple[str, set[str]]]:
    """By delivery object the others that come before it: its component's earlier part, what the component declares, and
    where its objects lead to."""
    names, graph = part_names(stack), Graph.of(stack)
    for component in stack.components.values():
        for index, part in enumerate(component.parts):
            here = f"{component.name}/{part}"
            found = {f"{component.name}/{earlier}" for earlier in component.parts[:index][-1:]}
            led = {
                f"{edge.target.component}/{edge.target.part}"
                for item in component.objects
                if item.part == part
                for edge in graph.edges(item)
                if not edge.weak and edge.target.component in stack.components
            }
            declared = {
                f"{name}/{stack.components[name].parts[-1]}"
                for name in component.requires
                if name in stack.components and stack.components[name].parts
            }
            served = {graph.definition(name) for name in component.awaits}
            looked_for = {f"{each.component}/{each.part}" for each in served if each}
            possible = found | led | declared | looked_for
            yield names[here], {names[need] for need in stack.needs[here] if need in possible}


def _gates(stack: RenderedStack) -> Mapping[str, set[str]]:
    """By Application those without which Argo CD cannot create it."""
    objects = [item["metadata"] | {"kind": item["kind"]} for item in _delivered(stack, "argocd")]
    assert not any("wave" in key for each in objects for key in each.get("annotations", {}))
    waits = {
        each["name"]: {key.removeprefix(AFTER) for key in each["labels"] if key.startswith(AFTER)}
        for each in objects
        if each["kind"] == "Application" and each["name"] != ROOT
    }
    assert {name for names in waits.values() for name in names} <= waits.keys()
    return waits


def _dependencies(stack: RenderedStack) -> Mapping[str, set[str]]:
    """By Kustomization those that Flux waits for."""
    return {
        item["metadata"]["name"]: {each["name"] for each in item["spec"].get("dependsOn", ())}
        for item in _delivered(stack, "flux")
        if item["kind"] == "Kustomization" and item["metadata"]["name"] != ROOT
    }


def _delivered(stack: RenderedStack, engine: str) -> list[Manifest]:
    to = Delivery.model_validate({"engine": engine, "repository": REPOSITORY})
    return [item.manifest for item in deliver(stack, to, {}).delivery]
