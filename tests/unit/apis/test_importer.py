from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from platform_def.apis.kubeflow.training_v1 import JOBS
from platform_def.crds.crd import crd
from platform_def.crds.importer import import_crds
from platform_def.crds.importer.naming import camel, constant_name, module_name, singular
from platform_def.crds.importer.recognise import recogniser
from platform_def.errors import ConfigError
from tests.unit.apis.imported import comparable, exported, run_module

Manifest = dict[str, Any]
TEXT = {"type": "string"}
TOY = {"group": "toys.example.com", "scope": "Namespaced", "names": {"kind": "Toy", "plural": "toys"}}


def crd_of(schema: Manifest, **version: Any) -> Manifest:
    """A CRD with one version of this schema."""
    stored = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}, **version}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "toys.toys.example.com"},
        "spec": {**TOY, "versions": [stored]},
    }


def crd_with(spec: Manifest, **version: Any) -> Manifest:
    """A CRD whose spec has these properties."""
    return crd_of({"type": "object", "properties": {"spec": {"type": "object", "properties": spec}}}, **version)


def obj(**properties: Manifest) -> Manifest:
    """An object schema."""
    return {"type": "object", "properties": properties}


SHAPES: dict[str, Manifest] = {
    "python keywords": crd_with({"from": TEXT, "import": TEXT, "class": TEXT, "None": TEXT, "continue": TEXT}),
    "names of builtins and methods": crd_with(
        dict.fromkeys(("build", "list", "str", "items", "get", "object", "type"), TEXT)
    ),
    "dollars and dashes": crd_with(
        {"$ref": TEXT, "x-y": TEXT, "a.b": TEXT, "0": TEXT, "": TEXT, "__x": TEXT, "é": TEXT}
    ),
    "names that collide": crd_with(
        {
            "fooBar": obj(a=TEXT),
            "FooBar": obj(b=TEXT),
            "foo-bar": obj(c=TEXT),
            "Literal": obj(d=TEXT),
            "minimum": obj(e=TEXT),
            "spec": obj(f=TEXT),
            "status": obj(g=TEXT),
            "toy": obj(h=TEXT),
        }
    ),
    "vocabulary as field names": crd_with({"Required": TEXT, "Int32": {"type": "integer", "format": "int32"}}),
    "a pattern that only PCRE knows": crd_with({"a": {"type": "string", "pattern": r"^(?!x)\p{L}+(?<=y)\"'\\$"}}),
    "both quotes in a pattern": crd_with({"a": {"type": "string", "pattern": "^[\"'`]$"}}),
    "control characters": crd_with({"a": {"type": "string", "default": "tab\tline\nnull\x00é\u2028\U0001f600\\"}}),
    "numeric enum": crd_with({"a": {"type": "integer", "enum": [3, 1]}, "b": {"type": "number", "enum": [0.5, 1]}}),
    "boolean enum": crd_with({"a": {"type": "boolean", "enum": [True]}}),
    "mixed enum": crd_with(
        {"a": {"x-kubernetes-int-or-string": True, "enum": [1, "1"]}, "b": {"type": "string", "enum": ["x", "x"]}}
    ),
    "enum with null": crd_with({"a": {"type": "string", "nullable": True, "enum": ["x", None]}}),
    "enum in two orders": crd_with(
        {"a": {"type": "string", "enum": ["x", "y"]}, "b": {"type": "string", "enum": ["y", "x"]}}
    ),
    "defaults that are equal in Python": crd_with(
        {
            "a": {"type": "integer", "default": 1},
            "b": {"type": "boolean", "default": True},
            "c": {"type": "number", "default": 1.0},
            "d": {"type": "integer", "default": 0},
            "e": {"type": "boolean", "default": False},
            "f": {"type": "string", "default": ""},
            "g": {"type": "array", "items": TEXT, "default": []},
            "h": {**obj(x=TEXT), "default": {}},
        }
    ),
    "empty schemas": crd_with(
        {
            "a": {"type": "object"},
            "b": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            "c": {"x-kubernetes-preserve-unknown-fields": True},
            "d": {"type": "array", "items": {"type": "object"}},
            "e": {
                "type": "object",
                "additionalProperties": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            },
            "f": {"type": "object", "additionalProperties": {"x-kubernetes-preserve-unknown-fields": True}},
            "g": {"type": "object", "additionalProperties": True},
        }
    ),
    "unknown fields kept at every level": crd_of(
        {
            **obj(spec={**obj(a={**obj(b=TEXT), "x-kubernetes-preserve-unknown-fields": True})}),
            "x-kubernetes-preserve-unknown-fields": True,
        }
    ),
    "int or string": crd_with(
        {
            "a": {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True},
            "b": {"x-kubernetes-int-or-string": True},
            "c": {
                "anyOf": [{"type": "integer"}, {"type": "string"}],
                "x-kubernetes-int-or-string": True,
                "pattern": "^[0-9]+%$",
                "default": "25%",
            },
            "d": {"x-kubernetes-int-or-string": True, "allOf": [{"anyOf": [{"type": "integer"}, {"type": "string"}]}]},
        }
    ),
    "logical validation": crd_with(
        {
            "a": {**obj(x=TEXT, y=TEXT), "oneOf": [{"required": ["x"]}, {"required": ["y"]}]},
            "b": {**obj(x=TEXT), "not": {"required": ["x"]}, "allOf": [{"properties": {"x": {"minLength": 1}}}]},
            "c": {"type": "array", "items": TEXT, "anyOf": [{"minItems": 1}]},
        }
    ),
    "rules": crd_with(
        {
            "a": {
                **obj(x=TEXT),
                "x-kubernetes-validations": [
                    {"rule": "self.x != ''", "message": "say x", "reason": "FieldValueRequired", "fieldPath": ".x"},
                    {"rule": "self == oldSelf", "messageExpression": "'x' + self.x", "optionalOldSelf": True},
                    {"rule": "a very long rule that " * 9},
                ],
            }
        }
    ),
    "list and map types": crd_with(
        {
            "a": {
                "type": "array",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["k", "m"],
                "items": {**obj(k=TEXT, m={**TEXT, "default": "x"}), "required": ["k"]},
            },
            "b": {"type": "array", "x-kubernetes-list-type": "set", "items": TEXT, "maxItems": 9, "minItems": 1},
            "c": {**obj(x=TEXT), "x-kubernetes-map-type": "atomic", "minProperties": 1, "maxProperties": 1},
        }
    ),
    "nullable": crd_with({"a": {**TEXT, "nullable": True}, "b": {**obj(x=TEXT), "nullable": True, "default": None}}),
    "bounds": crd_with(
        {
            "a": {"type": "integer", "minimum": 0, "exclusiveMinimum": True, "maximum": 9, "multipleOf": 3},
            "b": {"type": "number", "format": "double", "minimum": 0.5, "exclusiveMaximum": True, "maximum": 1.0},
            "c": {"type": "integer", "format": "int64", "maximum": 9223372036854775807},
            "d": {
                "type": "string",
                "format": "date-time",
                "maxLength": 9,
                "minLength": 1,
                "title": "T",
                "example": "E",
            },
        }
    ),
    "embedded resource": crd_with(
        {
            "a": {
                "type": "object",
                "x-kubernetes-embedded-resource": True,
                "x-kubernetes-preserve-unknown-fields": True,
            },
            "b": {
                **obj(kind=TEXT, apiVersion=TEXT, metadata={"type": "object"}),
                "x-kubernetes-embedded-resource": True,
            },
        }
    ),
    "required but not declared": crd_with(
        {"a": {**obj(x=TEXT), "required": ["x", "y"]}, "b": {"type": "object", "required": ["z"]}}
    ),
    "properties beside additional ones": crd_with({"a": {**obj(x=TEXT), "additionalProperties": TEXT}}),
    "a keyword of tomorrow": crd_with({"a": {**TEXT, "x-kubernetes-tomorrow": {"k": [1]}}}),
    "no spec": crd_of(obj(data={"type": "object", "additionalProperties": TEXT}, status=obj(x=TEXT))),
    "nothing at the top": crd_of({"type": "object", "x-kubernetes-preserve-unknown-fields": True}),
    "a spec that is no object": crd_of(obj(spec={"type": "array", "items": TEXT}, status={"type": "object"})),
    "a spec with rules and default": crd_of(
        {
            **obj(
                spec={**obj(a=TEXT), "default": {"a": "x"}, "x-kubernetes-validations": [{"rule": "true"}]},
                status={**obj(b=TEXT), "nullable": True},
            ),
            "required": ["spec", "metadata"],
            "x-kubernetes-validations": [{"rule": "self.metadata.name == 'default'", "message": "one only"}],
        }
    ),
    "metadata with bounds": crd_of(
        obj(metadata={**obj(name={**TEXT, "maxLength": 63}), "type": "object"}, spec=obj(a=TEXT))
    ),
    "an envelope of its own": crd_of(obj(kind={**TEXT, "enum": ["Toy"]}, spec=obj(a=TEXT))),
    "equal structures": crd_with({n: obj(a=TEXT, b={"type": "integer"}) for n in ("one", "two", "three")}),
    "long types that repeat": crd_with(
        {n: {"type": "string", "enum": [*"abcdefghijklmnopqrstuvw"]} for n in ("one", "two")}
    ),
    "columns, scale, selectable fields": crd_with(
        {"a": TEXT},
        subresources={"status": {}, "scale": {"specReplicasPath": ".spec.a", "statusReplicasPath": ".status.a"}},
        selectableFields=[{"jsonPath": ".spec.a"}],
        additionalPrinterColumns=[
            {"name": "A", "type": "string", "jsonPath": ".spec.a", "priority": 1, "format": "byte"},
            {"name": 'Quote"d', "type": "string", "jsonPath": '.status.conditions[?(@.type=="Ready")].status'},
            {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
        ],
        deprecated=True,
        deprecationWarning="toys.example.com/v1 is old",
    ),
}
TWO_VERSIONS: Manifest = {
    **crd_with({"a": TEXT}),
    "metadata": {"name": "vms.two.example.com"},
    "spec": {
        "group": "two.example.com",
        "scope": "Cluster",
        "names": {
            "kind": "VM",
            "plural": "vms",
            "singular": "machine",
            "listKind": "Machines",
            "shortNames": ["v"],
            "categories": ["all"],
        },
        "conversion": {
            "strategy": "Webhook",
            "webhook": {
                "clientConfig": {"service": {"name": "s", "namespace": "n", "path": "/c", "port": 9443}},
                "conversionReviewVersions": ["v1", "v1beta1"],
            },
        },
        "versions": [
            {
                "name": f"v1{suffix}",
                "served": True,
                "storage": not suffix,
                "schema": {"openAPIV3Schema": obj(spec=spec)},
            }
            for suffix, spec in (
                ("alpha1", obj(a=obj(b=TEXT))),
                ("", obj(a=obj(b=TEXT, c=TEXT))),
                ("beta1", obj(a=obj(b=TEXT))),
            )
        ],
    },
}
SHAPES["several versions with a webhook"] = TWO_VERSIONS
SHAPES["an address that is longer than a line"] = {
    **crd_with({"a": TEXT}),
    "metadata": {
        "name": "toys.toys.example.com",
        "annotations": {"api-approved.kubernetes.io": f"https://example.com/{'x' * 90}/1"},
    },
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("descriptions", [False, True])
def test_import_and_export_are_inverse(name: str, descriptions: bool) -> None:
    (source,) = import_crds([SHAPES[name]], descriptions=descriptions).values()

    assert exported(run_module(source)) == [comparable(SHAPES[name])]


@pytest.mark.parametrize("name", SHAPES)
def test_data_holds_the_same_schema(name: str, tmp_path: Path) -> None:
    files = import_crds([SHAPES[name]], data=True)
    for file, text in files.items():
        (tmp_path / file).write_text(text)
    source = next(file for file in files if file.endswith(".py"))

    assert exported(run_module(files[source], file=str(tmp_path / source))) == [comparable(SHAPES[name])]


def test_sources_are_formatted_and_type_check(tmp_path: Path) -> None:
    described = crd_with({"a": {**TEXT, "description": 'Ends in a "quote"'}, "b": {**TEXT, "description": r"a \d"}})
    for index, doc in enumerate([*SHAPES.values(), described]):
        for file, text in import_crds([doc]).items():
            (tmp_path / f"shape_{index}_{file}").write_text(text)
    run: list[str | Path] = [sys.executable, "-m"]
    config = str(Path(__file__).parents[3] / "pyproject.toml")
    formatted = subprocess.run(
        [*run, "ruff", "format", "--no-cache", "--config", config, "--diff", tmp_path], capture_output=True, text=True
    )
    checks = [*run, "ruff", "check", "--no-cache", "--config", config, "--ignore", "INP001", tmp_path]
    linted = subprocess.run(checks, capture_output=True, text=True)
    typed = subprocess.run(
        [*run, "mypy", "--strict", "--cache-dir", tmp_path / "cache", tmp_path], capture_output=True, text=True
    )

    assert formatted.returncode == 0, formatted.stdout[:2000]
    assert linted.returncode == 0, linted.stdout[:2000]
    assert typed.returncode == 0, typed.stdout[:2000]


@pytest.mark.parametrize("data", [True, False])
def test_schemas_of_an_import_are_not_held(data: bool) -> None:
    before = len(recogniser().digests._known)

    import_crds([comparable(crd(JOBS[0]))], data=data)

    assert len(recogniser().digests._known) == before


def test_equal_structures_are_written_once() -> None:
    (source,) = import_crds([SHAPES["equal structures"]]).values()

    assert source.count("(TypedDict") == 2


def test_long_type_that_repeats_gets_a_name() -> None:
    (source,) = import_crds([SHAPES["long types that repeat"]]).values()

    assert source.count("Literal[") == 1


def pod(version: str) -> Manifest:
    from platform_def.crds.core.expand import expanded

    return expanded("io.k8s.api.core.v1.PodTemplateSpec", version, embedded_metadata=True)


@pytest.mark.parametrize("version", ["1.25", "1.27", "1.30", "1.31", "1.34", "1.37"])
def test_embedded_core_type_and_its_version_are_recognised(version: str) -> None:
    (source,) = import_crds([crd_with({"template": pod(version), "name": TEXT})]).values()

    assert "template: core_v1.PodTemplateSpec" in source
    assert f'core="{version}"' in source
    assert "embedded_metadata=True" in source


def test_core_type_is_recognised_behind_its_own_description_and_default() -> None:
    template = {**pod("1.31"), "description": "Pods.", "default": {}}
    (source,) = import_crds([crd_with({"template": template})]).values()

    assert "Annotated[core_v1.PodTemplateSpec, Default({})]" in source


def test_core_type_inside_a_named_type_still_counts() -> None:
    from platform_def.crds.core.expand import expanded

    condition = expanded("io.k8s.apimachinery.pkg.apis.meta.v1.Condition", "1.37")
    conditions = {
        "type": "array",
        "items": condition,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"],
        "maxItems": 8,
    }
    doc = crd_with({"one": obj(conditions=conditions, a=TEXT), "two": obj(conditions=conditions, b=TEXT)})
    (source,) = import_crds([doc]).values()

    assert source.count("meta_v1.Condition") == 1
    assert exported(run_module(source)) == [comparable(doc)]


def test_two_core_versions_in_one_group_are_kept_apart() -> None:
    doc = crd_with({"template": pod("1.31")})
    older = {**crd_with({"template": pod("1.27")})["spec"]["versions"][0], "name": "v1alpha1", "storage": False}
    doc["spec"]["versions"].append(older)
    (source,) = import_crds([doc]).values()

    assert 'core="1.31"' in source
    assert 'core="1.27"' in source
    assert exported(run_module(source)) == [comparable(doc)]


def test_small_likeness_is_no_core_type() -> None:
    (source,) = import_crds(
        [crd_with({"setting": {**obj(name=TEXT, value=TEXT), "required": ["name", "value"]}})]
    ).values()

    assert "core" not in source


def test_descriptions_become_docstrings_unless_left_out() -> None:
    doc = crd_with({"a": {**TEXT, "description": "What\nit is."}, "from": {**TEXT, "description": "Where."}})
    (described,) = import_crds([doc]).values()
    (bare,) = import_crds([doc], descriptions=False).values()

    assert 'Doc("Where.")' in described
    assert "Where." not in bare
    assert comparable(exported(run_module(described))[0]) == comparable(doc)


def test_docstrings_come_back_as_descriptions(tmp_path: Path) -> None:
    from importlib.util import module_from_spec, spec_from_file_location

    from platform_def.crds.crd import crd

    told = {
        "plain": "Plain.",
        "quoted": 'He said "so"',
        "escaped": r"C:\new \"folder\"",
        "triple": 'three """ quotes',
        "long": "word " * 60 + "end.",
        "backslash": "ends in \\",
    }
    doc = crd_with({name: {**TEXT, "description": text} for name, text in told.items()})
    (source,) = import_crds([doc]).values()
    file = tmp_path / "described_toys.py"
    file.write_text(source)
    spec = spec_from_file_location("described_toys", file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["described_toys"] = module
    spec.loader.exec_module(module)
    schema = crd(module.DEFINITIONS[0])["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    del sys.modules["described_toys"]

    assert {n: s["description"] for n, s in schema["properties"]["spec"]["properties"].items()} == told


def test_v1beta1_is_lifted() -> None:
    old = {
        "apiVersion": "apiextensions.k8s.io/v1beta1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "toys.toys.example.com"},
        "spec": {
            **TOY,
            "version": "v1",
            "preserveUnknownFields": False,
            "validation": {"openAPIV3Schema": {"properties": {"spec": obj(a=TEXT)}}},
            "subresources": {"status": {}},
            "additionalPrinterColumns": [{"name": "A", "type": "string", "JSONPath": ".spec.a"}],
        },
    }
    (source,) = import_crds([old]).values()
    (found,) = exported(run_module(source))
    (version,) = found["spec"]["versions"]

    assert version["subresources"] == {"status": {}}
    assert version["additionalPrinterColumns"][0]["jsonPath"] == ".spec.a"
    assert version["schema"]["openAPIV3Schema"]["properties"]["spec"] == obj(a=TEXT)


def test_crd_without_schema_keeps_everything() -> None:
    doc = {
        "apiVersion": "apiextensions.k8s.io/v1beta1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "toys.toys.example.com"},
        "spec": {**TOY, "version": "v1"},
    }
    (source,) = import_crds([doc]).values()
    (found,) = exported(run_module(source))

    assert found["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["x-kubernetes-preserve-unknown-fields"] is True


def test_lists_are_opened_and_other_kinds_passed_over() -> None:
    docs: list[Manifest] = [
        {"kind": "List", "items": [crd_with({"a": TEXT})]},
        {"kind": "ConfigMap", "metadata": {"name": "x"}},
    ]

    assert [*import_crds(docs)] == ["toys_example_com.py"]


def test_all_broken_crds_are_reported_together() -> None:
    broken: list[Manifest] = [
        {**crd_with({}), "metadata": {"name": name}, "spec": {"group": "x"}} for name in ("one", "two")
    ]
    with pytest.raises(ConfigError) as caught:
        import_crds(broken)

    assert {problem.text.split(":")[0].split()[1] for problem in caught.value.problems} == {"one", "two"}


def test_generators_marks_are_dropped_and_approvals_kept() -> None:
    doc = crd_with({"a": TEXT})
    approval = {"api-approved.kubernetes.io": "https://example.com/pull/1"}
    doc["metadata"]["annotations"] = {"controller-gen.kubebuilder.io/version": "v0.1", **approval}
    (source,) = import_crds([doc]).values()
    (found,) = exported(run_module(source))

    assert found["metadata"]["annotations"] == approval


@pytest.mark.parametrize(
    ("kind", "constant"),
    [
        ("Toy", "TOY"),
        ("PersistentVolumeClaim", "PERSISTENT_VOLUME_CLAIM"),
        ("CSIDriver", "CSI_DRIVER"),
        ("OCIRepository", "OCI_REPOSITORY"),
        ("TLS13Route", "TLS13_ROUTE"),
        ("9Lives", "KIND_9_LIVES"),
    ],
)
def test_kind_has_a_constant(kind: str, constant: str) -> None:
    assert constant_name(kind) == constant


def test_names_become_python_names() -> None:
    assert [camel(name) for name in ("elasticPolicy", "x-y", "$", "9a")] == ["ElasticPolicy", "XY", "Field", "Field9a"]
    assert [singular(name) for name in ("Policies", "Statuses", "Metrics", "Status", "Class")] == [
        "Policy",
        "Status",
        "Metric",
        "Status",
        "Class",
    ]
    assert [module_name(group) for group in ("cert-manager.io", "3scale.net")] == [
        "cert_manager_io",
        "group_3scale_net",
    ]
