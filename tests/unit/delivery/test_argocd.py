"""Argo CD's objects."""

from __future__ import annotations

from typing import Any

from platform_def.delivery.deliver import deliver
from platform_def.manifests.rendered import Drifting, RenderedStack

from .samples import ARGOCD, CERT_MANAGER, EMISSARY, JOB, NAMESPACES, REPOSITORY, TRAINING, body, component, ordered


def _delivered(rendered: RenderedStack, **jobs: str) -> dict[str, Any]:
    delivered = deliver(rendered, ARGOCD, jobs).delivery
    return {f"{item.kind}/{item.name}": item.manifest for item in delivered}


WHOLE = ordered(NAMESPACES, CERT_MANAGER, EMISSARY)


def test_there_is_an_application_for_each_part_and_the_root() -> None:
    names = {name.partition("/")[2] for name in _delivered(WHOLE) if name.startswith("Application/")}

    assert names == {
        "platform",
        "namespaces-main",
        "cert-manager-crds",
        "cert-manager-main",
        "cert-manager-after",
        "emissary-main",
    }


def test_an_application_reads_its_parts_folder_and_all_below() -> None:
    source = _delivered(WHOLE)["Application/cert-manager-main"]["spec"]["source"]

    assert source == {
        "repoURL": REPOSITORY,
        "targetRevision": "main",
        "path": "dist/gpu-prod/cert-manager/main",
        "directory": {"recurse": True},
    }


def test_the_wave_of_a_part_is_the_wave_of_its_application() -> None:
    found = _delivered(WHOLE)

    waves = {
        name: manifest["metadata"]["annotations"].get("argocd.argoproj.io/sync-wave")
        for name, manifest in found.items()
    }
    assert waves["Application/cert-manager-crds"] == "0"
    assert waves["Application/emissary-main"] == str(WHOLE.waves["emissary/main"]) == "3"
    assert waves["AppProject/platform"] == waves["ConfigMap/argocd-cm"] == "-1"


def test_removing_a_component_leaves_its_crds() -> None:
    found = _delivered(WHOLE)

    assert "finalizers" not in found["Application/cert-manager-crds"]["metadata"]
    assert found["Application/cert-manager-main"]["metadata"]["finalizers"]


def test_the_root_does_not_apply_itself_and_takes_nothing_with_it() -> None:
    metadata = _delivered(WHOLE)["Application/platform"]["metadata"]

    assert metadata["annotations"]["argocd.argoproj.io/hook"] == "Skip"
    assert "finalizers" not in metadata


def test_health_of_applications_is_told_to_argo_cd() -> None:
    settings = _delivered(WHOLE)["ConfigMap/argocd-cm"]

    assert settings["metadata"]["labels"]["app.kubernetes.io/part-of"] == "argocd"
    assert "waits for its sync" in settings["data"]["resource.customizations.health.argoproj.io_Application"]


def test_kinds_of_the_core_group_have_no_group_in_their_health_key() -> None:
    rendered = ordered(component("a", main=(body("v1", "PersistentVolumeClaim", "data", "a", spec={}),)))

    assert "resource.customizations.health.PersistentVolumeClaim" in _delivered(rendered)["ConfigMap/argocd-cm"]["data"]


def test_declared_drift_is_ignored_in_the_part_where_the_object_is() -> None:
    webhook = body("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "hook", webhooks=[{}])
    drift = Drifting(webhook["apiVersion"], webhook["kind"], "hook", ("/webhooks/0/clientConfig/caBundle",))
    found = _delivered(
        ordered(component("a", main=(webhook,), after=(body("v1", "ConfigMap", "c", "a"),), drifting=(drift,)))
    )

    spec = found["Application/a-main"]["spec"]
    assert spec["ignoreDifferences"] == [
        {
            "group": "admissionregistration.k8s.io",
            "kind": "ValidatingWebhookConfiguration",
            "name": "hook",
            "jsonPointers": ["/webhooks/0/clientConfig/caBundle"],
        }
    ]
    assert "RespectIgnoreDifferences=true" in spec["syncPolicy"]["syncOptions"]
    assert "ignoreDifferences" not in found["Application/a-after"]["spec"]


def test_rules_of_an_aggregated_role_are_the_clusters() -> None:
    role = body("rbac.authorization.k8s.io/v1", "ClusterRole", "all", aggregationRule={}, rules=[])

    spec = _delivered(ordered(component("a", main=(role,))))["Application/a-main"]["spec"]

    assert spec["ignoreDifferences"][0]["jsonPointers"] == ["/rules"]


def test_a_job_is_started_but_neither_pruned_nor_healed_nor_deleted() -> None:
    rendered = ordered(NAMESPACES, TRAINING, jobs={"faces": (JOB,), "unsynced": (JOB,)})
    found = _delivered(rendered, faces="vision")

    job = found["Application/faces-job"]
    assert job["spec"]["syncPolicy"]["automated"] == {"prune": False, "selfHeal": False}
    assert job["spec"]["source"]["path"] == "dist/gpu-prod/_jobs/faces"
    assert "finalizers" not in job["metadata"]
    assert job["metadata"]["annotations"]["argocd.argoproj.io/sync-wave"] == "2"
    assert "Application/unsynced-job" not in found


def test_a_namespace_and_path_of_the_stacks_own_are_used() -> None:
    own = ARGOCD.model_copy(update={"namespace": "gitops", "path": "out/manifests", "revision": "v1"})
    found = {item.name: item for item in deliver(WHOLE, own, {}).delivery}

    assert found["platform"].namespace == "gitops"
    assert found["emissary-main"].manifest["spec"]["source"]["path"] == "out/manifests/gpu-prod/emissary/main"
    assert found["emissary-main"].manifest["spec"]["source"]["targetRevision"] == "v1"
