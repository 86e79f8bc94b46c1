"""Kinds that the cluster has without a CRD of the stack's."""

from __future__ import annotations

from platform_def.checks.context import Context, Memo
from platform_def.checks.provided import provided_definitions
from platform_def.checks.rules.server.schema import SCHEMA
from platform_def.config.platform import ComponentFact, Platform
from platform_def.manifests.rendered import Manifest, RenderedStack
from tests.unit.checks.samples import found, rendered


def provided(release: str) -> dict[str, ComponentFact]:
    return {"training-operator": ComponentFact(release, "kubeflow", provided=True)}


def job(kind: str, spec: Manifest) -> Manifest:
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": kind,
        "metadata": {"name": "it", "namespace": "default"},
        "spec": spec,
    }


def test_a_provided_components_kinds_are_those_of_the_release_it_names() -> None:
    kinds = {release: provided_definitions(Platform(components=provided(release))) for release in ("1.7", "1.9.4", "")}

    assert ("kubeflow.org", "MXJob") in kinds["1.7"]
    assert ("kubeflow.org", "MXJob") not in kinds["1.9.4"]
    assert set(kinds[""]) == set(kinds["1.9.4"])


def test_objects_of_a_provided_component_are_held_against_its_types() -> None:
    container = {"name": "pytorch", "image": "registry.example.com/train:1"}
    worker = {"replicas": 2, "template": {"spec": {"containers": [container]}}}
    good = job("PyTorchJob", {"pytorchReplicaSpecs": {"Worker": worker}})
    bad = job("PyTorchJob", {"pytorchReplicaSpecs": {"Worker": {**worker, "replica": 2}}})

    assert found(SCHEMA, rendered(good, facts=provided("1.9.4"))) == []
    assert [finding.hint for finding in found(SCHEMA, rendered(bad, facts=provided("1.9.4")))] == [
        "did you mean 'replicas'?"
    ]


def test_a_component_that_the_stack_renders_is_not_provided() -> None:
    facts = {"training-operator": ComponentFact("1.9.4", "kubeflow")}

    assert provided_definitions(Platform(components=facts)) == {}


def test_stacks_of_a_run_share_what_is_provided_alike_and_nothing_else() -> None:
    memo = Memo()
    platforms = [
        Platform(components=provided("1.7")),
        Platform(components=provided("1.9.4")),
        Platform(components=provided("1.7"), delivery="flux"),
        Platform(components=provided("1.7"), registry="mirror.example.com"),
        Platform(components=provided("1.7"), apis=frozenset({"ServiceMonitor.monitoring.coreos.com"})),
    ]
    found_in = [Context(RenderedStack("it", each), memo).provided for each in platforms]

    assert found_in == [provided_definitions(each) for each in platforms]
    assert found_in[0] is found_in[3]
