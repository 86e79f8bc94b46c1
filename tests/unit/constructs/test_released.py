"""What a build leaves in its process."""

from __future__ import annotations

import gc
import weakref

import cdk8s
import pytest
from constructs import Construct

from platform_def.apis.core.core_v1 import CONFIG_MAP
from platform_def.config.component import ComponentConfig
from platform_def.config.platform import Platform
from platform_def.constructs.component import Component
from platform_def.constructs.render import render
from platform_def.constructs.resource import Resource


class Small(Component[ComponentConfig]):
    """One object."""

    slug = "small"

    def build(self) -> None:
        self.object = Resource(self, CONFIG_MAP, "a", fields={"data": {"k": "v"}})


def small(scope: Construct) -> Small:
    return Small(scope, config=ComponentConfig(), platform=Platform())


def test_a_construct_ends_with_the_build_that_made_it() -> None:
    made: list[weakref.ref[Small]] = []

    def make(scope: Construct) -> Small:
        component = small(scope)
        made.append(weakref.ref(component))
        return component

    build = render(make)
    gc.collect()

    assert [each() for each in made] == [None]
    (only,) = build.objects
    assert only.manifest["data"] == {"k": "v"}


def test_one_that_fails_leaves_nothing_either() -> None:
    made: list[weakref.ref[Small]] = []

    def make(scope: Construct) -> Small:
        made.append(weakref.ref(small(scope)))
        raise LookupError("no such thing")

    with pytest.raises(LookupError):
        render(make)
    gc.collect()

    assert [each() for each in made] == [None]


def test_constructs_of_others_stay_as_they_are() -> None:
    theirs = cdk8s.Chart(cdk8s.App(), "chart", disable_resource_name_hashes=True)
    component = small(theirs)

    render(small)

    assert component.node.find_all()[-1] is component.object
