"""Namespaces that people register: what a stack must do for them, and which labels no one knows there."""

from __future__ import annotations

from typing import Any

from platform_def.capabilities import AccessManagement, PipelineServer
from platform_def.checks.rules.operators.registered_namespaces import REGISTERED_NAMESPACES
from platform_def.checks.rules.references.network_peer import NETWORK_PEER
from platform_def.config.capability import Provision
from platform_def.config.platform import Platform
from platform_def.manifests.rendered import Manifest, RenderedComponent, RenderedObject, RenderedStack
from tests.unit.checks.samples import found

SERVER: Manifest = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "ml-pipeline", "namespace": "kubeflow"},
}
PEER = {"namespaceSelector": {"matchLabels": {"pipelines.kubeflow.org/enabled": "true"}}}
POLICY: Manifest = {
    "apiVersion": "networking.k8s.io/v1",
    "kind": "NetworkPolicy",
    "metadata": {"name": "ml-pipeline", "namespace": "kubeflow"},
    "spec": {"podSelector": {}, "ingress": [{"from": [PEER]}]},
}


def stack(*, registration: bool = True, **server: Any) -> RenderedStack:
    given = (
        Provision.of(AccessManagement(host="kfam.kubeflow", registration=registration), "profiles"),
        Provision.of(PipelineServer(host="ml-pipeline.kubeflow", account="pipeline-runner", **server), "kfp"),
    )
    items = tuple(RenderedObject(each, "kfp", "main", "kfp/made") for each in (SERVER, POLICY))
    return RenderedStack("test", Platform(provisions=given), {"kfp": RenderedComponent("kfp", items)})


def test_who_registers_gets_no_pipelines_unless_the_stack_says_so() -> None:
    [finding] = found(REGISTERED_NAMESPACES, stack())

    assert "have no pipelines" in finding.text
    assert "registeredNamespaces: true" in finding.hint


def test_a_key_that_no_one_makes_is_told() -> None:
    [finding] = found(REGISTERED_NAMESPACES, stack(registered=True, unmade="kfp-<namespace>-bucket"))

    assert "kfp-<namespace>-bucket" in finding.text


def test_where_no_one_registers_or_all_is_made_or_runs_are_in_one_place_nothing_is_told() -> None:
    quiet = (stack(registration=False), stack(registered=True), stack(by_namespace=False))

    assert [finding for each in quiet for finding in found(REGISTERED_NAMESPACES, each)] == []


def test_labels_of_namespaces_that_people_register_are_not_looked_for_in_the_stack() -> None:
    assert found(NETWORK_PEER, stack()) == []
    [finding] = found(NETWORK_PEER, stack(registration=False))
    assert "no namespace of the stack has the labels" in finding.text
