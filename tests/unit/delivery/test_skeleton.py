"""Stacks that differ only in what their order does not look at are ordered once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from platform_def.delivery.deadlocks import deadlocks
from platform_def.delivery.order import order
from platform_def.delivery.skeleton import identity, skeleton
from platform_def.manifests.rendered import RenderedComponent, RenderedStack
from platform_def.pipeline.cache import Cache
from platform_def.pipeline.ordering import deadlocks_in, ordered

from .samples import CERT_MANAGER, JOB, NAMESPACES, TRAINING, body, component, stack
from .test_deadlocks import hooked


def web(**changes: Any) -> RenderedComponent:
    """A component with a kind of each sort."""
    fields = {
        "host": "a.example.com",
        "data": "1",
        "replicas": 1,
        "image": "web:1",
        "secret": "tls",
        "labels": {"app": "web"},
        "selector": {"app": "web"},
        "name": "web",
        **changes,
    }
    pod = {"metadata": {"labels": fields["labels"]}, "spec": {"containers": [{"image": fields["image"]}]}}
    certificate = {"secretName": fields["secret"], "dnsNames": [fields["host"]]}
    return component(
        "web",
        main=(
            body("v1", "ConfigMap", "web", "vision", data={"a": fields["data"]}),
            body("v1", "Service", "web", "vision", spec={"selector": fields["selector"]}),
            body("apps/v1", "Deployment", "web", "vision", spec={"replicas": fields["replicas"], "template": pod}),
        ),
        after=(body("cert-manager.io/v1", "Certificate", fields["name"], "vision", spec=certificate),),
    )


@pytest.mark.parametrize("changes", [{"host": "b.example.com"}, {"data": "2"}, {"replicas": 2}, {"image": "web:2"}])
def test_hosts_data_and_numbers_decide_nothing(changes: dict[str, Any]) -> None:
    assert identity(stack(CERT_MANAGER, web(**changes))) == identity(stack(CERT_MANAGER, web()))


@pytest.mark.parametrize(
    "changes", [{"secret": "other"}, {"labels": {"app": "b"}}, {"selector": {"app": "b"}}, {"name": "other"}]
)
def test_names_labels_and_links_decide(changes: dict[str, Any]) -> None:
    assert identity(stack(CERT_MANAGER, web(**changes))) != identity(stack(CERT_MANAGER, web()))


@pytest.mark.parametrize(
    "other",
    [
        stack(CERT_MANAGER, NAMESPACES),
        stack(CERT_MANAGER, replace(TRAINING, requires=("cert-manager",))),
        stack(CERT_MANAGER, replace(TRAINING, awaits=("PyTorchJob.kubeflow.org",))),
        stack(CERT_MANAGER, TRAINING, jobs={"faces": (JOB,)}),
    ],
)
def test_components_and_jobs_decide(other: RenderedStack) -> None:
    assert identity(other) != identity(stack(CERT_MANAGER, TRAINING))


@pytest.mark.parametrize("change", [{"policy": "Ignore"}, {"left_out": "hooks"}, {"resources": ["configmaps"]}])
def test_webhooks_decide(change: dict[str, Any]) -> None:
    assert identity(stack(hooked(**change))) != identity(stack(hooked()))


def test_the_order_and_the_deadlocks_are_those_of_the_whole_stack() -> None:
    whole = stack(NAMESPACES, CERT_MANAGER, TRAINING, web(), hooked(), jobs={"faces": (JOB,)})
    one, other = order(whole), order(skeleton(whole))

    assert (one.needs, one.waves, one.servers, one.job_needs) == (
        other.needs,
        other.waves,
        other.servers,
        other.job_needs,
    )
    assert deadlocks(skeleton(whole)) == deadlocks(whole) != []


def test_what_was_found_for_one_stack_holds_for_those_that_are_alike() -> None:
    cache = Cache(None, "code")
    first = ordered(stack(CERT_MANAGER, web()), file="a.yaml", cache=cache)
    second = ordered(stack(CERT_MANAGER, web(host="b.example.com")), file="b.yaml", cache=cache)

    assert second.needs is first.needs
    assert deadlocks_in(cache)(first) is deadlocks_in(cache)(second)


@pytest.mark.parametrize("field", ["apiVersion", "kind", "metadata"])
def test_what_an_object_lacks_its_skeleton_lacks_too(field: str) -> None:
    whole = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "b"}}
    found = stack(component("odd", main=({key: value for key, value in whole.items() if key != field},)))

    assert [item.key for item in skeleton(found).objects()] == [item.key for item in found.objects()]


def _odd(**fields: Any) -> RenderedStack:
    return stack(component("odd", main=({"apiVersion": "v1", "kind": "ConfigMap", **fields},)))


@pytest.mark.parametrize(
    "metadata", [{"name": "a", "labels": {"big": 2**80}}, {"name": "a", "labels": []}, "text", None, {"name": "\udc80"}]
)
def test_objects_that_are_wrong_have_an_order_too(metadata: object) -> None:
    """What is wrong with them, others tell."""
    found = _odd(metadata=metadata, spec={"template": {"metadata": metadata}})

    assert ordered(found, file="a.yaml", cache=Cache(None, "code")).waves == order(found).waves
