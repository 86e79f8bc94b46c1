"""Argo CD's objects with `order: gates`: what labels, variables and policies they have beyond those of the default."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from platform_def.config.cluster import Delivery
from platform_def.config.kubernetes import Kubernetes
from platform_def.delivery.deliver import deliver
from platform_def.delivery.gates import AFTER, BEFORE, CONTENTS, NEEDS, ORDER
from platform_def.delivery.target import MANAGED, ROOT
from platform_def.errors import ConfigError
from platform_def.manifests.rendered import Manifest, RenderedStack

from .samples import ARGOCD, CERT_MANAGER, EMISSARY, GATES, JOB, NAMESPACES, TRAINING, body, component, ordered

WHOLE = ordered(NAMESPACES, CERT_MANAGER, EMISSARY)
EXTRA = body("v1", "ConfigMap", "extra", "cert-manager")


def _delivered(rendered: RenderedStack, delivery: Delivery = GATES, **jobs: str) -> dict[str, Any]:
    delivered = deliver(rendered, delivery, jobs).delivery
    return {f"{item.kind}/{item.name}": item.manifest for item in delivered}


def _unordered(manifest: Manifest) -> Manifest:
    """An object without the labels and variables that say what waits for what."""
    metadata, spec = manifest["metadata"], manifest.get("spec", {})
    labels = {key: value for key, value in metadata["labels"].items() if not key.startswith((AFTER, BEFORE))}
    said = {**manifest, "metadata": {**metadata, "labels": labels}}
    if "source" in spec:
        directory = {key: value for key, value in spec["source"]["directory"].items() if key != "jsonnet"}
        said["spec"] = {**spec, "source": {**spec["source"], "directory": directory}}
    return said


def test_gates_add_policies_labels_and_variables_and_change_nothing_else() -> None:
    rendered = ordered(NAMESPACES, CERT_MANAGER, EMISSARY, TRAINING, jobs={"faces": (JOB,)})
    plain, gated = (_delivered(rendered, form, faces="vision") for form in (ARGOCD, GATES))

    kinds = ("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")
    assert gated.keys() - plain.keys() == {f"{kind}/{name}" for kind in kinds for name in (ORDER, CONTENTS, NEEDS)}
    assert {name: _unordered(item) for name, item in plain.items()} == {
        name: _unordered(item) for name, item in gated.items() if name in plain
    }
    assert plain != {name: item for name, item in gated.items() if name in plain}


def test_a_source_changes_with_what_its_part_needs_so_that_it_is_compared_anew() -> None:
    def variables(rendered: RenderedStack, name: str) -> Any:
        source = _delivered(rendered)[f"Application/{name}"]["spec"]["source"]
        return source["directory"].get("jsonnet", {}).get("extVars")

    changed = replace(CERT_MANAGER, objects=(*CERT_MANAGER.objects, *component("cert-manager", main=(EXTRA,)).objects))
    before, after = WHOLE, ordered(NAMESPACES, changed, EMISSARY)

    assert [each["name"] for each in variables(before, "emissary-main")] == ["needs"]
    assert variables(before, "emissary-main") != variables(after, "emissary-main")
    assert variables(before, "cert-manager-main") == variables(after, "cert-manager-main")
    assert variables(before, "namespaces-main") is None


def test_labels_of_an_application_say_which_contents_it_waits_for() -> None:
    found = deliver(WHOLE, GATES, {})
    markers = {item.name: item.manifest for each in found.components.values() for item in each.objects}

    labels = _delivered(WHOLE)["Application/emissary-main"]["metadata"]["labels"]
    assert labels[f"{AFTER}cert-manager-main"] == markers["cert-manager-main"]["data"]["content"]
    assert labels[f"{AFTER}namespaces-main"] == "true"


def test_an_application_says_what_its_part_needs_directly_and_no_more() -> None:
    found = _delivered(WHOLE)

    waits = {
        name: sorted(label for label in item["metadata"]["labels"] if label.startswith(AFTER))
        for name, item in found.items()
        if name.startswith("Application/") and "argocd.argoproj.io/hook" not in item["metadata"]["annotations"]
    }
    assert waits == {
        f"Application/{part.replace('/', '-')}": sorted(f"{AFTER}{need.replace('/', '-')}" for need in needs)
        for part, needs in WHOLE.needs.items()
    }


def test_the_gates_ask_about_every_application_or_marker_or_the_root_and_are_the_same_in_every_stack() -> None:
    found = _delivered(WHOLE)

    gates = {name: item["spec"] for name, item in found.items() if "AdmissionPolicy" in name}
    assert gates == {
        name: item["spec"] for name, item in _delivered(ordered(NAMESPACES)).items() if "AdmissionPolicy" in name
    }
    for name, asked in (
        (ORDER, {"selector": {"matchLabels": MANAGED}}),
        (CONTENTS, {"selector": {"matchLabels": MANAGED}}),
        (NEEDS, {"name": ROOT}),
    ):
        policy, binding = (gates[f"ValidatingAdmissionPolicy{end}/{name}"] for end in ("", "Binding"))
        assert binding["paramRef"] == {"namespace": "argocd", "parameterNotFoundAction": "Allow", **asked}
        chosen = binding["matchResources"]
        assert chosen["objectSelector"] == {"matchLabels": MANAGED}
        assert chosen["namespaceSelector"] == {"matchLabels": {"kubernetes.io/metadata.name": "argocd"}}
        assert binding["validationActions"] == ["Deny"]
        # The API server reads objects of its own kinds only until no policy asks about that kind for the first time.
        assert policy["paramKind"] == {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application"}
        rules = policy["matchConstraints"]["resourceRules"]
        assert {tuple(rule["operations"]) for rule in rules} == {("CREATE", "UPDATE")}
        assert {resource for rule in rules for resource in rule["resources"]} == {"applications", "configmaps"}


def test_a_cluster_without_such_policies_is_refused_with_a_way_out() -> None:
    old = replace(WHOLE, platform=WHOLE.platform.with_facts(kubernetes=Kubernetes("1.29")))

    with pytest.raises(ConfigError) as caught:
        _delivered(old)

    assert "`gates` needs Kubernetes 1.30, and the cluster has 1.29" in caught.value.problems[0].text
    assert caught.value.problems[0].hint == "leave it out, or write `retries`, the default"


def test_a_job_comes_after_what_it_needs_and_at_once_where_it_needs_nothing() -> None:
    alone = body("v1", "ConfigMap", "alone", "elsewhere")
    rendered = ordered(NAMESPACES, TRAINING, jobs={"faces": (JOB,), "alone": (alone,)})
    found = _delivered(rendered, faces="vision", alone="elsewhere")

    assert not [each for each in found["Application/alone-job"]["metadata"]["labels"] if each.startswith(AFTER)]
    labels = found["Application/faces-job"]["metadata"]["labels"]
    assert {f"{AFTER}namespaces-main", f"{AFTER}training-operator-main"} <= labels.keys()
