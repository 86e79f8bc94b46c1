"""Scope without a cluster, and paths as text."""

from __future__ import annotations

from platform_def.manifests.index import ObjectIndex
from platform_def.manifests.paths import containers, dotted
from platform_def.manifests.scope import namespaced
from tests.unit.checks.samples import crd, deployment, rendered


def test_core_kinds_are_known() -> None:
    assert namespaced("apps/v1", "Deployment") is True
    assert namespaced("v1", "Namespace") is False


def test_custom_kinds_are_known_by_their_crd_in_any_version() -> None:
    custom = ObjectIndex(rendered(crd({"type": "object"}, scope="Cluster")).objects()).custom

    assert namespaced("example.com/v9", "Thing", custom) is False
    assert namespaced("example.com/v1", "Other", custom) is None


def test_paths_put_odd_keys_into_brackets() -> None:
    assert dotted(("spec", "containers", 0, "image")) == "spec.containers[0].image"
    assert dotted(("metadata", "labels", "a/b")) == 'metadata.labels["a/b"]'


def test_containers_come_with_their_paths() -> None:
    manifest = deployment(pod={"initContainers": [{"name": "first"}]})

    assert [dotted(path) for path, _ in containers(manifest)] == [
        "spec.template.spec.containers[0]",
        "spec.template.spec.initContainers[0]",
    ]
