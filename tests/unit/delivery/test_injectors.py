"""The policy that keeps a pod back until the webhook that must change it is registered."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from platform_def.config.kubernetes import Kubernetes
from platform_def.delivery.deliver import deliver
from platform_def.delivery.pods.injectors import NAME, changed_pods
from platform_def.delivery.setup.bootstrap import bootstrap
from platform_def.delivery.target import BOOTSTRAP
from platform_def.manifests.rendered import Manifest, RenderedComponent, RenderedStack

from .samples import ARGOCD, FLUX, GATES, body, component, ordered
from .test_deadlocks import hooked, web

HOME = component("home", main=(body("v1", "Namespace", "vision"),))
INJECTOR = hooked(kind="Mutating", left_out="hooks")
POLICY, BINDING = "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"


def about(*components: RenderedComponent) -> dict[str, list[str]]:
    found = changed_pods(ordered(*components))
    return {hook.name: [str(item) for item in items] for hook, items in found.items()}


def policies(stack: RenderedStack, delivery: Any = ARGOCD) -> dict[str, Manifest]:
    made = deliver(stack, delivery, {}).delivery
    return {item.kind: item.manifest for item in made if item.name.startswith(NAME)}


def test_a_webhook_counts_if_it_changes_pods_and_refuses_them_while_it_does_not_answer() -> None:
    assert about(INJECTOR, web()) == {"pods.example.com": ["Deployment vision/web"]}
    assert about(hooked(kind="Mutating", left_out="hooks", operations=["UPDATE"]), web()) == {}
    assert about(hooked(kind="Mutating", left_out="hooks", scope="Cluster"), web()) == {}
    assert about(hooked(kind="Validating", left_out="hooks"), web()) == {}
    assert about(hooked(kind="Mutating", policy="Ignore", left_out="hooks"), web()) == {}


def test_pods_that_an_operator_will_make_in_a_namespace_count_too() -> None:
    assert about(INJECTOR, HOME) == {"pods.example.com": ["Namespace vision"]}
    assert about(hooked(kind="Mutating", left_out="vision"), HOME) == {
        "pods.example.com": ["Namespace hooks", "Deployment hooks/hook"]
    }


def test_the_policy_asks_for_the_configuration_of_the_webhook_about_the_pods_that_this_chooses() -> None:
    found = policies(ordered(INJECTOR, web()))

    policy, binding = found[POLICY]["spec"], found[BINDING]["spec"]
    assert policy["failurePolicy"] == "Fail"
    assert policy["paramKind"] == {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingWebhookConfiguration",
    }
    assert binding["paramRef"] == {"name": "pods", "parameterNotFoundAction": "Deny"}
    chosen = [("NotIn", ["hooks"]), ("NotIn", ["argocd"])]
    expressions = binding["matchResources"]["namespaceSelector"]["matchExpressions"]
    assert [(each["operator"], each["values"]) for each in expressions] == chosen
    assert all(each["metadata"]["labels"].items() >= BOOTSTRAP.items() for each in found.values())


def test_pods_are_chosen_by_their_labels_where_the_webhook_does() -> None:
    labelled = hooked(kind="Mutating", left_out="hooks")
    configuration = labelled.objects[-1].manifest
    configuration["webhooks"][0]["objectSelector"] = {"matchLabels": {"inject": "true"}}
    pod = {"metadata": {"labels": {"inject": "true"}}, "spec": {"containers": []}}
    chosen = component("web", main=(body("apps/v1", "Deployment", "web", "vision", spec={"template": pod}),))

    assert policies(ordered(labelled, web())) == {}
    found = policies(ordered(labelled, chosen))[BINDING]["spec"]["matchResources"]
    assert found["objectSelector"] == {"matchLabels": {"inject": "true"}}


@pytest.mark.parametrize("delivery", [GATES, FLUX])
def test_where_something_else_keeps_the_order_there_is_none(delivery: Any) -> None:
    assert policies(ordered(INJECTOR, web()), delivery) == {}


def test_a_stack_without_such_a_webhook_and_a_cluster_without_policies_have_none() -> None:
    stack = ordered(INJECTOR, web())
    old = replace(stack, platform=stack.platform.with_facts(kubernetes=Kubernetes("1.29")))

    assert policies(ordered(web())) == {}
    assert policies(old) == {}


def test_the_bootstrap_text_says_that_this_one_is_about_pods() -> None:
    lines = bootstrap(deliver(ordered(INJECTOR, web()), ARGOCD, {}), ARGOCD).splitlines()

    told = lines.index("   and this one, about pods that a webhook of the stack must change:")
    assert lines[told + 2] == f"   * {POLICY} {NAME}"
