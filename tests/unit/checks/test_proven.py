"""The list of judged schemas: it is current, says the truth, and spares no schema that differs by anything."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from platform_def.checks.proven import FILE, is_proven, proven, schema_hash
from platform_def.checks.rules.server import definition_valid
from platform_def.checks.rules.server.definition_valid import DEFINITION_VALID
from platform_def.crds.catalogue import definition_of
from platform_def.crds.crd import crd
from platform_def.reference.proven import MINORS, judge, proven_text, schemas, valid


def _crd() -> dict[str, Any]:
    definition = definition_of("kubeflow.org", "PyTorchJob")
    assert definition is not None
    return crd(definition)


def _listing(calls: list[tuple[object, ...]]) -> Callable[..., tuple[()]]:
    """A judge that finds nothing, and writes down what it was asked."""

    def judge(*given: object) -> tuple[()]:
        calls.append(given)
        return ()

    return judge


def _schema(manifest: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = manifest["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return found


def test_list_is_what_make_docs_writes() -> None:
    assert proven().judge == judge(), (
        "the code that judges schemas has changed: run `make docs`, which judges all again"
    )
    assert FILE.read_text(encoding="utf-8") == proven_text(proven()), "run `make docs`"


def test_every_listed_schema_is_valid_in_the_newest_version_whatever_the_list_says() -> None:
    newest = MINORS[-1:]

    assert {key for key, (_, schema) in schemas().items() if valid(schema, newest)} >= proven().schemas.keys()


def test_listed_schema_is_not_judged_again(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[tuple[object, ...]] = []
    monkeypatch.setattr(definition_valid, "schema_faults", _listing(judged))

    assert [*DEFINITION_VALID.check(_crd(), 36)] == []
    assert judged == []


def test_listed_schema_is_judged_in_a_version_that_the_list_does_not_name(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[tuple[object, ...]] = []
    monkeypatch.setattr(definition_valid, "schema_faults", _listing(judged))

    assert [*DEFINITION_VALID.check(_crd(), 32)] == []
    assert [minor for _, _, minor in judged] == [32]


def test_schema_that_an_overlay_has_changed_is_judged() -> None:
    manifest = _crd()
    _schema(manifest)["properties"]["spec"]["properties"]["nprocPerNode"]["default"] = 1

    assert [fault.text for fault in DEFINITION_VALID.check(manifest, 36)] == ["does not match its own schema"]


def test_other_names_namespaces_and_order_of_keys_spare_a_schema_all_the_same() -> None:
    manifest = _crd()
    schema = _schema(manifest)
    turned = dict(reversed(schema.items()))

    assert [*turned] != [*schema]
    assert is_proven(turned, 36)


def test_fault_beside_a_listed_schema_is_found() -> None:
    manifest = _crd()
    manifest["spec"]["versions"][0]["storage"] = False

    assert [fault.path for fault in DEFINITION_VALID.check(manifest, 36)] == ["spec.versions"]


@pytest.mark.parametrize("value", [True, 1.0, "1"])
def test_values_that_python_takes_for_equal_have_hashes_of_their_own(value: object) -> None:
    assert schema_hash({"default": value}) != schema_hash({"default": 1})


def test_what_is_no_json_is_not_proven() -> None:
    assert schema_hash({"default": 1 << 70}) == ""
    assert not is_proven({"default": 1 << 70}, 36)


def test_list_is_judged_again_where_the_code_that_judges_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[object, ...]] = []
    monkeypatch.setattr("platform_def.reference.proven.valid", _listing(asked))
    before = proven()._replace(judge="another")
    text = proven_text(before)

    assert len(asked) == len(schemas())
    assert '"schemas": {\n\n}' in text


def test_schema_is_unchanged_by_being_hashed() -> None:
    schema = _schema(_crd())
    before = copy.deepcopy(schema)
    schema_hash(schema)

    assert schema == before
