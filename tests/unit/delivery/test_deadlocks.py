"""Which objects would wait for each other endlessly if nothing kept their order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from platform_def.config.kubernetes import Kubernetes
from platform_def.delivery.deadlocks import deadlocks
from platform_def.delivery.deliver import deliver
from platform_def.errors import ConfigError
from platform_def.manifests.rendered import Manifest, RenderedComponent

from .samples import ARGOCD, GATES, body, component, ordered

POD = {"metadata": {"labels": {"app": "hook"}}, "spec": {"containers": []}}


def hooked(*, kind: str = "Validating", policy: str = "Fail", left_out: str = "", **rule: Any) -> RenderedComponent:
    """A component with a webhook about pods, and the Deployment that answers it."""
    expression = {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": [left_out]}
    webhook: Manifest = {
        "name": "pods.example.com",
        "failurePolicy": policy,
        "clientConfig": {"service": {"name": "hook", "namespace": "hooks"}},
        "namespaceSelector": {"matchExpressions": [expression]},
        "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"], **rule}],
    }
    return component(
        "hook",
        main=(
            body("v1", "Namespace", "hooks"),
            body("v1", "Service", "hook", "hooks", spec={"selector": {"app": "hook"}}),
            body("apps/v1", "Deployment", "hook", "hooks", spec={"template": POD}),
            body("admissionregistration.k8s.io/v1", f"{kind}WebhookConfiguration", "pods", webhooks=[webhook]),
        ),
    )


def web(**pod: Any) -> RenderedComponent:
    template = {"metadata": {}, "spec": {"containers": [], **pod}}
    return component("web", main=(body("apps/v1", "Deployment", "web", "vision", spec={"template": template}),))


def test_a_webhook_that_must_admit_the_pods_which_answer_it_is_a_deadlock() -> None:
    (steps,) = deadlocks(ordered(hooked()))

    assert steps == [
        "Deployment hooks/hook waits for the webhook pods.example.com: it must admit its pods",
        "the webhook pods.example.com waits for Service hooks/hook: its Service answers it",
        "Service hooks/hook waits for Deployment hooks/hook: its pods must run",
    ]


@pytest.mark.parametrize(
    "free",
    [
        hooked(left_out="hooks"),
        hooked(policy="Ignore"),
        hooked(resources=["configmaps"]),
    ],
)
def test_one_that_leaves_them_out_is_none(free: RenderedComponent) -> None:
    assert deadlocks(ordered(free, web())) == []


def test_what_the_pods_need_counts_too() -> None:
    """The webhook's pods mount a Secret that an operator writes, and the webhook must admit the operator's pods."""
    volumes = [{"name": "tls", "secret": {"secretName": "tls"}}]
    needy = hooked(left_out="hooks")
    service = needy.objects[2].manifest["spec"]["template"]["spec"]
    assert service == POD["spec"]
    pod = {**POD, "spec": {**service, "volumes": volumes}}
    other = component(
        "other",
        crds=(
            body(
                "apiextensions.k8s.io/v1",
                "CustomResourceDefinition",
                "certificates.cert-manager.io",
                spec={"group": "cert-manager.io", "names": {"kind": "Certificate"}},
            ),
        ),
        main=(body("apps/v1", "Deployment", "issuer", "issuing", spec={"template": {"metadata": {}, "spec": {}}}),),
    )
    mounted = component(
        "hook",
        main=(
            *(item.manifest for item in needy.objects if item.kind != "Deployment"),
            body("apps/v1", "Deployment", "hook", "hooks", spec={"template": pod}),
            body("cert-manager.io/v1", "Certificate", "tls", "hooks", spec={"secretName": "tls"}),
        ),
    )

    (steps,) = deadlocks(ordered(mounted, other))

    assert {each.partition(" waits")[0] for each in steps} >= {"Certificate hooks/tls", "Deployment issuing/issuer"}


def test_a_webhook_that_must_admit_its_own_namespace_is_a_deadlock() -> None:
    (steps,) = deadlocks(ordered(hooked(resources=["namespaces"])))

    assert steps == [
        "Namespace hooks waits for the webhook pods.example.com: it must admit it",
        "the webhook pods.example.com waits for Service hooks/hook: its Service answers it",
        "Service hooks/hook waits for Service hooks/hook: it must exist",
        "Service hooks/hook waits for Namespace hooks: lives in the namespace hooks",
    ]


def test_plain_applications_are_refused_where_they_could_not_come_up() -> None:
    stack = ordered(hooked())

    with pytest.raises(
        ConfigError, match="with `retries`, the default, these objects would wait for each oth"
    ) as caught:
        deliver(stack, ARGOCD, {})

    leave_out = "have the webhook leave out the namespace of its own pods"
    assert caught.value.problems[0].hint == f"{leave_out}, or write `delivery: {{order: gates}}`"
    assert deliver(stack, GATES, {}).delivery
    old = replace(stack, platform=stack.platform.with_facts(kubernetes=Kubernetes("1.29")))
    with pytest.raises(ConfigError) as without:
        deliver(old, ARGOCD, {})
    assert without.value.problems[0].hint == leave_out, "a cluster without policies has no gates"
