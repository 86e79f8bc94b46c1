"""Argo CD's objects, as they are in both forms: `test_argocd_gates.py` holds that gates change nothing else of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from platform_def.config.cluster import Delivery
from platform_def.config.objects import Drift
from platform_def.delivery.deliver import deliver
from platform_def.delivery.health import lua
from platform_def.manifests.rendered import RenderedStack
from platform_def.yaml import load

from .samples import (
    ARGOCD,
    CERT_MANAGER,
    EMISSARY,
    FLUX,
    JOB,
    NAMESPACES,
    REPOSITORY,
    TRAINING,
    body,
    component,
    deployment,
    ordered,
)
from .verdicts import argocd as verdict


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
    source = _delivered(WHOLE)["Application/cert-manager-crds"]["spec"]["source"]

    assert source == {
        "repoURL": REPOSITORY,
        "targetRevision": "main",
        "path": "dist/gpu-prod/cert-manager/crds",
        "directory": {"recurse": True},
    }


def test_nothing_that_the_root_brings_has_a_wave() -> None:
    waves = {
        name: item["metadata"].get("annotations", {}).get("argocd.argoproj.io/sync-wave")
        for name, item in _delivered(WHOLE).items()
    }
    assert set(waves.values()) == {None}


def test_removing_a_component_leaves_its_crds() -> None:
    found = _delivered(WHOLE)

    assert "finalizers" not in found["Application/cert-manager-crds"]["metadata"]
    assert found["Application/cert-manager-main"]["metadata"]["finalizers"]


def test_the_policies_and_quotas_of_namespaces_outlive_the_application_that_brought_them() -> None:
    homes = component(
        "namespaces", main=(body("v1", "ResourceQuota", "gpus", "a"),), after=(body("v1", "ConfigMap", "b", "a"),)
    )
    found = _delivered(ordered(homes))

    for part in ("main", "after"):
        application = found[f"Application/namespaces-{part}"]
        assert "finalizers" not in application["metadata"]
        assert application["spec"]["syncPolicy"]["automated"]["prune"], "a quota that its team drops still goes"


def test_the_root_does_not_apply_itself_and_takes_nothing_with_it() -> None:
    metadata = _delivered(WHOLE)["Application/platform"]["metadata"]

    assert metadata["annotations"]["argocd.argoproj.io/hook"] == "Skip"
    assert "finalizers" not in metadata


def test_health_of_applications_is_left_to_whoever_installs_argo_cd() -> None:
    settings = _delivered(WHOLE)["ConfigMap/argocd-cm"]

    assert settings["metadata"]["labels"]["app.kubernetes.io/part-of"] == "argocd"
    assert not [key for key in settings["data"] if key.endswith("argoproj.io_Application")]


def test_health_of_definitions_is_told_to_argo_cd() -> None:
    settings = _delivered(WHOLE)["ConfigMap/argocd-cm"]

    key = "resource.customizations.health.apiextensions.k8s.io_CustomResourceDefinition"
    assert settings["data"][key] == lua.DEFINITION


def test_kinds_of_the_core_group_have_no_group_in_their_health_key() -> None:
    rendered = ordered(component("a", main=(body("v1", "PersistentVolumeClaim", "data", "a", spec={}),)))

    assert "resource.customizations.health.PersistentVolumeClaim" in _delivered(rendered)["ConfigMap/argocd-cm"]["data"]


OWN = component(
    "argo-cd",
    crds=(body("apiextensions.k8s.io/v1", "CustomResourceDefinition", "applications.argoproj.io"),),
    main=(body("v1", "ConfigMap", "argocd-cm", "argocd", data={"url": "https://cd"}), deployment("server", "argocd")),
)
DEFINITIONS = "resource.customizations.health.apiextensions.k8s.io_CustomResourceDefinition"


def _own_settings(rendered: RenderedStack, delivery: Delivery = ARGOCD) -> dict[str, str]:
    component = deliver(rendered, delivery, {}).components["argo-cd"]
    [item] = [item for item in component.objects if item.name == "argocd-cm"]
    assert load(item.text.encode()) == item.manifest
    data: dict[str, str] = item.manifest["data"]
    return data


def test_an_argo_cd_of_the_stack_holds_the_health_checks_and_nobody_else_writes_its_settings() -> None:
    others = _delivered(WHOLE)["ConfigMap/argocd-cm"]["data"]
    whole = ordered(NAMESPACES, CERT_MANAGER, EMISSARY, OWN)

    assert _own_settings(whole).items() >= {**others, "url": "https://cd"}.items()
    assert "ConfigMap/argocd-cm" not in _delivered(whole)


def test_an_argo_cd_of_the_stack_knows_the_health_of_what_a_later_commit_brings() -> None:
    before, after = (
        _own_settings(ordered(*more, OWN)) for more in ((NAMESPACES,), (NAMESPACES, CERT_MANAGER, EMISSARY))
    )

    assert {f"resource.customizations.health.{kind}" for kind in (*LATER, "PersistentVolumeClaim")} <= before.keys()
    assert before == after


LATER = ("cert-manager.io_ClusterIssuer", "apps_DaemonSet", "kubeflow.org_PyTorchJob", "jobset.x-k8s.io_JobSet")


def test_a_health_check_that_the_stack_says_itself_wins() -> None:
    said = {"data": {DEFINITIONS: "return {}"}}
    own = component("argo-cd", main=(body("v1", "ConfigMap", "argocd-cm", "argocd", **said),))

    assert _own_settings(ordered(own))[DEFINITIONS] == "return {}"


def test_a_folder_called_argo_cd_without_its_settings_gets_them_from_the_root() -> None:
    found = _delivered(ordered(component("argo-cd", main=(deployment("server", "argocd"),))))

    assert DEFINITIONS in found["ConfigMap/argocd-cm"]["data"]


def test_an_argo_cd_beside_another_engine_is_told_nothing() -> None:
    assert _own_settings(ordered(OWN), FLUX) == {"url": "https://cd"}


def test_argo_cd_does_not_delete_itself() -> None:
    found = _delivered(ordered(NAMESPACES, CERT_MANAGER, OWN))

    assert "finalizers" not in found["Application/argo-cd-main"]["metadata"]
    assert found["Application/cert-manager-main"]["metadata"]["finalizers"]


def test_declared_drift_is_ignored_in_the_part_where_the_object_is() -> None:
    webhook = body("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "hook", webhooks=[{}])
    drift = Drift(webhook["apiVersion"], webhook["kind"], "hook", ("/webhooks/0/clientConfig/caBundle",))
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
    assert "Application/unsynced-job" not in found


def test_what_starts_by_the_clock_is_changed_in_its_place_and_goes_with_its_file() -> None:
    rendered = ordered(NAMESPACES, TRAINING, jobs={"faces": (JOB,), "nightly": (JOB,)})
    made = deliver(rendered, ARGOCD, {"faces": "vision", "nightly": "vision"}, recurring=frozenset({"nightly"}))
    found = {item.name: item.manifest for item in made.delivery if item.kind == "Application"}

    nightly = found["nightly-job"]
    assert nightly["metadata"]["finalizers"] == ["resources-finalizer.argocd.argoproj.io"]
    assert nightly["spec"]["syncPolicy"]["automated"] == {"prune": True, "selfHeal": True}
    assert nightly["spec"]["syncPolicy"]["syncOptions"] == ["ServerSideApply=true", "SkipDryRunOnMissingResource=true"]
    assert nightly["spec"]["source"]["path"] == "dist/gpu-prod/_jobs/nightly"
    assert nightly["spec"]["destination"]["namespace"] == "vision"
    labels = found["faces-job"]["metadata"]["labels"]
    assert nightly["metadata"]["labels"] == {key: text.replace("faces", "nightly") for key, text in labels.items()}
    assert "ignoreDifferences" not in nightly["spec"]
    compared = nightly["metadata"]["annotations"]["argocd.argoproj.io/compare-options"]
    assert compared == "ServerSideDiff=true,IncludeMutationWebhook=true"


def test_a_job_is_created_and_never_changed() -> None:
    claim = body("v1", "PersistentVolumeClaim", "data", "vision", spec={})
    settings = body("v1", "ConfigMap", "settings", "vision", data={})
    found = _delivered(
        ordered(NAMESPACES, TRAINING, jobs={"faces": (claim, JOB | {"spec": {}}, settings)}), faces="vision"
    )

    spec = found["Application/faces-job"]["spec"]
    assert spec["ignoreDifferences"] == [
        {"kind": "ConfigMap", "jsonPointers": ["/data", "/metadata/labels"]},
        {"kind": "PersistentVolumeClaim", "jsonPointers": ["/metadata/labels", "/spec"]},
        {"group": "kubeflow.org", "kind": "PyTorchJob", "jsonPointers": ["/metadata/labels", "/spec"]},
    ]
    options = spec["syncPolicy"]["syncOptions"]
    assert {"RespectIgnoreDifferences=true", "ApplyOutOfSyncOnly=true"} <= {*options}


def test_a_namespace_and_path_of_the_stacks_own_are_used() -> None:
    own = ARGOCD.model_copy(update={"namespace": "gitops", "path": "out/manifests", "revision": "v1"})
    found = {item.name: item for item in deliver(WHOLE, own, {}).delivery}

    assert found["platform"].namespace == "gitops"
    assert found["emissary-main"].manifest["spec"]["source"]["path"] == "out/manifests/gpu-prod/emissary/main"
    assert found["emissary-main"].manifest["spec"]["source"]["targetRevision"] == "v1"


def test_an_application_that_fails_is_tried_again_without_end_with_the_newest_commit() -> None:
    retries = {
        name: item["spec"]["syncPolicy"]["retry"]
        for name, item in _delivered(WHOLE).items()
        if name.startswith("Application/")
    }

    assert {(each["limit"], each["refresh"]) for each in retries.values()} == {(-1, True)}
    assert retries.pop("Application/platform")["backoff"]["factor"] == 1
    assert {each["backoff"]["factor"] for each in retries.values()} == {2}


def test_a_part_is_tried_again_after_ten_seconds_and_at_last_once_a_minute() -> None:
    (backoff,) = (
        item["spec"]["syncPolicy"]["retry"]["backoff"]
        for name, item in _delivered(WHOLE).items()
        if name == "Application/cert-manager-main"
    )
    seconds = {"5s": 5, "1m": 60}
    first, longest = seconds[backoff["duration"]], seconds[backoff["maxDuration"]]

    # As `NextRetryAt` of 3.3 to 3.6 has it, with the tries so far, of which the one that failed is the first.
    pauses = [min(first * backoff["factor"] ** tries, longest) for tries in range(1, 6)]

    assert pauses == [10, 20, 40, 60, 60]


def test_a_part_is_pruned_and_healed_and_a_job_is_not() -> None:
    found = _delivered(ordered(NAMESPACES, TRAINING, jobs={"faces": (JOB,)}), faces="vision")

    automated = {
        name: item["spec"]["syncPolicy"]["automated"]
        for name, item in found.items()
        if "syncPolicy" in item.get("spec", {})
    }
    assert automated.pop("Application/faces-job") == {"prune": False, "selfHeal": False}
    assert all(each == {"prune": True, "selfHeal": True} for each in automated.values())


def test_an_application_goes_to_the_namespace_of_its_component_or_job() -> None:
    found = _delivered(ordered(NAMESPACES, TRAINING, jobs={"faces": (JOB,)}), faces="vision")

    homes = {name: item["spec"].get("destination") for name, item in found.items() if name.startswith("Application/")}
    assert homes["Application/training-operator-main"]["namespace"] == "training-operator-system"
    assert homes["Application/faces-job"]["namespace"] == "vision"
    assert homes["Application/platform"]["namespace"] == "argocd"
    assert {each["server"] for each in homes.values()} == {"https://kubernetes.default.svc"}


def test_a_component_without_a_namespace_of_its_own_is_sent_to_none() -> None:
    rendered = replace(ordered(NAMESPACES), facts={})

    assert "namespace" not in _delivered(rendered)["Application/namespaces-main"]["spec"]["destination"]


def test_the_project_allows_the_one_repository_and_everything_in_the_one_cluster() -> None:
    project = _delivered(WHOLE)["AppProject/platform"]["spec"]

    assert project["sourceRepos"] == [REPOSITORY]
    assert project["destinations"] == [{"server": "https://kubernetes.default.svc", "namespace": "*"}]
    assert project["clusterResourceWhitelist"] == project["namespaceResourceWhitelist"] == [{"group": "*", "kind": "*"}]
    assert project["description"] == "The platform of the stack gpu-prod"


def test_every_application_belongs_to_the_project_that_is_rendered() -> None:
    found = _delivered(WHOLE)

    projects = {item["spec"]["project"] for name, item in found.items() if name.startswith("Application/")}
    assert projects == {"platform"}
    assert "AppProject/platform" in found


def test_what_others_hang_on_is_neither_pruned_nor_deleted() -> None:
    found = _delivered(WHOLE)

    for name in ("AppProject/platform", "ConfigMap/argocd-cm"):
        options = found[name]["metadata"]["annotations"]["argocd.argoproj.io/sync-options"]
        assert set(options.split(",")) == {"Delete=false", "Prune=false"}


def test_applications_are_compared_and_applied_on_the_server() -> None:
    for name, item in _delivered(WHOLE).items():
        if name.startswith("Application/"):
            compared = item["metadata"]["annotations"]["argocd.argoproj.io/compare-options"]
            assert compared.split(",")[0] == "ServerSideDiff=true"
            assert "ServerSideApply=true" in item["spec"]["syncPolicy"]["syncOptions"]


def test_custom_resources_are_compared_without_the_types_that_argo_cd_has_read() -> None:
    compared = {
        name.partition("/")[2]: item["metadata"]["annotations"]["argocd.argoproj.io/compare-options"].partition(",")[2]
        for name, item in _delivered(WHOLE).items()
        if name.startswith("Application/")
    }
    whole = "IncludeMutationWebhook=true"

    assert compared == {
        "platform": "",
        "namespaces-main": "",
        "cert-manager-crds": "",
        "cert-manager-main": "",
        "cert-manager-after": whole,
        "emissary-main": whole,
    }


def test_a_part_may_hold_objects_whose_crd_comes_with_it() -> None:
    options = {
        name: "SkipDryRunOnMissingResource=true" in item["spec"]["syncPolicy"]["syncOptions"]
        for name, item in _delivered(WHOLE).items()
        if name.startswith("Application/")
    }

    assert options.pop("Application/platform") is False
    assert all(options.values())


def test_deleting_an_application_waits_for_its_objects() -> None:
    found = _delivered(WHOLE)

    assert found["Application/emissary-main"]["metadata"]["finalizers"] == ["resources-finalizer.argocd.argoproj.io"]


def test_health_of_a_custom_kind_is_keyed_by_group_and_kind() -> None:
    data = _delivered(WHOLE)["ConfigMap/argocd-cm"]["data"]

    assert list(data) == sorted(data)
    assert "resource.customizations.health.cert-manager.io_Certificate" in data


def test_health_that_a_kind_declares_is_told_so_that_it_runs() -> None:
    rule = _delivered(WHOLE)["ConfigMap/argocd-cm"]["data"][
        "resource.customizations.health.cert-manager.io_Certificate"
    ]
    ready = {"metadata": {"generation": 1}, "status": {"conditions": [{"type": "Ready", "status": "True"}]}}

    assert verdict(rule, ready)[0] == "Healthy"
    assert verdict(rule, {"metadata": {"generation": 1}})[0] == "Progressing"
