"""Runs a component or job through cdk8s and collects its objects: the only place that makes an App."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import cdk8s
from constructs import Construct

from platform_def.config.objects import Drift, Made, Part, Stored, part_of
from platform_def.constructs.component import Component, Owner
from platform_def.constructs.knobs import WorkloadRole
from platform_def.constructs.node import pending, released
from platform_def.constructs.resource import Manifest, Resource


@dataclass(frozen=True)
class Stock:
    """An object that was made by cdk8s' own ApiObject, as if a Resource had made it."""

    manifest: Manifest
    part: Part
    origin: str


@dataclass(frozen=True)
class Build:
    """What a component or a job came to."""

    objects: tuple[Resource | Stock, ...]
    drifts: tuple[Drift, ...] = field(default=())
    makes: tuple[Made, ...] = field(default=())
    awaits: tuple[str, ...] = field(default=())
    """Custom resources, as `Kind.group`, whose CRDs must be there before its programs start."""
    stored: tuple[Stored, ...] = field(default=())
    roles: Mapping[str, WorkloadRole] = field(default_factory=dict)
    """Workloads that a stack may change, by name."""


@released()
def render(make: Callable[[Construct], Owner]) -> Build:
    """Build in a flat chart of its own: charts that depend on each other grow exponentially in cdk8s."""
    with pending() as tree:
        chart = cdk8s.Chart(cdk8s.App(), "chart", disable_resource_name_hashes=True)
        owner = make(chart)
        if tree.holds(chart):  # without validations, which are added by asking Node
            constructs = [*tree.all_below(chart)]
        else:
            constructs = chart.node.find_all()
            if problems := [problem for each in constructs for problem in each.node.validate()]:
                raise ValueError(f"{owner.path}: {'; '.join(problems)}")
        # `chart.api_objects` has those directly below the chart alone.
        objects = tuple(_built(item) for item in constructs if isinstance(item, cdk8s.ApiObject))
    if not isinstance(owner, Component):
        return Build(objects)
    made = tuple(owner.drifts), tuple(owner.made), tuple(owner.awaited), tuple(owner.stored)
    return Build(objects, *made, owner.roles.known())


def _built(item: cdk8s.ApiObject) -> Resource | Stock:
    if isinstance(item, Resource):
        return item
    manifest: dict[str, Any] = item.to_json()
    part = part_of(item.kind)
    return Stock(manifest, part, item.node.path.partition("/")[2])
