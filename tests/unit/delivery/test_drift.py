"""What drifts in a part, and what the engines are told of it."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.config.cluster import Delivery
from platform_def.config.objects import Drift
from platform_def.delivery.deliver import deliver
from platform_def.delivery.drift import drifting
from platform_def.manifests.rendered import Manifest, RenderedComponent

from .samples import ARGOCD, FLUX, body, component, ordered

HOOKS = "admissionregistration.k8s.io/v1"
BUNDLE = ("/webhooks/0/clientConfig/caBundle",)


def hook(name: str, kind: str = "ValidatingWebhookConfiguration") -> Manifest:
    return body(HOOKS, kind, name, webhooks=[{}])


def drift(name: str = "", *pointers: str, by: str = "") -> Drift:
    return Drift(HOOKS, "ValidatingWebhookConfiguration", name, pointers or BUNDLE, by)


def ignored(delivery: Delivery, made: RenderedComponent) -> list[dict[str, Any]]:
    """What the engine ignores in the part `main` of the component `a`."""
    found = {item.name: item.manifest for item in deliver(ordered(made), delivery, {}).delivery}
    spec = found["a-main"]["spec"]
    listed: list[dict[str, Any]] = spec.get("ignoreDifferences" if delivery is ARGOCD else "ignore", [])
    return listed


def test_a_field_of_another_object_of_the_kind_is_not_ignored() -> None:
    assert drifting(component("a", main=(hook("mine"),), drifting=(drift("other"),)), "main") == ()


def test_a_field_of_another_kind_is_not_ignored() -> None:
    made = component("a", main=(hook("mine", "MutatingWebhookConfiguration"),), drifting=(drift("mine"), drift()))

    assert drifting(made, "main") == ()


def test_a_field_of_all_objects_of_a_kind_is_declared_without_a_name() -> None:
    assert drifting(component("a", main=(hook("mine"),), drifting=(drift(),)), "main") == (drift(),)


def test_a_group_is_another_kind() -> None:
    other = Drift("example.com/v1", "ValidatingWebhookConfiguration", "", BUNDLE)

    assert drifting(component("a", main=(hook("mine"),), drifting=(other,)), "main") == ()


def test_the_version_does_not_matter() -> None:
    older = Drift("admissionregistration.k8s.io/v1beta1", "ValidatingWebhookConfiguration", "mine", BUNDLE)

    assert drifting(component("a", main=(hook("mine"),), drifting=(older,)), "main") == (older,)


def test_what_is_declared_twice_is_ignored_once_and_sorted() -> None:
    declared = (drift("b"), drift("a", "/y"), drift("b"), drift("a", "/x"))
    made = component("a", main=(hook("b"), hook("a")), drifting=declared)

    assert drifting(made, "main") == (drift("a", "/x"), drift("a", "/y"), drift("b"))


@pytest.mark.parametrize("fields", [{"rules": []}, {"aggregationRule": {}}])
def test_only_rules_beside_an_aggregation_are_the_clusters(fields: dict[str, Any]) -> None:
    role = body("rbac.authorization.k8s.io/v1", "ClusterRole", "all", **fields)

    assert drifting(component("a", main=(role,)), "main") == ()


def test_only_the_rules_of_cluster_roles_are_aggregated() -> None:
    other = body("example.com/v1", "Roles", "all", aggregationRule={}, rules=[])

    assert drifting(component("a", main=(other,)), "main") == ()


def test_each_aggregated_role_is_named_with_its_controller() -> None:
    roles = [
        body("rbac.authorization.k8s.io/v1", "ClusterRole", name, aggregationRule={}, rules=[]) for name in ("b", "a")
    ]

    found = drifting(component("a", main=tuple(roles)), "main")

    assert [each.name for each in found] == ["a", "b"]
    assert {each.by for each in found} == {"clusterrole-aggregation-controller"}


@pytest.mark.parametrize("delivery", [ARGOCD, FLUX], ids=["argocd", "flux"])
def test_a_drift_of_one_object_names_it_to_the_engine_and_one_of_all_does_not(delivery: Delivery) -> None:
    one = ignored(delivery, component("a", main=(hook("mine"),), drifting=(drift("mine"),)))
    every = ignored(delivery, component("a", main=(hook("mine"),), drifting=(drift(),)))

    assert [each.get("target", each).get("name") for each in one] == ["mine"]
    assert ["name" in each.get("target", each) for each in every] == [False]


def test_a_kind_of_the_core_group_is_named_without_a_group() -> None:
    made = component("a", main=(body("v1", "Secret", "s", "a"),), drifting=(Drift("v1", "Secret", "s", ("/data",)),))

    assert ignored(ARGOCD, made) == [{"kind": "Secret", "name": "s", "jsonPointers": ["/data"]}]
    assert ignored(FLUX, made) == [{"target": {"kind": "Secret", "name": "s"}, "paths": ["/data"]}]


def test_a_drift_without_fields_is_what_its_writer_owns_which_only_argo_cd_can_say() -> None:
    unknown = Drift(HOOKS, "ValidatingWebhookConfiguration", "mine", (), "ca-injector")
    made = component("a", main=(hook("mine"),), drifting=(unknown,))

    assert [each["managedFieldsManagers"] for each in ignored(ARGOCD, made)] == [["ca-injector"]]
    assert ignored(FLUX, made) == []


def test_a_drift_with_fields_leaves_out_who_writes_them() -> None:
    made = component("a", main=(hook("mine"),), drifting=(drift("mine", by="ca-injector"),))

    assert ["managedFieldsManagers" in each for each in ignored(ARGOCD, made)] == [False]


def test_argo_cd_respects_what_it_ignores_when_it_syncs_and_only_then() -> None:
    with_drift = ordered(component("a", main=(hook("mine"),), drifting=(drift("mine"),)))
    without = ordered(component("a", main=(hook("mine"),)))

    def respected(stack: Any) -> bool:
        options = deliver(stack, ARGOCD, {}).delivery[-1].manifest["spec"]["syncPolicy"]["syncOptions"]
        return "RespectIgnoreDifferences=true" in options

    assert (respected(with_drift), respected(without)) == (True, False)


def queued(kind: str, api_version: str, spec: dict[str, Any], label: str = "kueue.x-k8s.io/queue-name") -> Any:
    job = body(api_version, kind, "train", "team")
    job["metadata"]["labels"] = {label: "research"}
    return {**job, "spec": spec}


def test_a_job_that_waits_in_a_queue_is_suspended_and_placed_by_others() -> None:
    job = queued("Job", "batch/v1", {"template": {"spec": {"containers": []}}})
    (found,) = drifting(component("a", main=(job,)), "main")

    assert found.name == "train"
    assert {"/spec/suspend", "/spec/parallelism", "/spec/template/spec/nodeSelector"} <= {*found.pointers}
    assert "/spec/template/metadata/labels" in found.pointers


def test_every_role_of_a_training_job_is_placed() -> None:
    roles: dict[str, Any] = {
        "Master": {"template": {"spec": {"containers": []}}},
        "Worker": {"template": {"spec": {"containers": []}}},
    }
    job = queued("PyTorchJob", "kubeflow.org/v1", {"pytorchReplicaSpecs": roles})
    (found,) = drifting(component("a", main=(job,)), "main")

    assert found.pointers[0] == "/spec/runPolicy/suspend"
    assert "/spec/pytorchReplicaSpecs/Worker/template/spec/tolerations" in found.pointers


def test_a_job_that_waits_nowhere_is_as_it_was_written() -> None:
    job = queued("Job", "batch/v1", {"template": {"spec": {"containers": []}}}, label="app")

    assert drifting(component("a", main=(job,)), "main") == ()


@pytest.mark.parametrize(
    ("api_version", "kind", "pointer"),
    [
        ("batch/v1", "Job", "/spec/suspend"),
        *(
            ("kubeflow.org/v1", kind, "/spec/runPolicy/suspend")
            for kind in ("JAXJob", "MPIJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob")
        ),
        ("jobset.x-k8s.io/v1alpha2", "JobSet", "/spec/suspend"),
        ("ray.io/v1", "RayCluster", "/spec/suspend"),
        ("ray.io/v1", "RayJob", "/spec/suspend"),
        ("sparkoperator.k8s.io/v1beta2", "SparkApplication", "/spec/suspend"),
        ("trainer.kubeflow.org/v1alpha1", "TrainJob", "/spec/suspend"),
        ("workload.codeflare.dev/v1beta2", "AppWrapper", "/spec/suspend"),
    ],
)
def test_a_job_in_a_queue_is_suspended_and_resumed_by_who_queues_it(api_version: str, kind: str, pointer: str) -> None:
    job = body(api_version, kind, "mine", "vision", spec={})
    queued = {**job, "metadata": {**job["metadata"], "labels": {"kueue.x-k8s.io/queue-name": "vision"}}}

    [found] = drifting(component("a", main=(queued,)), "main")

    assert (found.api_version, found.kind, found.name) == (api_version, kind, "mine")
    assert pointer in found.pointers
    assert drifting(component("a", main=(job,)), "main") == ()
