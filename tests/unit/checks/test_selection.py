"""Pods by their labels: looked up as they would be one by one."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.checks.context import Context, Memo
from platform_def.checks.selection import Neighbours, operated_namespaces, pods_by_namespace
from platform_def.manifests.admission import selects
from tests.unit.checks.samples import deployment, rendered


def neighbours() -> Neighbours:
    labels: list[dict[str, Any]] = [{"app": "a"}, {"app": "a", "tier": "web"}, {"app": "b"}, {"app": ["odd"]}, {}]
    manifests = [deployment(f"it-{index}") for index in range(len(labels))]
    for manifest, each in zip(manifests, labels, strict=True):
        manifest["spec"]["template"]["metadata"]["labels"] = each
    return Context(rendered(*manifests), Memo()).once(pods_by_namespace)["default"]


@pytest.mark.parametrize(
    "selector",
    [
        {},
        {"matchLabels": {"app": "a"}},
        {"matchLabels": {"app": "a", "tier": "web"}},
        {"matchLabels": {"app": "c"}},
        {"matchLabels": {"app": ["odd"]}},
        {"matchLabels": {"app": "a"}, "matchExpressions": [{"key": "tier", "operator": "DoesNotExist"}]},
        {"matchExpressions": [{"key": "app", "operator": "In", "values": ["b"]}]},
    ],
)
def test_a_selector_chooses_the_same_pods_as_if_each_were_asked(selector: dict[str, Any]) -> None:
    every = neighbours()

    assert every.selected(selector) == [each for each in every if selects(selector, each.labels)]


@pytest.mark.parametrize(("verbs", "operated"), [(["create", "delete"], {"default"}), (["get", "list"], set())])
def test_who_may_create_pods_makes_some_with_labels_that_are_not_known(verbs: list[str], operated: set[str]) -> None:
    role = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role",
        "metadata": {"name": "spawner", "namespace": "default"},
        "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": verbs}],
    }

    assert Context(rendered(role), Memo()).once(operated_namespaces) == operated
