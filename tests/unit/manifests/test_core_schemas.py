"""Core kinds: what the server fills in, what it keys lists by, and which kinds a version has."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.manifests.rendered import Manifest
from platform_def.manifests.schemas import Schemas

SCHEMAS = Schemas()


def body(api_version: str, kind: str, **fields: Any) -> Manifest:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "it"}, **fields}


def pod(container: dict[str, Any] | None = None, **spec: Any) -> Manifest:
    return body("v1", "Pod", spec={"containers": [{"name": "main", "image": "app:1", **(container or {})}], **spec})


def wrong(manifest: Manifest, kubernetes: str = "1.36") -> list[str]:
    schema = SCHEMAS.core(kubernetes, manifest["apiVersion"], manifest["kind"])
    assert schema is not None
    return [f"{each.path}: {each.text}" for each in schema.mismatches(manifest)]


TEMPLATE: dict[str, Any] = {
    "metadata": {"labels": {"app": "a"}},
    "spec": {"containers": [{"name": "main", "image": "app:1"}]},
}
CHOSEN = {"matchLabels": {"app": "a"}}
PROBE = {"httpGet": {"port": 80, "httpHeaders": [{"name": "x"}]}}
ISCSI = {"targetPortal": "10.0.0.1:3260", "iqn": "iqn.2026-01.com.example:disk"}
CRD_SPEC = {
    "group": "example.com",
    "names": {"kind": "Thing", "plural": "things"},
    "scope": "Cluster",
    "versions": [{"name": "v1", "served": True, "storage": True}],
}


@pytest.mark.parametrize(
    "manifest",
    [
        body("apps/v1", "StatefulSet", spec={"selector": CHOSEN, "template": TEMPLATE}),
        body("apps/v1", "ControllerRevision", data={}),
        body(
            "batch/v1",
            "Job",
            spec={
                "template": {"spec": {**TEMPLATE["spec"], "restartPolicy": "Never"}},
                "podFailurePolicy": {
                    "rules": [
                        {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]},
                        {"action": "Count", "onPodConditions": [{"type": "DisruptionTarget"}]},
                    ]
                },
            },
        ),
        pod({"livenessProbe": PROBE}),
        pod(volumes=[{"name": "v", "iscsi": ISCSI}]),
        body(
            "v1",
            "PersistentVolume",
            spec={"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}, "iscsi": ISCSI},
        ),
        body("v1", "LimitRange", spec={}),
        pod(securityContext={"sysctls": [{"name": "kernel.shm_rmid_forced"}]}),
        body("discovery.k8s.io/v1", "EndpointSlice", addressType="IPv4"),
        body("networking.k8s.io/v1", "NetworkPolicy", spec={}),
        body("rbac.authorization.k8s.io/v1", "RoleBinding", roleRef={"kind": "Role", "name": "a"}),
        body("scheduling.k8s.io/v1", "PriorityClass"),
        body("storage.k8s.io/v1", "CSIDriver"),
        body("v1", "Pod", spec=TEMPLATE["spec"], status={"conditions": [{"type": "Ready"}]}),
        body("apiextensions.k8s.io/v1", "CustomResourceDefinition", spec=CRD_SPEC, status={}),
    ],
    ids=lambda manifest: manifest["kind"],
)
def test_what_the_server_fills_in_is_not_missed(manifest: Manifest) -> None:
    assert wrong(manifest) == []


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        (body("apps/v1", "StatefulSet", spec={"template": TEMPLATE}), "spec.selector: is missing"),
        (pod({"livenessProbe": {"httpGet": {"port": 80, "httpHeaders": [{}]}}}), "httpHeaders[0].name: is missing"),
        (body("rbac.authorization.k8s.io/v1", "RoleBinding", roleRef={"kind": "Role"}), "roleRef.name: is missing"),
        (pod(volumes=[{"name": "v", "iscsi": {}}]), "spec.volumes[0].iscsi.iqn: is missing"),
        (pod({"image": 5}), "spec.containers[0].image: must be a string, not 5"),
        (pod({"livenessProbe": {"httpGet": {"port": 2**31}}}), "port: 2147483648 does not fit into int32"),
        (pod({"livenessProbe": {"httpGet": {"port": -(2**31) - 1}}}), "port: -2147483649 does not fit into int32"),
        (pod({"livenessProbe": {"httpGet": {"port": True}}}), "port: must be an integer or a string, not true"),
        (pod({"resources": {"limits": {"cpu": []}}}), "limits.cpu: must be a number or a string, not a list"),
        (pod({"resources": {"limits": {"cpu": "1x"}}}), "limits.cpu: '1x' is not a valid quantity"),
        (pod(terminationGracePeriodSeconds=2**63), "does not fit into int64"),
        (pod(priority=2**31), "does not fit into int32"),
        (body("v1", "Secret", data={"a": "Zm9v="}), "data.a: the value is not a valid base64 text"),
        (
            body("v1", "Pod", metadata={"name": "a", "creationTimestamp": "today"}, spec=TEMPLATE["spec"]),
            "metadata.creationTimestamp: 'today' is not a valid date-time",
        ),
        (body("v1", "ConfigMap", metadata={"name": "a", "finalizers": ["x", "x"]}), "finalizers: holds an item twice"),
        (
            pod({"ports": [{"containerPort": 1}, {"containerPort": 1, "protocol": "TCP"}]}),
            "ports: [0] and [1] are the same entry (containerPort 1, protocol TCP)",
        ),
        (
            body("apiextensions.k8s.io/v1", "CustomResourceDefinition", spec=CRD_SPEC | {"scope": 5}),
            "spec.scope: must be a string, not 5",
        ),
    ],
)
def test_what_the_server_refuses_is_told_in_its_place(manifest: Manifest, said: str) -> None:
    found = wrong(manifest)

    assert [each for each in found if said in each] != []
    assert len(found) <= 2


@pytest.mark.parametrize(
    "manifest",
    [
        pod({"livenessProbe": {"httpGet": {"port": "http"}}}),
        pod({"livenessProbe": {"httpGet": {"port": 2**16 - 1}}}),
        pod({"resources": {"limits": {"cpu": 2, "memory": "4Gi", "a/b": 2}}}),
        pod({"ports": [{"containerPort": 1}, {"containerPort": 1, "protocol": "UDP"}]}),
        body("v1", "Secret", data={"a": "", "b": "Zm9v\n"}),
        pod({"resources": {"limits": {"cpu": None}}, "livenessProbe": {"httpGet": {"port": None}}}),
    ],
)
def test_what_the_server_takes_is_taken(manifest: Manifest) -> None:
    assert wrong(manifest) == []


def crd_with(schema: object) -> Manifest:
    versions = [CRD_SPEC["versions"][0] | {"schema": {"openAPIV3Schema": schema}}]  # type: ignore[index]
    return body("apiextensions.k8s.io/v1", "CustomResourceDefinition", spec=CRD_SPEC | {"versions": versions})


@pytest.mark.parametrize("inside", [{"type": "string"}, True, False])
def test_a_schema_may_be_a_word_where_values_of_a_map_are_said(inside: object) -> None:
    assert wrong(crd_with({"type": "object", "additionalProperties": inside})) == []


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        ({"additionalProperties": {"tipe": "x"}}, "additionalProperties.tipe"),
        ({"items": {"tipe": "x"}}, "items.tipe"),
        ({"properties": {"a": {"not": {"tipe": "x"}}}}, "properties.a.not.tipe"),
    ],
)
def test_a_schema_is_judged_at_every_depth(schema: object, place: str) -> None:
    [found] = wrong(crd_with(schema))

    assert found.endswith(f"{place}: unknown field")


def test_one_rule_may_stand_twice_in_a_schema() -> None:
    rule = {"rule": "true"}

    assert wrong(crd_with({"type": "object", "x-kubernetes-validations": [rule, rule]})) == []


def test_a_version_has_the_kinds_that_it_has() -> None:
    assert SCHEMAS.core("1.25", "autoscaling/v2beta2", "HorizontalPodAutoscaler") is not None
    assert SCHEMAS.core("1.26", "autoscaling/v2beta2", "HorizontalPodAutoscaler") is None
    assert SCHEMAS.core("1.36", "v1", "Nothing") is None


def test_a_schema_is_made_once_for_each_kind_and_version() -> None:
    schemas = Schemas()

    assert schemas.core("1.36", "v1", "Pod") is schemas.core("1.36", "v1", "Pod")
    assert schemas.core("1.36", "v1", "Pod") is not schemas.core("1.35", "v1", "Pod")
    assert schemas.core("1.36", "v1", "Pod") is not schemas.core("1.36", "v1", "Secret")


def test_a_misspelt_word_of_a_schema_is_answered_where_a_word_alone_would_do_too() -> None:
    judged = SCHEMAS.core("1.36", "apiextensions.k8s.io/v1", "CustomResourceDefinition")
    assert judged is not None

    [found] = judged.mismatches(crd_with({"type": "object", "additionalProperties": {"typ": "string"}}))

    assert found.hint == "did you mean 'type'?"


@pytest.mark.parametrize(
    ("kubernetes", "source", "refused"),
    [
        ("1.36", "Object", ["spec.minReplicas: 0 is not at least 1"]),
        ("1.37", "Object", []),
        ("1.37", "External", []),
        ("1.37", "Pods", ["spec.minReplicas: is 0, and no metric of type Object or External says when to start"]),
    ],
)
def test_an_autoscaler_goes_to_zero_by_metrics_that_need_no_pod(
    kubernetes: str, source: str, refused: list[str]
) -> None:
    described = {"apiVersion": "v1", "kind": "Service", "name": "queue"}
    metric = {"metric": {"name": "waiting"}, "target": {"type": "AverageValue", "averageValue": "3"}}
    metric |= {"describedObject": described} if source == "Object" else {}
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    spec = {"scaleTargetRef": target, "minReplicas": 0, "maxReplicas": 3}
    spec["metrics"] = [{"type": source, source.lower(): metric}]

    assert wrong(body("autoscaling/v2", "HorizontalPodAutoscaler", spec=spec), kubernetes) == refused
