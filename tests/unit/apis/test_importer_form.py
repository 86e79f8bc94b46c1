"""What is no CRD is told by file and path; nothing of it ever becomes code."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from platform_def.cli import crd as command
from platform_def.crds.importer import import_crds
from platform_def.crds.importer.normal import crds_in
from platform_def.errors import ConfigError, Problem
from platform_def.yaml import dump
from tests.unit.apis.imported import comparable, exported, run_module
from tests.unit.apis.test_importer import TEXT, Manifest, crd_of, crd_with, obj

SCHEMA = "spec.versions[0].schema.openAPIV3Schema"
FIELD = f"{SCHEMA}.properties.spec.properties.a"
VERSION = "spec.versions[0]"


def problems(*docs: Manifest, files: tuple[str, ...] = ()) -> tuple[Problem, ...]:
    with pytest.raises(ConfigError) as caught:
        import_crds([*docs], files=files)
    return caught.value.problems


def changed(change: Callable[[Manifest], object]) -> Manifest:
    doc = deepcopy(crd_with({"a": TEXT}))
    change(doc)
    return doc


@pytest.mark.parametrize(
    ("schema", "path", "said"),
    [
        ({"type": "strnig"}, ".type", "'strnig' is no type"),
        ({"type": ["string", "null"]}, ".type", "['string', 'null'] is no type"),
        ({"type": 3}, ".type", "3 is no type"),
        ({"type": {}}, ".type", "{} is no type"),
        ("text", "", "is 'text', not an object"),
        ({"properties": [TEXT]}, ".properties", "is [{'type': 'string'}], not an object"),
        ({"properties": {"b": True}}, ".properties.b", "is True, not an object"),
        ({"items": [TEXT]}, ".items", "is [{'type': 'string'}], not an object"),
        ({"required": "a"}, ".required", "is 'a', not a list"),
        ({"required": [1]}, ".required[0]", "is 1, not text"),
        ({"enum": "abc"}, ".enum", "is 'abc', not a list"),
        ({"minimum": "1"}, ".minimum", "is '1', not a number"),
        ({"maxLength": 1.5}, ".maxLength", "is 1.5, not a whole number"),
        ({"nullable": "yes"}, ".nullable", "is 'yes', not true or false"),
        ({"description": ["a"]}, ".description", "is ['a'], not text"),
        ({"anyOf": ["x"]}, ".anyOf[0]", "is 'x', not an object"),
        ({"not": "x"}, ".not", "is 'x', not an object"),
        ({"additionalProperties": "x"}, ".additionalProperties", "is 'x', not an object"),
        ({"$ref": "#/definitions/x"}, ".$ref", "a CRD has no references"),
        ({"x-kubernetes-validations": {"rule": "x"}}, ".x-kubernetes-validations", "is {'rule': 'x'}, not a list"),
        ({"x-kubernetes-validations": [{}]}, ".x-kubernetes-validations[0].rule", "is missing"),
    ],
)
def test_a_keyword_that_no_server_reads_is_told_with_its_path(schema: Any, path: str, said: str) -> None:
    (problem,) = problems(crd_with({"a": schema}), files=("toys.yaml",))

    assert str(problem.where) == "toys.yaml"
    assert problem.text == f"CustomResourceDefinition toys.toys.example.com: {FIELD}{path}: {said}"


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (lambda doc: doc.pop("apiVersion"), "apiVersion"),
        (lambda doc: doc.update(apiVersion="apiextensions.k8s.io/v2"), "apiVersion"),
        (lambda doc: doc.update(metadata="x"), "metadata"),
        (lambda doc: doc["metadata"].update(annotations=["x"]), "metadata.annotations"),
        (lambda doc: doc["metadata"].update(name="other"), "metadata.name"),
        (lambda doc: doc.pop("spec"), "spec"),
        (lambda doc: doc["spec"].update(group=3), "spec.group"),
        (lambda doc: doc["spec"].update(scope="Galaxy"), "spec.scope"),
        (lambda doc: doc["spec"]["names"].pop("kind"), "spec.names.kind"),
        (lambda doc: doc["spec"]["names"].update(kind="a b"), "spec.names.kind"),
        (lambda doc: doc["spec"].pop("versions"), "spec.versions"),
        (lambda doc: doc["spec"].update(versions=[]), "spec.versions"),
        (lambda doc: doc["spec"].update(versions=["v1"]), VERSION),
        (lambda doc: doc["spec"]["versions"][0].update(storage=False), "spec.versions"),
        (lambda doc: doc["spec"]["versions"].append(doc["spec"]["versions"][0]), "spec.versions[1].name"),
        (lambda doc: doc["spec"]["versions"][0].update(schema="x"), f"{VERSION}.schema"),
        (lambda doc: doc["spec"]["versions"][0].update(subresources="status"), f"{VERSION}.subresources"),
        (lambda doc: doc["spec"]["versions"][0].update(subresources={"scale": True}), f"{VERSION}.subresources.scale"),
        (lambda doc: doc["spec"].update(conversion="Webhook"), "spec.conversion"),
        (lambda doc: doc["spec"].update(conversion={"strategy": "Webhook"}), "spec.conversion.webhook.clientConfig"),
    ],
)
def test_what_keeps_a_document_from_being_a_crd_is_told(change: Callable[[Manifest], object], path: str) -> None:
    assert path in [problem.text.split(": ")[1] for problem in problems(changed(change))]


def test_a_column_needs_its_path() -> None:
    doc = crd_with({}, additionalPrinterColumns=[{"name": "A", "type": "string"}])

    assert problems(doc)[0].text.endswith("additionalPrinterColumns[0].jsonPath: is missing")


def test_a_patch_is_told_from_a_crd() -> None:
    patch = changed(lambda doc: doc.update(spec={"conversion": {"strategy": "None"}}))

    assert "patch" in problems(patch)[0].hint


@pytest.mark.parametrize(
    "change",
    [
        lambda doc: doc["spec"].update(group='x"""\nraise SystemExit\n"""'),
        lambda doc: doc["spec"].update(group="../../x"),
        lambda doc: doc["spec"]["names"].update(kind='X"""\nimport os#'),
        lambda doc: doc["spec"]["names"].update(plural="a\nb"),
        lambda doc: doc["spec"]["names"].update(shortNames=['"), exit(']),
        lambda doc: doc["spec"]["versions"][0].update(name='v1"\n)'),
    ],
)
def test_a_name_that_would_be_code_is_refused(change: Callable[[Manifest], object]) -> None:
    assert "is no name that Kubernetes takes" in " ".join(problem.text for problem in problems(changed(change)))


