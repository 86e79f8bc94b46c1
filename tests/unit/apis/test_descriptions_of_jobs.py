"""What the types of jobs, queues, notebooks and the like say: descriptions for people, names of other objects."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any, get_args, get_origin

import pytest

from platform_def.apis.kubeflow.notebook_v1 import NOTEBOOK
from platform_def.apis.kubeflow.pod_default_v1alpha1 import POD_DEFAULT
from platform_def.apis.kubeflow.training_v1 import PYTORCH_JOB
from platform_def.crds import hints
from platform_def.crds.core.definitions import definition_name
from platform_def.crds.data import Kept
from platform_def.crds.model import Api
from platform_def.crds.references import ITEMS, VALUES, Names, names_of
from platform_def.crds.schema import Schema
from platform_def.crds.structure import object_schema
from platform_def.crds.typed_dict import is_typed_dict
from platform_def.manifests.links import links

WRITTEN_BY_HAND = (
    "application.v1beta1", "ceph_csi.v1", "kubeflow.chainer_v1alpha1", "snapshot.group_v1", "jobset.v1alpha2", "kubeflow.katib_v1beta1",
    "kubeflow.kfp_pipelines_v2beta1", "kubeflow.training_v1", "kubeflow.training_v1_release_1_7", "kueue.v1beta2", "minio.v2", "kubeflow.mpi_v2beta1",
    "kubeflow.mxnet_v1", "node_features.nfd_v1alpha1", "kubeflow.notebook_v1", "nvidia.gpu_operator_v1", "paddle.v1", "kubeflow.pod_default_v1alpha1",
    "kubeflow.profile_v1", "kubeflow.pvc_viewer_v1alpha1", "snapshot.v1", "kubeflow.spark_v1beta2", "kubeflow.tensorboard_v1alpha1", "kubeflow.trainer_v1alpha1",
    "volcano.batch_v1alpha1", "volcano.internal_v1alpha1", "volcano.scheduling_v1beta1", "kubeflow.xgboost_v1",
)  # fmt: skip
UNWRITTEN = frozenset({"ServiceStatus"})
"""Types inside specifications that nobody fills in."""


def apis_of(module: str) -> list[Api[Any]]:
    found = vars(import_module(f"platform_def.apis.{module}")).values()
    return [value for value in found if isinstance(value, Api)]


def with_names() -> list[Any]:
    modules = (*WRITTEN_BY_HAND, "argo_workflows.v1alpha1", "argo_workflows.full_v1alpha1")
    found = {(module, api.kind, api.version): api for module in modules for api in apis_of(module)}
    return [pytest.param(api, id="-".join(key)) for key, api in found.items()]


def undescribed(hint: object, path: str, seen: set[object]) -> Iterator[str]:
    hint = hints.plain(hint)
    if isinstance(hint, hints.Noted):
        if not any(isinstance(note, Kept) for note in hint.notes):
            yield from undescribed(hint.base, path, seen)
    elif isinstance(hint, hints.Either):
        for member in hint.members:
            yield from undescribed(member, path, seen)
    elif get_origin(hint) in (list, dict):
        yield from undescribed(get_args(hint)[-1], path, seen)
    elif isinstance(hint, type) and is_typed_dict(hint) and not definition_name(hint) and hint not in seen:
        seen.add(hint)
        if hint.__name__ not in UNWRITTEN:
            for field in hints.fields(hint):
                if not field.doc:
                    yield f"{path}.{field.name}"
                yield from undescribed(field.hint, f"{path}.{field.name}", seen)


@pytest.mark.parametrize("module", WRITTEN_BY_HAND)
def test_every_field_that_people_write_is_described(module: str) -> None:
    written = [api for api in apis_of(module) if api.storage]
    missing = [path for api in written for path in undescribed(api.spec, api.kind, set())]

    assert missing == []


def leads(schema: Schema, path: str) -> bool:
    """Whether the schema has the dotted path, or leaves open what is there."""
    for step in path.split("."):
        schema = schema.get("items") or schema.get("additionalProperties") or schema
        if schema.get("x-kubernetes-preserve-unknown-fields") and step not in schema.get("properties", {}):
            return True
        if step not in schema.get("properties", {}):
            return False
        schema = schema["properties"][step]
    return True


@pytest.mark.parametrize("api", with_names())
def test_what_a_controller_makes_is_named_by_a_field_there_is(api: Api[Any]) -> None:
    schema = object_schema(api)
    paths = [path for makes in api.makes for path in (makes.name, makes.namespace) if path not in ("", "metadata.name")]

    assert [path for path in paths if not leads(schema, path)] == []


def astray(names: Names, schema: Schema, path: str) -> Iterator[str]:
    """Names and siblings of names that the schema does not have."""
    if schema.get("x-kubernetes-preserve-unknown-fields"):
        return
    for step, place in names.below.items():
        at = f"{path}.{step}"
        if step in (ITEMS, VALUES):
            inner = schema.get("items" if step == ITEMS else "additionalProperties")
        else:
            inner = schema.get("properties", {}).get(step)
        if step == "metadata" or path.endswith(".parameters"):
            continue
        if not isinstance(inner, dict):
            yield at
            continue
        yield from astray(place, inner, at)
        named = place.ref or (place.below[ITEMS].ref if ITEMS in place.below else None)
        optional = named.optional if named and isinstance(named.optional, str) else ""
        if named and step not in (ITEMS, VALUES):
            beside = (named.kind_field, named.group_field, named.namespace, named.key, optional)
            yield from (f"{at}: {field}" for field in beside if field and field not in schema.get("properties", {}))


@pytest.mark.parametrize("api", with_names())
def test_every_name_and_what_qualifies_it_are_fields_of_the_kind(api: Api[Any]) -> None:
    wrong = list(astray(names_of(api), object_schema(api), api.kind))

    assert [place for place in wrong if not old_core(place)] == []


def old_core(place: str) -> bool:
    """Fields of today's pods that the Kubernetes of an old operator did not have."""
    return any(step in place for step in (".resourceClaims", ".claims", ".ephemeral", ".dataSource", ".image."))


