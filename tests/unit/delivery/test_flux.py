"""Flux's objects."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from platform_def.config.cluster import Delivery
from platform_def.config.kubernetes import Kubernetes
from platform_def.config.objects import Drift
from platform_def.delivery.deliver import deliver
from platform_def.errors import ConfigError
from platform_def.manifests.rendered import RenderedStack

from .samples import (
    CERT_MANAGER,
    EMISSARY,
    FLUX,
    JOB,
    NAMESPACES,
    REPOSITORY,
    TRAINING,
    body,
    component,
    crd,
    deployment,
    ordered,
)


def _delivered(rendered: RenderedStack, delivery: Delivery = FLUX, **jobs: str) -> dict[str, Any]:
    """What Flux reads; the note that leads back to the stack is for people, the gate for the API server."""
    found = deliver(rendered, delivery, jobs).delivery
    return {f"{item.kind}/{item.name}": item.manifest for item in found if item.group not in ("", GATES)}


GATES = "admissionregistration.k8s.io"


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
    assert found["Kustomization/cert-manager-main"]["spec"]["deletionPolicy"] == "WaitForTermination"


ROLES = "rbac.authorization.k8s.io/v1"
GATHERING = body(ROLES, "ClusterRole", "all", aggregationRule={"clusterRoleSelectors": []})


def test_the_end_of_roles_that_gather_others_is_not_waited_for() -> None:
    """The controller manager may create such a role again while the roles that it gathers are deleted."""
    spec = _delivered(ordered(NAMESPACES, component("people", main=(GATHERING,), requires=("namespaces",))))

    assert spec["Kustomization/people-main"]["spec"]["deletionPolicy"] == "Delete"


@pytest.mark.parametrize(
    ("main", "after"),
    [
        ((body(ROLES, "ClusterRole", "plain", rules=[]),), ()),
        ((GATHERING, body("cert-manager.io/v1", "Certificate", "web", "vision")), ()),
        ((deployment("a", "vision"),), (GATHERING,)),
    ],
    ids=["nothing gathers", "a custom resource is to end first", "another part gathers"],
)
def test_the_end_of_other_parts_is_waited_for(main: tuple[Any, ...], after: tuple[Any, ...]) -> None:
    people = component("people", main=main, after=after, requires=("namespaces",))
    spec = _delivered(ordered(NAMESPACES, CERT_MANAGER, people))["Kustomization/people-main"]["spec"]

    assert spec["deletionPolicy"] == "WaitForTermination"


def test_the_policies_and_quotas_of_namespaces_outlive_the_kustomization_that_brought_them() -> None:
    homes = component(
        "namespaces", main=(body("v1", "ResourceQuota", "gpus", "a"),), after=(body("v1", "ConfigMap", "b", "a"),)
    )
    found = _delivered(ordered(homes))

    for part in ("main", "after"):
        spec = found[f"Kustomization/namespaces-{part}"]["spec"]
        assert (spec["deletionPolicy"], spec["prune"]) == ("Orphan", True), "a quota that its team drops still goes"


def test_flux_does_not_delete_itself() -> None:
    engine = component("flux", crds=(crd("Kustomization", "a.example"),), main=(deployment("a", "flux-system"),))
    found = _delivered(ordered(engine))

    assert found["Kustomization/flux-main"]["spec"]["deletionPolicy"] == "Orphan"


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
    ],
)
def test_a_revision_is_a_branch_a_tag_or_a_reference(revision: str, reference: dict[str, str]) -> None:
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
    drift = Drift("example.com/v1", "Thing", "a.b", ("/spec/x",))

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


def test_what_starts_by_the_clock_goes_with_its_file() -> None:
    rendered = ordered(NAMESPACES, TRAINING, jobs={"faces": (JOB,), "nightly": (JOB,)})
    made = deliver(rendered, FLUX, {"faces": "vision", "nightly": "vision"}, recurring=frozenset({"nightly"}))
    found = {item.name: item.manifest["spec"] for item in made.delivery if item.kind == "Kustomization"}

    assert (found["nightly-job"]["prune"], found["nightly-job"]["deletionPolicy"]) == (True, "Delete")
    assert (found["faces-job"]["prune"], found["faces-job"]["deletionPolicy"]) == (False, "Orphan")


def test_what_a_webhook_looks_for_when_it_judges_the_rest_of_a_job_is_made_before() -> None:
    api = "trainer.kubeflow.org/v1alpha1"
    runtime, job = (body(api, kind, "faces-1", "vision") for kind in ("TrainingRuntime", "TrainJob"))
    rendered = ordered(NAMESPACES, jobs={"faces": (runtime, job)})
    before, after = rendered.jobs["faces"]
    found = _delivered(replace(rendered, jobs={"faces": (replace(before, part="classes"), after)}), faces="vision")

    first, rest = (found[f"Kustomization/{name}"]["spec"] for name in ("faces-job-first", "faces-job"))
    assert {"name": "faces-job-first"} in rest["dependsOn"]
    assert {"name": "faces-job-first"} not in first["dependsOn"]
    assert first["path"] == rest["path"]
    (left_out,) = first["patches"]
    assert left_out["target"] == {"group": "trainer.kubeflow.org", "version": "v1alpha1", "kind": "TrainJob"}
    assert '"$patch": delete' in left_out["patch"]
    assert "patches" not in rest


def test_the_root_brings_every_object_and_takes_nothing_with_it() -> None:
    root = _delivered(WHOLE)["Kustomization/platform"]

    assert (root["spec"]["prune"], root["spec"]["deletionPolicy"]) == (True, "Orphan")
    assert root["metadata"]["labels"]["platform-def/bootstrap"] == "true"


def test_source_and_root_are_never_pruned() -> None:
    for repository in (REPOSITORY, "oci://registry.example.com/platform"):
        found = _delivered(WHOLE, _changed(repository=repository))
        kept = {name for name, item in found.items() if "annotations" in item["metadata"]}

        assert len(kept) == 2
        for name in kept:
            assert found[name]["metadata"]["annotations"] == {"kustomize.toolkit.fluxcd.io/prune": "disabled"}


def test_every_part_reads_the_one_source_as_often_as_the_stack_says() -> None:
    found = _delivered(WHOLE, _changed(interval_minutes=7))

    for name, item in found.items():
        assert item["spec"]["interval"] == "7m"
        if name.startswith("Kustomization/"):
            assert item["spec"]["sourceRef"] == {"kind": "GitRepository", "name": "platform"}


def test_a_part_waits_for_its_own_components_alone_to_be_healthy() -> None:
    claim = body("v1", "PersistentVolumeClaim", "data", "a", spec={})
    hook = body("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "h", webhooks=[{"name": "h"}])

    found = _delivered(ordered(component("a", main=(claim,), after=(hook,))))

    kinds = {name: [each["kind"] for each in item["spec"].get("healthCheckExprs", ())] for name, item in found.items()}
    assert kinds["Kustomization/a-main"] == ["PersistentVolumeClaim"]
    assert kinds["Kustomization/a-after"] == ["ValidatingWebhookConfiguration"]
    assert "failed" not in found["Kustomization/a-after"]["spec"]["healthCheckExprs"][0]


def test_a_part_that_needs_nothing_depends_on_nothing() -> None:
    assert "dependsOn" not in _delivered(WHOLE)["Kustomization/namespaces-main"]["spec"]


def test_images_and_drivers_have_longer_to_come_up_than_jobs_to_be_created() -> None:
    found = _delivered(ordered(NAMESPACES, TRAINING, jobs={"faces": (JOB,)}), faces="vision")

    minutes = {name: int(item["spec"]["timeout"][:-1]) for name, item in found.items() if "timeout" in item["spec"]}
    assert minutes["Kustomization/training-operator-main"] > minutes["Kustomization/faces-job"]


@pytest.mark.parametrize(
    ("revision", "reference"),
    [("latest", {"tag": "latest"}), ("v1.2.3", {"tag": "v1.2.3"})],
)
def test_an_artifact_is_found_by_its_tag(revision: str, reference: dict[str, str]) -> None:
    found = _delivered(WHOLE, _changed(repository="oci://registry.example.com/platform", revision=revision))

    assert found["OCIRepository/platform"]["spec"]["ref"] == reference
    assert "ignore" not in found["OCIRepository/platform"]["spec"]


@pytest.mark.parametrize(
    ("revision", "kind"),
    [
        ("1.2.3", "tag"),
        ("1.2.3-rc.1", "tag"),
        ("v1.2", "branch"),
        ("release-v1.2.3", "branch"),
    ],
)
def test_what_looks_like_a_version_is_a_tag(revision: str, kind: str) -> None:
    reference = _delivered(WHOLE, _changed(revision=revision))["GitRepository/platform"]["spec"]["ref"]

    assert reference == {kind: revision}


def test_a_folder_that_flux_cannot_read_is_named_with_what_it_can() -> None:
    with pytest.raises(ConfigError, match="stack gpu-prod: Flux reads Git over https, http and ssh alone, not file"):
        deliver(WHOLE, _changed(repository="file:///srv/platform"), {})


def test_a_deep_folder_is_reached_level_by_level() -> None:
    spec = _delivered(WHOLE, _changed(path="out/manifests"))["GitRepository/platform"]["spec"]

    assert spec["ignore"] == "/*\n!/out\n/out/*\n!/out/manifests\n/out/manifests/*\n!/out/manifests/gpu-prod\n"


def test_a_part_without_drift_ignores_nothing() -> None:
    assert "ignore" not in _delivered(WHOLE)["Kustomization/cert-manager-main"]["spec"]


def test_everything_lives_in_the_namespace_of_the_engine() -> None:
    for repository in (REPOSITORY, "oci://registry.example.com/platform"):
        found = _delivered(WHOLE, _changed(repository=repository, namespace="gitops"))

        assert {item["metadata"]["namespace"] for item in found.values()} == {"gitops"}


def test_an_operator_goes_after_its_custom_resources_where_the_cluster_knows_such_policies() -> None:
    def gates(version: str) -> list[str]:
        rendered = replace(WHOLE, platform=WHOLE.platform.with_facts(kubernetes=Kubernetes(version)))
        return [str(item) for item in deliver(rendered, FLUX, {}).delivery if item.group == GATES]

    assert gates("1.30") == [
        "ValidatingAdmissionPolicy platform-def-removal",
        "ValidatingAdmissionPolicyBinding platform-def-removal",
    ]
    assert gates("1.29") == []


def test_a_job_has_a_folder_of_its_own() -> None:
    found = _delivered(ordered(NAMESPACES, TRAINING, jobs={"faces": (JOB,)}), faces="vision")

    assert found["Kustomization/faces-job"]["spec"]["path"] == "./dist/gpu-prod/_jobs/faces"


def test_a_registry_is_trusted_by_the_authority_that_the_stack_names() -> None:
    told = _delivered(WHOLE, _changed(repository="oci://registry.example.com/platform", ca_secret="site"))
    plain = _delivered(WHOLE, _changed(repository="oci://registry.example.com/platform"))

    assert told["OCIRepository/platform"]["spec"]["certSecretRef"] == {"name": "site"}
    assert "certSecretRef" not in plain["OCIRepository/platform"]["spec"]