@pytest.mark.parametrize("descriptions", [True, False])
def test_texts_never_become_code(descriptions: bool) -> None:
    evil = '"""\nraise SystemExit(1)\n"""'
    doc = crd_of(
        {"description": evil, **obj(spec={**obj(a={**TEXT, "description": evil, "pattern": evil}), "title": evil})}
    )
    doc["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"][f"x: int\n{evil}"] = (
        TEXT
    )
    doc["metadata"]["annotations"] = {evil: evil}
    (source,) = import_crds([doc], descriptions=descriptions).values()

    assert exported(run_module(source)) == [comparable(doc)]


def test_null_stands_for_a_keyword_that_is_left_out() -> None:
    doc = crd_with({"a": {**TEXT, "enum": None, "items": None, "description": None}, "b": None})
    (found,) = crds_in([doc])

    assert found["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"] == obj(a=TEXT, b={})


def test_a_crd_that_is_there_twice_counts_once() -> None:
    again = crd_with({"a": {**TEXT, "description": "Said otherwise."}})

    assert len(crds_in([crd_with({"a": TEXT}), again])) == 1


def test_two_crds_of_one_name_are_told_with_both_files() -> None:
    (problem,) = problems(crd_with({"a": TEXT}), crd_with({"b": TEXT}), files=("old.yaml", "new.yaml"))

    assert str(problem.where) == "new.yaml"
    assert "old.yaml" in problem.hint


def test_kinds_of_another_group_that_are_called_the_same_are_passed_over() -> None:
    assert import_crds([{"apiVersion": "example.com/v1", "kind": "CustomResourceDefinition"}]) == {}


@pytest.mark.parametrize("data", [False, True])
def test_groups_and_kinds_whose_names_look_alike_in_python_stay_apart(data: bool, tmp_path: Path) -> None:
    docs = []
    for group in ("a-b.example.com", "a.b.example.com"):
        for index, kind in enumerate(("FooBar", "Foobar", "FOOBar", "Foo-Bar", "FooBAR", "DEFINITIONS", "Path", "Age")):
            doc = crd_with({"a": TEXT, f"n{index}": obj(b=TEXT), "DEFINITIONS": obj(c=TEXT), "Path": obj(d=TEXT)})
            doc["spec"] |= {"group": group, "names": {"kind": kind, "plural": f"p{index}"}}
            doc["metadata"]["name"] = f"p{index}.{group}"
            docs.append(doc)
    files = import_crds(docs, data=data)
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    sources = [name for name in files if name.endswith(".py")]
    found = [one for name in sources for one in exported(run_module(files[name], file=str(tmp_path / name)))]

    assert len(sources) == 2
    assert found == [comparable(doc) for doc in docs]


