"""A real API server establishes every CRD that the project can write, and takes the example of every kind.

A server for each set of CRDs that go together: first as they are without their operators' webhooks, so that objects of
every version are judged; then entire.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

import pytest

from platform_def.crds.crd import crd
from platform_def.crds.examples import example
from platform_def.crds.model import Definition
from platform_def.pipeline.crds import definitions_by_release
from tests.cluster.client import Api, Applied, Manifest, Reply
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.definitions import condition_problems
from tests.cluster.samples import namespace
from tests.cluster.stored import lost_fields
from tests.cluster.waves import refusals, wait_until_served

pytestmark = [pytest.mark.cluster, pytest.mark.slow]


@dataclass
class Told:
    """What servers said against CRDs and examples."""

    crds: list[str] = field(default_factory=list)
    examples: list[str] = field(default_factory=list)


def sets() -> Iterator[list[tuple[Definition, Manifest]]]:
    """CRDs of which no two share a name: releases, channels and operators that exclude each other come one by one."""
    found: dict[str, list[tuple[Definition, Manifest]]] = {}
    for _, definition in definitions_by_release():
        made, same = crd(definition), found.setdefault(definition.name, [])
        if all(made != other for _, other in same):
            same.append((definition, made))
    for together in zip_longest(*found.values()):
        yield [each for each in together if each]


@pytest.fixture(scope="module")
def told(binaries: Mapping[str, Path]) -> Told:
    """Each set on a server of its own, one after the other."""
    found = Told()
    for together in sets():
        with ControlPlane(binaries) as control_plane:
            api = control_plane.api
            plain = api.apply_all(without_webhook(made) for _, made in together)
            found.examples += refused_examples(api, together, plain)
            # Each change of a CRD costs the server much: those without a webhook have come as they are.
            entire = api.apply_all(made for _, made in together if "conversion" in made["spec"])
            with_webhook = {each.key for each in entire}
            found.crds += bad_crds(api, [*(each for each in plain if each.key not in with_webhook), *entire])
    return found


def refused_examples(api: Api, together: list[tuple[Definition, Manifest]], crds: list[Applied]) -> list[str]:
    """What is said against the examples of every version that is served, as a strict apply that stores nothing."""
    examples = [example(version) for one, _ in together for version in one.versions if version.served]
    spaces = {space for each in examples if (space := each["metadata"].get("namespace"))}
    api.apply_all(map(namespace, sorted(spaces)))
    wait_until_served(api, [result.stored for result in crds if result.stored])
    return refusals(api.apply_all(examples, dry_run=True))


def without_webhook(made: Manifest) -> Manifest:
    """A CRD whose objects are stored as they come."""
    return {**made, "spec": {key: value for key, value in made["spec"].items() if key != "conversion"}}


def bad_crds(api: Api, results: list[Applied]) -> list[str]:
    """What is said against CRDs: refusals, conditions, fields that were lost."""
    problems = refusals(results)
    for result in results:
        problems += condition_problems(stored(api, result.sent))
        problems += [f"{result.key}: {path} was lost" for path in lost_fields(result.sent, result.stored or {})]
    return problems


def stored(api: Api, sent: Manifest) -> Manifest:
    """An object as the server has it, asked again where it is too busy to answer."""
    replies: list[Reply] = []

    def answers() -> bool:
        replies.append(api.read(sent))
        return replies[-1].status < 500

    until(answers, seconds=60, what=f"{sent['metadata']['name']} is read")
    return replies[-1].body


def test_every_crd_is_established_structural_and_kept_entire(told: Told) -> None:
    assert not told.crds, "CRDs are not good:\n" + "\n".join(sorted(told.crds))


def test_every_example_is_taken_in_every_version_that_is_served(told: Told) -> None:
    assert not told.examples, "examples are not good:\n" + "\n".join(told.examples)
