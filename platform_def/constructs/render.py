"""Runs a component or job through cdk8s and collects its objects: the only place that makes an App."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import cdk8s
from constructs import Construct

from platform_def.constructs.component import Component, Mutation, Owner, RunTimeObject
from platform_def.constructs.parts import Part, part_of
from platform_def.constructs.resource import Manifest, Resource


@dataclass(frozen=True)
class Made:
    """One object as a construct made it."""

    manifest: Manifest
    part: Part
    origin: str


@dataclass(frozen=True)
class Build:
    """What a component or a job came to."""

    objects: tuple[Made, ...]
    mutations: tuple[Mutation, ...] = field(default=())
    makes: tuple[RunTimeObject, ...] = field(default=())


def render(make: Callable[[Construct], Owner]) -> Build:
    """Build in a flat chart of its own: charts that depend on each other grow exponentially in cdk8s."""
    chart = cdk8s.Chart(cdk8s.App(), "chart", disable_resource_name_hashes=True)
    owner = make(chart)
    problems = chart.node.validate()
    if problems:
        raise ValueError(f"{owner.path}: {'; '.join(problems)}")
    mutations = tuple(owner.mutations) if isinstance(owner, Component) else ()
    makes = tuple(owner.run_time_objects) if isinstance(owner, Component) else ()
    # `chart.api_objects` has those directly below the chart alone.
    objects = (item for item in chart.node.find_all() if isinstance(item, cdk8s.ApiObject))
    return Build(tuple(_made(item) for item in objects), mutations, makes)


def _made(item: cdk8s.ApiObject) -> Made:
    if isinstance(item, Resource):
        return Made(item.manifest, item.part, item.origin)
    manifest: dict[str, Any] = item.to_json()
    part = part_of(item.kind)
    return Made(manifest, part, item.node.path.partition("/")[2])