@pytest.mark.parametrize(("kept", "said"), [(True, None), (True, True), (False, False)])
def test_v1beta1_keeps_unknown_fields_unless_it_says_otherwise(kept: bool, said: bool | None) -> None:
    spec = {
        **obj(
            a=TEXT, b={"type": "array", "items": obj(c=TEXT)}, d={"type": "object", "additionalProperties": obj(e=TEXT)}
        )
    }
    doc = crd_of({})
    doc["apiVersion"] = "apiextensions.k8s.io/v1beta1"
    doc["spec"] = {key: doc["spec"][key] for key in ("group", "scope", "names")} | {"version": "v1"}
    doc["spec"] |= {"validation": {"openAPIV3Schema": {"properties": {"spec": spec}}}, "preserveUnknownFields": said}
    (source,) = import_crds([doc]).values()
    (found,) = exported(run_module(source))
    schema = found["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    inner = schema["properties"]["spec"]
    objects = [schema, inner, inner["properties"]["b"]["items"], inner["properties"]["d"]["additionalProperties"]]

    assert [node.get("x-kubernetes-preserve-unknown-fields", False) for node in objects] == [kept] * 4
    assert schema["properties"]["metadata"] == {"type": "object"}


def test_a_conversion_by_address_survives() -> None:
    doc = crd_with({"a": TEXT})
    client = {"url": "https://convert.example.com/crd", "caBundle": "Zm9v"}
    webhook = {"clientConfig": client, "conversionReviewVersions": ["v1"]}
    doc["spec"]["conversion"] = {"strategy": "Webhook", "webhook": webhook}
    (source,) = import_crds([doc]).values()
    (found,) = exported(run_module(source))

    assert found["spec"]["conversion"] == doc["spec"]["conversion"]


def test_a_shape_of_the_whole_object_needs_no_types_below_it() -> None:
    doc = crd_of({"type": "object", "additionalProperties": TEXT})
    (source,) = import_crds([doc]).values()

    assert exported(run_module(source)) == [comparable(doc)]


def imported(source: Path | str, *, stdin: bytes = b"") -> str:
    """Standard output of `platformctl crd import`; raises what it raises."""
    result = CliRunner().invoke(command.crd, ["import", str(source)], input=stdin)
    if isinstance(result.exception, ConfigError):
        raise result.exception
    return result.stdout


GOOD = dump(crd_with({"a": TEXT})).encode()


@pytest.mark.parametrize(
    "content",
    [
        GOOD.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + GOOD,
        b"---\n# a comment\n---\n" + GOOD + b"---\n3\n---\n[1]\n---\nkind: ConfigMap\n---\n",
        b"apiVersion: v1\nkind: List\nitems:\n- 3\n-\n- " + GOOD.replace(b"\n", b"\n  "),
    ],
)
def test_files_as_people_have_them_are_read(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "crds.yaml"
    file.write_bytes(content)

    assert "class ToySpec" in imported(file)
    assert "class ToySpec" in imported("-", stdin=content)


@pytest.mark.parametrize(
    ("content", "hint"),
    [
        (b"{{- if .Values.crds }}\n" + GOOD + b"{{- end }}\n", "helm template"),
        (GOOD.replace(b"toys.toys", b"{{ .Release.Name }}-toys"), "helm template"),
        (gzip.compress(GOOD), "gunzip"),
        (GOOD.decode().encode("utf-16"), "UTF-8"),
    ],
)
def test_what_must_be_prepared_first_is_told_how(content: bytes, hint: str, tmp_path: Path) -> None:
    file = tmp_path / "crds.yaml"
    file.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        imported(file)

    assert hint in caught.value.problems[0].hint
    assert str(caught.value.problems[0].where).startswith(str(file))


@pytest.mark.parametrize("content", [b"", b"# nothing\n---\n", b"kind: ConfigMap\n", b"3\n"])
def test_a_file_without_a_crd_is_told(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "crds.yaml"
    file.write_bytes(content)

    with pytest.raises(ConfigError, match="holds no CustomResourceDefinition"):
        imported(file)


def test_other_files_of_a_folder_need_not_even_be_yaml(tmp_path: Path) -> None:
    (tmp_path / "crds").mkdir()
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "crds" / "toys.yaml").write_bytes(GOOD)
    (tmp_path / "chart.yaml").write_text("{{ if }}\nkind: X\n")
    (tmp_path / ".hidden.yaml").write_text("a: [")

    assert "class ToySpec" in imported(tmp_path)


def test_a_path_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is not there"):
        imported(tmp_path / "absent.yaml")