def test_a_notebook_keeps_the_pod_of_its_operators_day_and_is_authored_as_todays() -> None:
    notebook: Api[Any] = NOTEBOOK
    schema = object_schema(notebook)["properties"]["spec"]["properties"]["template"]["properties"]["spec"]

    assert schema["required"] == ["containers"]
    assert "resourceClaims" not in schema["properties"]
    assert schema["description"].startswith("Its specification")


def test_a_notebook_names_what_its_pod_names() -> None:
    pod = {"serviceAccountName": "default-editor", "volumes": [{"persistentVolumeClaim": {"claimName": "home"}}]}
    manifest = {
        "apiVersion": "kubeflow.org/v1",
        "kind": "Notebook",
        "metadata": {"name": "lab", "namespace": "vision"},
        "spec": {"template": {"spec": pod}},
    }

    found = links(manifest)

    assert [(each.kind, each.name) for each in found.names] == [
        ("ServiceAccount", "default-editor"),
        ("PersistentVolumeClaim", "home"),
    ]
    assert [(each.kind, each.namespace, each.name) for each in found.makes] == [("Service", "vision", "lab")]


def test_a_profile_makes_a_namespace_with_its_accounts() -> None:
    manifest = {"apiVersion": "kubeflow.org/v1", "kind": "Profile", "metadata": {"name": "vision"}, "spec": {}}

    assert {(each.kind, each.namespace, each.name) for each in links(manifest).makes} == {
        ("Namespace", "", "vision"),
        ("ServiceAccount", "vision", "default-editor"),
        ("ServiceAccount", "vision", "default-viewer"),
    }


def test_a_workflow_names_secrets_wherever_its_artifacts_are() -> None:
    store = {"s3": {"accessKeySecret": {"name": "store", "key": "user"}, "caSecret": {"name": "ca", "key": "ca.crt"}}}
    step = {"inputs": {"artifacts": [store]}, "container": {"image": "busybox:1.37"}}
    manifest = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "CronWorkflow",
        "metadata": {"name": "nightly", "namespace": "vision"},
        "spec": {"workflowSpec": {"serviceAccountName": "runner", "templates": [step]}},
    }

    assert {(each.kind, each.name, each.key) for each in links(manifest).names} == {
        ("ServiceAccount", "runner", ""),
        ("Secret", "store", "user"),
        ("Secret", "ca", "ca.crt"),
    }


def test_a_parameter_of_a_check_is_of_the_kind_that_stands_beside_it() -> None:
    parameters = {"apiGroup": "kueue.x-k8s.io", "kind": "MultiKueueConfig", "name": "far"}
    check = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "AdmissionCheck", "metadata": {"name": "it"}}

    [name] = links(check | {"spec": {"controllerName": "kueue.x-k8s.io/multikueue", "parameters": parameters}}).names

    assert (name.group, name.kind, name.name) == ("kueue.x-k8s.io", "MultiKueueConfig", "far")


def test_pod_defaults_and_gangs_name_what_they_use() -> None:
    pods = names_of(POD_DEFAULT).below["spec"].below
    policy = names_of(PYTORCH_JOB).below["spec"].below["runPolicy"].below["schedulingPolicy"].below

    assert {"imagePullSecrets", "volumes", "env", "envFrom", "sidecars", "initContainers"} <= set(pods)
    assert policy["queue"].ref is not None
    assert policy["queue"].ref.kind == "Queue"
