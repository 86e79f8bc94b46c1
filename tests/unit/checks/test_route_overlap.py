"""Which paths of VirtualServices hide each other: Istio tries older objects first, and `/` last."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.checks.rules.policy.route_overlap import ROUTE_OVERLAP
from platform_def.manifests.rendered import Manifest
from tests.unit.checks.samples import found, rendered

DOOR = "istio-system/web"


def service(name: str, *matches: dict[str, Any], hosts: tuple[str, ...] = ("*",), gateway: str = DOOR) -> Manifest:
    http = [{"match": [match], "route": [{"destination": {"host": name}}]} for match in matches]
    return {
        "apiVersion": "networking.istio.io/v1",
        "kind": "VirtualService",
        "metadata": {"name": name, "namespace": "a"},
        "spec": {"hosts": [*hosts], "gateways": [gateway], "http": http},
    }


def prefix(path: str, **more: Any) -> dict[str, Any]:
    return {"uri": {"prefix": path}, **more}


def told(*services: Manifest) -> list[tuple[str, str, str]]:
    return [(each.object, each.path, each.text) for each in found(ROUTE_OVERLAP, rendered(*services))]


def test_the_longer_path_is_told_with_who_may_take_its_requests() -> None:
    assert told(service("one", prefix("/x/")), service("two", prefix("/y/"), prefix("/x/y/"))) == [
        (
            "VirtualService a/two",
            "spec.http[1].match[0].uri.prefix",
            "'/x/y/' begins with '/x/' of VirtualService a/one, at the host * of Gateway istio-system/web",
        )
    ]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (service("one", prefix("/jupyter")), service("two", prefix("/jupyterhub/"))),
        (service("one", prefix("/x/")), service("two", {"uri": {"exact": "/x/y"}})),
        (service("one", prefix("/x/", name="all")), service("two", prefix("/x/y/", headers={"a": {"exact": "b"}}))),
        (service("one", prefix("/x/"), gateway="a/web"), service("two", prefix("/x/y/"), gateway="web")),
        (service("two", prefix("/x/")), service("one", prefix("/x/"))),
        (service("one", prefix("/x")), service("two", {"uri": {"exact": "/x"}})),
    ],
    ids=["a longer word", "exact", "a condition of the longer", "a gateway next to it", "equal", "equal and exact"],
)
def test_an_older_object_may_take_these(one: Manifest, two: Manifest) -> None:
    assert [item for item, _, _ in told(one, two)] == ["VirtualService a/two"]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (service("one", prefix("/")), service("two", prefix("/x/"))),
        (service("one", prefix("/x/", headers={"a": {"exact": "b"}})), service("two", prefix("/x/y/"))),
        (service("one", {"uri": {"exact": "/x"}}), service("two", {"uri": {"exact": "/x"}})),
        (service("one", prefix("/x/"), hosts=("a.example.com",)), service("two", prefix("/x/y/"))),
        (service("one", prefix("/x/"), gateway="b/web"), service("two", prefix("/x/y/"), gateway="web")),
        (service("one", prefix("/x/"), gateway="mesh"), service("two", prefix("/x/y/"), gateway="mesh")),
        (service("one", prefix("/x/y/"), prefix("/x/")), service("two", prefix("/z/"))),
    ],
    ids=["the root", "a condition", "both exact", "another host", "another gateway", "in the mesh", "one object"],
)
def test_these_do_not_meet(one: Manifest, two: Manifest) -> None:
    assert told(one, two) == []
