"""A field of a custom resource that is empty, and so null: an API server drops it from what is created, and refuses it in
server-side apply, by which engines write. Upstream's WorkspaceKind `jupyterlab` has such a field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from platform_def.checks.engine import check
from platform_def.checks.rules.server.schema import SCHEMA
from platform_def.config.platform import Platform
from platform_def.crds.model import Definition
from platform_def.manifests.rendered import RenderedComponent, RenderedObject, RenderedStack
from tests.cluster.client import Api, Manifest
from tests.cluster.control_plane import ControlPlane
from tests.cluster.custom_kinds import as_served, examples, together
from tests.cluster.snapshots import snapshot

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def definition() -> Definition:
    """Of WorkspaceKinds."""
    return next(each for each in together() if each.name == "workspacekinds.kubeflow.org")


@pytest.fixture(scope="module")
def example(definition: Definition) -> Manifest:
    """One that is taken."""
    (found,) = examples([definition]).values()
    return found


@pytest.fixture(scope="module")
def api(binaries: Mapping[str, Path], definition: Definition) -> Iterator[Api]:
    """A server that serves them."""
    with ControlPlane(binaries, data=snapshot(binaries, [as_served(definition)])) as control_plane:
        yield control_plane.api


def test_a_null_is_dropped_from_what_is_created_and_refused_in_server_side_apply(api: Api, example: Manifest) -> None:
    pods = example["spec"]["podTemplate"]
    empty = {**example, "spec": {**example["spec"], "podTemplate": {**pods, "probes": None}}}
    path = f"{str(api.path(example)).rpartition('/')[0]}?dryRun=All&fieldValidation=Strict"

    created = api.request("POST", path, empty)
    applied = api.apply(empty, dry_run=True)

    assert created.status == 201, created.message
    assert "probes" not in created.body["spec"]["podTemplate"]
    assert "spec.podTemplate.probes" in str(applied.refusal)
    filled = {**empty, "spec": {**empty["spec"], "podTemplate": {**pods, "probes": {}}}}
    assert not api.apply(filled, dry_run=True).refusal


def test_the_check_warns_of_it(example: Manifest) -> None:
    pods = {**example["spec"]["podTemplate"], "probes": None}
    empty = {**example, "spec": {**example["spec"], "podTemplate": pods}}
    component = RenderedComponent("app", (RenderedObject(empty, "app", "main", "kind.yaml"),))

    (found,) = check(RenderedStack("test", Platform(), {"app": component}, foreign=True), rules=(SCHEMA,))
    assert (found.path, found.severity) == ("spec.podTemplate.probes", "warning")
