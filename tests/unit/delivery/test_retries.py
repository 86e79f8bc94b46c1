"""Argo CD's objects with `order: retries`, the default: plain Applications, and three policies, one of which keeps
programs.

`test_injectors.py` has the fourth one, of stacks whose webhooks change pods, and `test_definitions.py` the fifth, of
stacks with programs that look for definitions only when they start.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from platform_def.config.cluster import Delivery
from platform_def.config.kubernetes import Kubernetes
from platform_def.delivery.comparisons import HARD
from platform_def.delivery.deliver import deliver
from platform_def.delivery.gates import BEFORE
from platform_def.delivery.setup.bootstrap import bootstrap
from platform_def.errors import ConfigError
from platform_def.manifests.rendered import RenderedStack

from .samples import ARGOCD, CERT_MANAGER, EMISSARY, FLUX, GATES, JOB, NAMESPACES, TRAINING, body, component, ordered

WHOLE = ordered(NAMESPACES, CERT_MANAGER, EMISSARY)


def delivered(rendered: RenderedStack, **jobs: str) -> dict[str, Any]:
    found = deliver(rendered, ARGOCD, jobs).delivery
    return {f"{item.kind}/{item.name}": item.manifest for item in found}


def ours(labels: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in labels.items() if "platform-def/" in key}


def test_three_policies_are_left_and_no_part_has_a_marker() -> None:
    made = deliver(WHOLE, ARGOCD, {})

    policies = [item.name for item in made.delivery if item.kind.endswith("AdmissionPolicy")]
    assert policies == ["platform-def-removal", "platform-def-comparisons", "platform-def-endings"]
    assert made.components == WHOLE.components


def test_an_application_is_tried_again_endlessly_with_the_newest_commit_and_says_no_needs() -> None:
    found = delivered(WHOLE)["Application/emissary-main"]

    assert found["spec"]["syncPolicy"]["retry"]["limit"] == -1
    assert found["spec"]["syncPolicy"]["retry"]["refresh"] is True
    assert "SkipDryRunOnMissingResource=true" in found["spec"]["syncPolicy"]["syncOptions"]
    assert found["spec"]["source"]["directory"] == {"recurse": True}


def test_only_who_holds_custom_resources_names_the_program_that_is_to_outlive_it() -> None:
    found = delivered(WHOLE)
    labels = {
        name: ours(found[f"Application/{name}"]["metadata"]["labels"])
        for name in ("namespaces-main", "cert-manager-crds", "cert-manager-main", "cert-manager-after", "emissary-main")
    }

    server = {f"{BEFORE}cert-manager-main": "true"}
    assert labels == {
        "namespaces-main": {},
        "cert-manager-crds": {},
        "cert-manager-main": {},
        "cert-manager-after": server,
        "emissary-main": server,
    }


def test_resources_of_two_operators_that_hold_each_others_kinds_do_not_wait_in_a_circle() -> None:
    def operator(name: str, other: str) -> Any:
        definition = body(
            "apiextensions.k8s.io/v1",
            "CustomResourceDefinition",
            f"{name}s.example.com",
            spec={"group": "example.com", "names": {"kind": name.title()}},
        )
        return component(name, crds=(definition,), main=(body("example.com/v1", other.title(), "one", "vision"),))

    found = delivered(ordered(NAMESPACES, operator("left", "right"), operator("right", "left")))
    labels = [ours(found[f"Application/{name}-main"]["metadata"]["labels"]) for name in ("left", "right")]

    assert labels == [{f"{BEFORE}right-main": "true"}, {}]


def test_jobs_wait_for_nothing() -> None:
    found = delivered(ordered(NAMESPACES, TRAINING, jobs={"faces": (JOB,)}), faces="vision")

    assert ours(found["Application/faces-job"]["metadata"]["labels"]) == {"platform-def/job": "faces"}


def test_a_cluster_without_policies_is_served_too() -> None:
    old = replace(WHOLE, platform=WHOLE.platform.with_facts(kubernetes=Kubernetes("1.29")))

    assert not [name for name in delivered(old) if "Policy" in name]
    assert delivered(old)["ConfigMap/argocd-cm"]["data"][HARD] == "90s"
    assert HARD not in delivered(WHOLE)["ConfigMap/argocd-cm"]["data"]
    with pytest.raises(ConfigError, match="`gates` needs Kubernetes"):
        deliver(old, GATES, {})


WITHOUT = {"engine": "argocd", "repository": ARGOCD.repository, "policies": False}


def test_a_stack_may_do_without_policies() -> None:
    plain = Delivery.model_validate(WITHOUT)
    found = deliver(WHOLE, plain, {}).delivery
    kinds = {item.kind for item in found}
    settings = next(item.manifest for item in found if item.name == "argocd-cm")
    labels = [ours(item.manifest["metadata"].get("labels") or {}) for item in found if item.kind == "Application"]

    assert kinds == {"AppProject", "Application", "ConfigMap"}
    assert settings["data"][HARD] == "90s"
    assert [each for each in labels if each] == [{"platform-def/bootstrap": "true"}]
    text = bootstrap(deliver(WHOLE, plain, {}), plain)
    assert "No policies of the API server go along" in text
    assert "order: gates" not in text


def test_flux_may_do_without_its_policy() -> None:
    plain = Delivery.model_validate({**WITHOUT, "engine": "flux"})
    found = deliver(WHOLE, plain, {}).delivery

    assert not [item.name for item in found if "Policy" in item.kind]
    assert not [item for item in found if BEFORE in str(item.manifest)]
    assert BEFORE in str([item.manifest for item in deliver(WHOLE, FLUX, {}).delivery])


def test_gates_without_policies_are_refused() -> None:
    with pytest.raises(ValueError, match="`gates` are policies"):
        Delivery.model_validate({**WITHOUT, "order": "gates"})


def test_what_the_controller_reads_as_it_starts_has_it_started_again() -> None:
    def told(kubernetes: str) -> list[str]:
        stack = replace(WHOLE, platform=WHOLE.platform.with_facts(kubernetes=Kubernetes(kubernetes)))
        return [line.strip() for line in bootstrap(stack, ARGOCD).splitlines() if "restart" in line]

    assert told("1.29") == ["kubectl -n argocd rollout restart statefulset/argocd-application-controller"]
    assert told("1.30") == []


def test_the_bootstrap_text_names_the_policies_of_each_form() -> None:
    def told(delivery: Delivery) -> list[str]:
        lines = bootstrap(deliver(WHOLE, delivery, {}), delivery).splitlines()
        told = ("AdmissionPolicy", "{order:", "From here")
        return [line.strip() for line in lines if any(each in line for each in told)]

    removal = "* ValidatingAdmissionPolicy platform-def-removal"
    further = [f"* ValidatingAdmissionPolicy platform-def-{each}" for each in ("order", "contents", "needs")]
    more = (
        "the policies platform-def-order, platform-def-contents and platform-def-needs, "
        "and a marker in each part that waits"
    )
    assert told(ARGOCD) == [
        removal,
        "* MutatingAdmissionPolicy platform-def-comparisons",
        "* MutatingAdmissionPolicy platform-def-endings",
        f"`delivery: {{order: gates}}` adds {more}.",
        "From here on the engine brings everything else, and tries again what comes too early. To watch it:",
    ]
    assert told(GATES)[:4] == [*further, removal]
    assert told(GATES)[-2] == f"`delivery: {{order: retries}}`, the default, does without {more}."
    in_order = "From here on the engine brings everything else, in order. To watch it:"
    assert told(GATES)[-1] == in_order
    assert told(FLUX)[0] == removal
    assert told(FLUX)[-1] == in_order
    assert not [line for line in told(FLUX) if "order:" in line]


def test_plain_applications_are_the_default() -> None:
    assert Delivery(engine="argocd", repository=ARGOCD.repository, order="retries") == ARGOCD


@pytest.mark.parametrize("order", ["retries", "gates"])
@pytest.mark.parametrize("engine", ["flux", "none"])
def test_flux_has_an_order_of_its_own(engine: Any, order: Any) -> None:
    with pytest.raises(ValueError, match="is for Argo CD; Flux keeps the order by `dependsOn`: leave it out"):
        Delivery(engine=engine, repository=FLUX.repository, order=order)
