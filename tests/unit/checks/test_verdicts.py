"""The schema rule says of each object what a real API server says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from platform_def.checks.context import Memo
from platform_def.checks.rule import Finding
from platform_def.checks.rules.server.schema import SCHEMA
from platform_def.config.kubernetes import SUPPORTED_KUBERNETES
from platform_def.manifests.rendered import Manifest
from platform_def.manifests.schemas import Schemas
from tests.unit.checks.samples import found, rendered
from tests.unit.checks.verdicts import DROPPED, OTHERS, cases, created, custom, definition


def test_verdicts_equal_those_of_the_api_server() -> None:
    memo = Memo()
    wrong = [
        f"{'refused' if taken else 'taken'}: {manifest}"
        for manifest, taken in cases()
        if _fits(manifest, memo) != taken
    ]

    assert wrong == []


def test_of_what_others_made_only_that_is_an_error_which_cannot_be_created_either() -> None:
    definitions = definition()
    wrong = [
        f"{'refused' if taken else 'taken'}: {manifest}"
        for manifest, taken in created()
        if taken == any(each.severity == "error" for each in _of_others(definitions, manifest))
    ]

    assert wrong == []
    assert sum(taken for _, taken in created()) - sum(taken for _, taken in cases()) == 12


def _of_others(definitions: Manifest, manifest: Manifest) -> list[Finding]:
    return found(SCHEMA, replace(rendered(definitions, manifest), foreign=True))


@pytest.mark.parametrize(("field", "value"), DROPPED)
def test_what_server_side_apply_drops_in_silence_is_found(field: str, value: object) -> None:
    findings = found(SCHEMA, rendered(definition(), custom(field, value)))

    assert [finding.text for finding in findings] == ["unknown field"]


def test_a_field_that_kubernetes_got_later_is_unknown_before() -> None:
    schemas = Schemas()
    manifest = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "it", "namespace": "default"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "volumeAttributesClassName": "fast",
            "resources": {"requests": {"storage": "1Gi"}},
        },
    }

    assert _mismatches(manifest, schemas, "1.37") == []
    assert _mismatches(manifest, schemas, "1.28") == ["spec.volumeAttributesClassName"]


def _fits(manifest: Manifest, memo: Memo) -> bool:
    if manifest["apiVersion"].startswith("example.com"):
        return not found(SCHEMA, rendered(definition(), manifest), memo=memo)
    return not _mismatches(manifest, memo.schemas, "1.36")


def _mismatches(manifest: Manifest, schemas: Schemas, kubernetes: str) -> list[str]:
    schema = schemas.core(kubernetes, manifest["apiVersion"], manifest["kind"])
    assert schema is not None
    return [mismatch.path for mismatch in schema.mismatches(manifest)]


@pytest.mark.parametrize("kubernetes", SUPPORTED_KUBERNETES)
def test_valid_objects_are_fine_in_every_supported_version(kubernetes: str) -> None:
    schemas = Schemas()
    refused = [manifest for manifest, taken in OTHERS if taken and _mismatches(manifest, schemas, kubernetes)]

    assert refused == []
