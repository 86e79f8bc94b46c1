"""Which fields of a kind name other objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import pytest

from platform_def.apis.cert_manager.v1 import CERTIFICATE
from platform_def.apis.core.core_v1 import PodTemplateSpec
from platform_def.apis.kubeflow.training_v1 import PYTORCH_JOB
from platform_def.crds.core.definitions import definitions, referenced
from platform_def.crds.core.kinds import CORE_KINDS
from platform_def.crds.core.references import KINDS, TYPES
from platform_def.crds.model import Api
from platform_def.crds.references import ITEMS, Names, names_of, names_of_core, steps
from platform_def.crds.schema import Ref, Schema
from platform_def.crds.typed_dict import TypedDict


class Store(TypedDict, total=False):
    """Names a Secret in a list of maps, and a pod."""

    keys: list[dict[str, Annotated[str, Ref("Secret")]]]
    template: PodTemplateSpec
    plain: str


STORE = Api(group="example.com", version="v1", kind="Store", plural="stores", spec=Store, core="1.31")


def at(names: Names, path: str) -> Ref | None:
    for step in path.split("/"):
        names = names.below[step]
    return names.ref


def test_types_lead_through_lists_maps_and_core_types() -> None:
    names = names_of(STORE)

    assert getattr(at(names, "spec/keys/[]/{}"), "kind", "") == "Secret"
    assert getattr(at(names, "spec/template/spec/volumes/[]/configMap/name"), "kind", "") == "ConfigMap"
    assert "plain" not in names.below["spec"].below


def test_a_training_job_names_what_its_pods_name() -> None:
    replicas = names_of(PYTORCH_JOB).below["spec"].below["pytorchReplicaSpecs"].below["{}"]

    assert getattr(at(replicas, "template/spec/serviceAccountName"), "kind", "") == "ServiceAccount"


def test_a_certificate_names_its_issuer_by_kind_and_group() -> None:
    issuer = at(names_of(CERTIFICATE), "spec/issuerRef/name")

    assert issuer
    assert (issuer.kind, issuer.kind_field, issuer.group_field) == ("Issuer", "kind", "group")


def test_any_object_may_name_others_in_annotations_and_labels() -> None:
    metadata = names_of_core("", "ConfigMap").below["metadata"]

    assert metadata.below["annotations"].below["cert-manager.io/inject-ca-from"].ref
    assert metadata.below["labels"].below["kueue.x-k8s.io/queue-name"].ref


@pytest.mark.parametrize("group_kind", sorted(KINDS))
def test_the_table_of_core_kinds_has_kinds_that_there_are(group_kind: tuple[str, str]) -> None:
    assert any((api.rpartition("/")[0], kind) == group_kind for api, kind in CORE_KINDS)


@pytest.mark.parametrize("name", sorted({*TYPES}))
def test_the_paths_of_core_types_are_fields_that_some_version_has(name: str) -> None:
    known = definitions("1.36")
    versions = [full for full in known if full.startswith("io.k8s.api.") and full.endswith(f".{name}")]

    for path in TYPES[name]:
        assert any(_leads_somewhere(full, path, known) for full in versions), path


def _leads_somewhere(name: str, path: str, known: Mapping[str, Schema]) -> bool:
    schema: Schema = known[name]
    for step in steps(path):
        if "additionalProperties" in schema:  # a map: any key
            return True
        inner = schema.get("items") if step == ITEMS else schema.get("properties", {}).get(step)
        if inner is None:
            return False
        schema = known.get(referenced(inner), inner)
    return True
