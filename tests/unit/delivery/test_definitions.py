"""The policy that keeps a pod back until the definitions are there that its program looks for only when it starts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from platform_def.config.kubernetes import Kubernetes
from platform_def.delivery.deadlocks import deadlocks
from platform_def.delivery.deliver import deliver
from platform_def.delivery.pods.definitions import NAME, awaiting
from platform_def.delivery.setup.bootstrap import bootstrap
from platform_def.delivery.target import BOOTSTRAP
from platform_def.errors import ConfigError
from platform_def.manifests.graph import Graph
from platform_def.manifests.rendered import Manifest, RenderedComponent, RenderedStack

from .samples import ARGOCD, FLUX, GATES, body, component, crd, ordered

POLICY, BINDING = "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"
JOB, WIDGET = "PyTorchJob.kubeflow.org", "Widget.example.com"


def program(name: str, namespace: str, *, kind: str = "Deployment", of: str = "") -> Manifest:
    labels = {"app.kubernetes.io/name": name, "app.kubernetes.io/instance": of or name}
    return body("apps/v1", kind, name, namespace, spec={"template": {"metadata": {"labels": labels}, "spec": {}}})


def looking(name: str, *main: Manifest, looks_for: tuple[str, ...], **parts: Any) -> RenderedComponent:
    return replace(component(name, main=main or (program(name, "vision"),), **parts), awaits=looks_for)


TRAINING = looking("training", program("training", "jobs"), looks_for=(JOB,), crds=(crd("PyTorchJob", "kubeflow.org"),))
SEARCH = looking("search", looks_for=(JOB, WIDGET))


def about(*components: RenderedComponent) -> dict[str, list[str]]:
    stack = ordered(*components)
    return {str(each): [str(item) for item in items] for each, items in awaiting(stack, Graph.of(stack)).items()}


def policies(stack: RenderedStack, delivery: Any = ARGOCD) -> dict[str, Manifest]:
    made = deliver(stack, delivery, {}).delivery
    return {f"{item.kind} {item.name}": item.manifest for item in made if item.name.startswith(NAME)}


def test_definitions_of_the_stack_that_components_await_keep_their_programs_back_own_ones_too() -> None:
    definition = "CustomResourceDefinition pytorchjobs.kubeflow.org"

    assert about(TRAINING, SEARCH) == {definition: ["Deployment vision/search", "Deployment jobs/training"]}
    assert about(SEARCH) == {}


def test_only_programs_that_run_on_are_kept_back() -> None:
    others = (program("once", "vision", kind="Job"), body("v1", "ConfigMap", "settings", "vision"))
    runs = [program(kind.lower(), "vision", kind=kind) for kind in ("DaemonSet", "Deployment", "StatefulSet")]
    found = about(TRAINING, looking("search", *others, *runs, looks_for=(JOB,)))

    kept = [f"{each['kind']} vision/{each['metadata']['name']}" for each in runs]
    assert found == {"CustomResourceDefinition pytorchjobs.kubeflow.org": [*kept, "Deployment jobs/training"]}
    assert about(replace(TRAINING, awaits=()), looking("search", *others, looks_for=(JOB,))) == {}


def test_the_policy_asks_for_the_established_definition_about_the_pods_of_those_that_look_for_it() -> None:
    found = policies(ordered(TRAINING, SEARCH))

    policy = found[f"{POLICY} {NAME}"]["spec"]
    binding = found[f"{BINDING} {NAME}.pytorchjobs.kubeflow.org"]["spec"]
    assert len(found) == 2
    assert policy["failurePolicy"] == "Fail"
    assert policy["paramKind"] == {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
    assert policy["matchConstraints"]["resourceRules"][0]["resources"] == ["pods"]
    assert "'Established'" in policy["validations"][0]["expression"]
    assert binding["paramRef"] == {"name": "pytorchjobs.kubeflow.org", "parameterNotFoundAction": "Deny"}
    assert binding["validationActions"] == ["Deny"]
    chosen = binding["matchResources"]
    assert {key: _said(selector) for key, selector in chosen.items()} == {
        "namespaceSelector": [("kubernetes.io/metadata.name", "In", ["jobs", "vision"])],
        "objectSelector": [
            ("app.kubernetes.io/name", "In", ["search", "training"]),
            ("app.kubernetes.io/instance", "In", ["search", "training"]),
        ],
    }
    assert all(each["metadata"]["labels"].items() >= BOOTSTRAP.items() for each in found.values())


def _said(selector: Manifest) -> list[tuple[str, str, list[str]]]:
    return [(each["key"], each["operator"], each["values"]) for each in selector["matchExpressions"]]


def test_pods_in_the_namespace_of_the_engine_that_is_to_bring_the_definitions_do_not_wait() -> None:
    both = looking("search", program("one", "argocd"), program("two", "vision"), looks_for=(JOB,))
    own = looking("search", program("one", "argocd"), looks_for=(JOB,))
    plain = replace(TRAINING, awaits=())

    (found,) = (each for name, each in policies(ordered(plain, both)).items() if name.startswith(BINDING))
    chosen = found["spec"]["matchResources"]
    assert [values for selector in chosen.values() for _, _, values in _said(selector)] == [
        ["vision"],
        ["two"],
        ["two"],
    ]
    assert policies(ordered(plain, own)) == {}


@pytest.mark.parametrize("delivery", [GATES, FLUX])
def test_where_something_else_keeps_the_order_there_is_none(delivery: Any) -> None:
    assert policies(ordered(TRAINING, SEARCH), delivery) == {}


def test_a_stack_in_which_no_program_looks_for_definitions_and_a_cluster_without_policies_have_none() -> None:
    stack = ordered(TRAINING, SEARCH)
    old = replace(stack, platform=stack.platform.with_facts(kubernetes=Kubernetes("1.29")))

    assert policies(ordered(replace(TRAINING, awaits=()))) == {}
    assert policies(old) == {}


def test_the_bootstrap_text_says_that_this_one_is_about_pods() -> None:
    lines = bootstrap(deliver(ordered(TRAINING), ARGOCD, {}), ARGOCD).splitlines()

    told = lines.index("   and this one, about pods whose programs look for definitions only when they start:")
    assert lines[told + 2] == f"   * {POLICY} {NAME}"


def test_a_definition_that_a_webhook_of_the_waiting_pods_must_admit_is_a_deadlock() -> None:
    service = {"name": "training", "namespace": "jobs"}
    rule = {
        "apiGroups": ["apiextensions.k8s.io"],
        "apiVersions": ["v1"],
        "operations": ["CREATE"],
        "resources": ["customresourcedefinitions"],
    }
    hook = {"name": "crds.example.com", "failurePolicy": "Fail", "clientConfig": {"service": service}, "rules": [rule]}
    main = (
        program("training", "jobs"),
        body("v1", "Service", "training", "jobs", spec={"selector": {"app.kubernetes.io/name": "training"}}),
        body("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "crds", webhooks=[hook]),
    )
    definition = crd("PyTorchJob", "kubeflow.org")
    free = ordered(looking("training", *main, looks_for=(), crds=(definition,)))
    stack = ordered(looking("training", *main, looks_for=(JOB,), crds=(definition,)))
    named = "CustomResourceDefinition pytorchjobs.kubeflow.org"

    assert deadlocks(free) == []
    (steps,) = deadlocks(stack)
    assert f"Deployment jobs/training waits for {named}: its program looks for it only when it starts" in steps
    assert f"{named} waits for the webhook crds.example.com: it must admit it" in steps
    with pytest.raises(ConfigError, match="would wait for each other"):
        deliver(stack, ARGOCD, {})
