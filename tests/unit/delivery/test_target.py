"""What both engines are told alike."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.config.cluster import Delivery
from platform_def.delivery.deliver import deliver
from platform_def.delivery.gates import AFTER
from platform_def.delivery.target import job_name, part_names, target
from platform_def.errors import ConfigError
from platform_def.manifests.rendered import Manifest

from .samples import ARGOCD, CERT_MANAGER, FLUX, GATES, JOB, NAMESPACES, TRAINING, component, deployment, ordered

BOTH = pytest.mark.parametrize("delivery", [ARGOCD, GATES, FLUX], ids=["argocd", "argocd-gates", "flux"])
WHOLE = ordered(NAMESPACES, CERT_MANAGER, TRAINING, jobs={"faces": (JOB,)})


def delivered(delivery: Delivery, **fields: Any) -> dict[str, Manifest]:
    found = deliver(WHOLE, delivery.model_copy(update=fields), {"faces": "vision"}).delivery
    return {item.name: item.manifest for item in found}


@pytest.mark.parametrize(
    ("repository", "url", "scheme"),
    [
        ("https://git.example.com/a.git", "https://git.example.com/a.git", "https"),
        ("git@git.example.com:team/a.git", "ssh://git@git.example.com/team/a.git", "ssh"),
        ("git@git.example.com:/srv/a.git", "ssh://git@git.example.com/srv/a.git", "ssh"),
        ("ssh://git@git.example.com:2222/a.git", "ssh://git@git.example.com:2222/a.git", "ssh"),
        ("oci://registry.example.com/a", "oci://registry.example.com/a", "oci"),
        ("file:///srv/a", "file:///srv/a", "file"),
    ],
)
def test_the_scheme_of_an_address_is_known_also_where_it_is_not_written(repository: str, url: str, scheme: str) -> None:
    found = target("gpu-prod", ARGOCD.model_copy(update={"repository": repository}))

    assert (found.url, found.scheme) == (url, scheme)


@pytest.mark.parametrize(("delivery", "namespace"), [(ARGOCD, "argocd"), (FLUX, "flux-system")])
def test_delivery_objects_live_where_their_engine_usually_does(delivery: Delivery, namespace: str) -> None:
    assert target("gpu-prod", delivery).namespace == namespace
    assert namespaces(delivered(delivery)) == {namespace}
    assert namespaces(delivered(delivery, namespace="own")) == {"own"}


def namespaces(found: dict[str, Manifest]) -> set[str]:
    """Those of all that the engine reads; the note that leads back to the stack is for people, gates for the cluster."""
    return {
        item["metadata"]["namespace"]
        for item in found.values()
        if item["kind"] != "ConfigMap" and "AdmissionPolicy" not in item["kind"]
    }


@pytest.mark.parametrize("delivery", [Delivery(), ARGOCD.model_copy(update={"repository": None})])
def test_a_stack_without_an_engine_is_told_what_to_write(delivery: Delivery) -> None:
    with pytest.raises(ConfigError, match="stack gpu-prod has no delivery engine") as caught:
        target("gpu-prod", delivery)

    assert "engine: argocd" in caught.value.problems[0].hint


def test_an_address_with_a_password_is_told_where_credentials_belong() -> None:
    with pytest.raises(ConfigError) as caught:
        target("gpu-prod", ARGOCD.model_copy(update={"repository": "https://me:it@git.example.com/a"}))

    assert "gpu-prod" in str(caught.value)
    assert "Secret" in caught.value.problems[0].hint


@BOTH
def test_objects_of_the_delivery_say_which_part_they_bring_and_who_manages_them(delivery: Delivery) -> None:
    found = delivered(delivery)

    labels = {
        name: {key: value for key, value in item["metadata"]["labels"].items() if not key.startswith(AFTER)}
        for name, item in found.items()
    }
    assert labels["cert-manager-crds"] == {
        "app.kubernetes.io/managed-by": "platform-def",
        "app.kubernetes.io/component": "crds",
        "app.kubernetes.io/instance": "cert-manager",
    }
    assert labels["faces-job"] == {
        "app.kubernetes.io/managed-by": "platform-def",
        "platform-def/job": "faces",
    }


@BOTH
def test_only_what_a_person_applies_is_marked(delivery: Delivery) -> None:
    marked = {
        name
        for name, item in delivered(delivery).items()
        if "platform-def/bootstrap" in item["metadata"]["labels"] and "AdmissionPolicy" not in item["kind"]
    }

    assert marked == {"platform"} | ({"argocd-cm"} if delivery.engine == "argocd" else set())


@BOTH
def test_a_delivered_object_says_which_engine_it_is_for(delivery: Delivery) -> None:
    origins = {item.origin for item in deliver(WHOLE, delivery, {}).delivery}

    assert origins == {f"delivery/{delivery.engine}"}


def test_parts_and_jobs_have_names_of_their_own() -> None:
    names = part_names(WHOLE)

    assert names["cert-manager/crds"] == "cert-manager-crds"
    assert job_name("faces") not in names.values()


def test_a_name_as_long_as_a_label_may_be_is_taken_and_a_longer_one_told_how_long() -> None:
    fits, long = "a" * (63 - len("-main")), "b" * (64 - len("-main"))

    assert f"{fits}-main" in part_names(ordered(component(fits, main=(deployment("a", "a"),)))).values()
    with pytest.raises(ConfigError) as caught:
        part_names(ordered(component(long, main=(deployment("b", "b"),))))

    [problem] = caught.value.problems
    assert f"components.{long}: " in problem.text
    assert "at most 57 characters" in problem.hint


def test_all_names_that_are_too_long_are_told_together() -> None:
    long = [component(letter * 63, main=(deployment(letter, letter),)) for letter in "ab"]

    with pytest.raises(ConfigError) as caught:
        part_names(ordered(*long))

    assert len(caught.value.problems) == 2
