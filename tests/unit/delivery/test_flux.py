"""Flux's objects."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.config.cluster import Delivery
from platform_def.delivery.deliver import deliver
from platform_def.errors import ConfigError
from platform_def.manifests.rendered import Drifting, RenderedStack

from .samples import CERT_MANAGER, EMISSARY, FLUX, JOB, NAMESPACES, REPOSITORY, TRAINING, body, component, ordered


def _delivered(rendered: RenderedStack, delivery: Delivery = FLUX, **jobs: str) -> dict[str, Any]:
    return {f"{item.kind}/{item.name}": item.manifest for item in deliver(rendered, delivery, jobs).delivery}


def _changed(**fields: Any) -> Delivery:
    return FLUX.model_copy(update=fields)


WHOLE = ordered(NAMESPACES, CERT_MANAGER, EMISSARY)


def test_a_part_depends_on_its_direct_edges() -> None:
    spec = _delivered(WHOLE)["Kustomization/emissary-main"]["spec"]

    assert spec["dependsOn"] == [
        {"name": "cert-manager-after"},
        {"name": "cert-manager-crds"},
        {"name": "cert-manager-main"},
        {"name": "namespaces-main"},
    ]


def test_a_part_is_waited_for_and_pruned() -> None:
    spec = _delivered(WHOLE)["Kustomization/cert-manager-main"]["spec"]

    assert (spec["path"], spec["wait"], spec["prune"]) == ("./dist/gpu-prod/cert-manager/main", True, True)
    assert spec["sourceRef"] == {"kind": "GitRepository", "name": "platform"}


def test_removing_a_component_leaves_its_crds() -> None:
    found = _delivered(WHOLE)

    assert found["Kustomization/cert-manager-crds"]["spec"]["deletionPolicy"] == "Orphan"
    assert "deletionPolicy" not in found["Kustomization/cert-manager-main"]["spec"]


def test_the_root_waits_for_nothing_lest_it_wait_for_itself() -> None:
    spec = _delivered(WHOLE)["Kustomization/platform"]["spec"]

    assert spec["path"] == "./dist/gpu-prod/_delivery"
    assert "wait" not in spec


def test_the_source_holds_only_the_stacks_folder() -> None:
    spec = _delivered(WHOLE)["GitRepository/platform"]["spec"]

    assert spec["url"] == REPOSITORY
    assert spec["ignore"].split() == ["/*", "!/dist", "/dist/*", "!/dist/gpu-prod"]
    assert "secretRef" not in spec


def test_credentials_are_a_reference() -> None:
    spec = _delivered(WHOLE, _changed(secret="git"))["GitRepository/platform"]["spec"]

    assert spec["secretRef"] == {"name": "git"}


@pytest.mark.parametrize(
    ("revision", "reference"),
    [
        ("main", {"branch": "main"}),
        ("release-1.2", {"branch": "release-1.2"}),
        ("v1.2.3", {"tag": "v1.2.3"}),
        ("refs/heads/v1.2.3", {"name": "refs/heads/v1.2.3"}),
        ("0123456789abcdef0123456789abcdef01234567", {"commit": "0123456789abcdef0123456789abcdef01234567"}),
    ],
)
def test_a_revision_is_a_branch_a_tag_a_reference_or_a_commit(revision: str, reference: dict[str, str]) -> None:
    assert _delivered(WHOLE, _changed(revision=revision))["GitRepository/platform"]["spec"]["ref"] == reference


def test_an_address_without_a_scheme_is_ssh() -> None:
    found = _delivered(WHOLE, _changed(repository="git@git.example.com:team/platform.git"))

    assert found["GitRepository/platform"]["spec"]["url"] == "ssh://git@git.example.com/team/platform.git"


def test_an_artifact_registry_is_an_oci_repository() -> None:
    found = _delivered(WHOLE, _changed(repository="oci://registry.example.com/platform", revision="1.0"))

    assert found["OCIRepository/platform"]["spec"]["ref"] == {"tag": "1.0"}
    assert found["Kustomization/platform"]["spec"]["sourceRef"]["kind"] == "OCIRepository"


def test_a_folder_is_refused() -> None:
    with pytest.raises(ConfigError, match="not file"):
        deliver(WHOLE, _changed(repository="file:///srv/platform"), {})


def test_a_drift_rule_names_its_object_alone() -> None:
    role = body("example.com/v1", "Thing", "a.b")
    drift = Drifting("example.com/v1", "Thing", "a.b", ("/spec/x",))

    spec = _delivered(ordered(component("a", main=(role,), drifting=(drift,))))["Kustomization/a-main"]["spec"]

    assert spec["ignore"] == [
        {"paths": ["/spec/x"], "target": {"group": r"example\.com", "kind": "Thing", "name": r"a\.b"}}
    ]


def test_health_expressions_stand_in_the_part_that_has_the_kind() -> None:
    claim = body("v1", "PersistentVolumeClaim", "data", "a", spec={})
    found = _delivered(
        ordered(component("a", main=(claim,)), component("b", main=(body("v1", "ConfigMap", "b", "b"),)))
    )

    (rule,) = found["Kustomization/a-main"]["spec"]["healthCheckExprs"]
    assert (rule["apiVersion"], rule["kind"], rule["failed"]) == (
        "v1",
        "PersistentVolumeClaim",
        "status.phase == 'Lost'",
    )
    assert "healthCheckExprs" not in found["Kustomization/b-main"]["spec"]


def test_a_job_is_not_waited_for_and_outlives_its_file() -> None:
    found = _delivered(ordered(NAMESPACES, TRAINING, jobs={"faces": (JOB,)}), faces="vision")

    spec = found["Kustomization/faces-job"]["spec"]
    assert (spec["prune"], spec["deletionPolicy"], "wait" in spec) == (False, "Orphan", False)
    assert spec["dependsOn"] == [{"name": "namespaces-main"}, {"name": "training-operator-main"}]
