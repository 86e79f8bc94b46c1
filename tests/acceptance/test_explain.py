"""The commands that answer questions and write nothing: explain, list, schema, bootstrap, crd."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from platform_def.apis.crd import crd
from platform_def.yaml import load
from tests.acceptance.conftest import CONFIG_MAP
from tests.acceptance.repository import HEAD, PROJECT, SMALL, Repository


def explained(repository: Repository, *words: str) -> dict[str, Any]:
    rows = repository.ask("explain", *words, "-o", "json").json
    assert len(rows) == 1
    return dict(rows[0])


def test_explain_prints_the_chain_of_files_and_lines(synthesised: Repository) -> None:
    found = explained(synthesised, "one", "components.training-operator.replicas")

    assert found["value"] == 3
    assert found["from"] == "stacks/base/shared.yaml:3 → stacks/one.yaml:8"
    assert found["type"] == "whole number"
    assert "leader election" in found["about"]


def test_explain_knows_defaults(synthesised: Repository) -> None:
    assert explained(synthesised, "two", "components.training-operator.replicas")["value"] == 1
    assert explained(synthesised, "two", "cluster.dnsDomain")["from"] == "default"


def test_explain_finds_list_items_by_name_and_by_number(synthesised: Repository) -> None:
    by_name = explained(synthesised, "one", "nodePools.train.gpu.model")
    by_number = explained(synthesised, "one", "nodePools[0].gpu.model")

    assert by_name["value"] == by_number["value"] == "t4"
    assert by_name["from"] == "stacks/one.yaml:5"


def test_explain_knows_the_fields_of_jobs(synthesised: Repository) -> None:
    assert explained(synthesised, "one", "jobs.hello.workers")["value"] == 2


def test_explain_says_who_made_an_object(synthesised: Repository) -> None:
    found = explained(synthesised, "one", "Deployment/training-operator")

    assert found["object"] == "Deployment kubeflow/training-operator"
    assert found["component"] == "training-operator"
    assert "Deployment(training-operator)" in found["made by"]
    assert found["overlays"] == "overlays/one/training-operator"


def test_explain_says_what_an_object_needs_and_what_needs_it(synthesised: Repository) -> None:
    account = explained(synthesised, "one", "ServiceAccount/training-operator")

    assert "Namespace kubeflow: lives in the namespace kubeflow" in account["needs"]
    assert any(
        "Deployment kubeflow/training-operator: names the ServiceAccount" in need for need in account["needed by"]
    )


GUARD = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: guard}
webhooks:
  - name: guard.example.com
    rules: [{apiGroups: [""], apiVersions: [v1], resources: [pods, namespaces], operations: [CREATE]}]
    clientConfig: {service: {name: guard, namespace: guard}}
    admissionReviewVersions: [v1]
    sideEffects: None
---
apiVersion: v1
kind: Service
metadata: {name: guard}
spec: {ports: [{port: 443}]}
"""


def test_explain_tells_a_webhook_that_cannot_come_before_what_it_is_asked_about(repository: Repository) -> None:
    stack = SMALL.replace("{}}", "{}, guard: {path: apps/guard, namespace: guard}}")
    repository.write({"stacks/one.yaml": stack, "apps/guard/guard.yaml": GUARD})

    assert explained(repository, "one", "Namespace/guard")["needs"] == [
        "ValidatingWebhookConfiguration guard: must be admitted by the webhook guard.example.com (and comes later)"
    ]


def test_explain_names_the_file_of_an_application_s_object(synthesised: Repository) -> None:
    assert explained(synthesised, "one", "ConfigMap/greeter/greeting")["made by"] == "apps/greeter/greeting.yaml"


def test_explain_in_text_is_readable_without_unicode(synthesised: Repository) -> None:
    done = synthesised.run(
        "explain", "one", "components.training-operator.replicas", environment={"PYTHONIOENCODING": "ascii"}
    )

    assert "stacks/one.yaml:8" in done.out


@pytest.mark.parametrize("what", ["components", "stacks", "templates", "apis"])
def test_list_prints_one_line_an_entry(synthesised: Repository, what: str) -> None:
    found = synthesised.ask("list", what, "-o", "json").json

    lines = synthesised.ask("list", what).out.splitlines()

    assert [line.split()[0] for line in lines] == list(found)
    assert {
        "components": "training-operator", "stacks": "two", "templates": "pytorch-ddp", "apis": "pytorchjobs.kubeflow.org"
    }[what] in found  # fmt: skip


@pytest.fixture(scope="module")
def schema(synthesised: Repository) -> Any:
    return synthesised.ask("schema").json


def complaints(schema: Any, text: str) -> list[str]:
    return [error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(load(text, file="x"))]


def test_the_schema_is_one(schema: Any) -> None:
    jsonschema.Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize(
    "path", sorted((PROJECT / "stacks").rglob("*.yaml")), ids=lambda path: str(path.relative_to(PROJECT / "stacks"))
)
def test_the_schema_accepts_the_repository_s_own_stacks(schema: Any, path: Path) -> None:
    assert complaints(schema, path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}gatway: none\n",
        'apiVersion: platform-def/v1\ncluster: {kubernets: "1.36"}\n',
        f"{HEAD}components: {{training-operator: {{replica: 2}}}}\n",
        f'{HEAD}components: {{training-operator: {{release: "0.0.1"}}}}\n',
        f"{HEAD}jobs: [{{template: pytorch-ddp, name: x, image: y, wrkers: 1}}]\n",
    ],
)
def test_the_schema_refuses_what_synth_refuses(schema: Any, text: str) -> None:
    assert complaints(schema, text)


def test_bootstrap_needs_an_engine(synthesised: Repository) -> None:
    assert "engine" in synthesised.ask("bootstrap", "two", code=2).err


def test_crds_exported_and_imported_are_the_same(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.ask("crd", "export", "training-operator", "--out", "crds")
    folder = next(path for path in sorted((repository.root / "crds").iterdir()))
    exported = {path.name: load(path.read_text(), file=path.name) for path in folder.iterdir()}

    done = repository.ask("crd", "import", str(folder), "--out", "imported_apis")
    monkeypatch.syspath_prepend(repository.root)
    modules = [import_module(path.removesuffix(".py").replace("/", ".")) for path in done.out.split()]
    again = {f"{each.name}.yaml": crd(each) for module in modules for each in module.DEFINITIONS}

    assert set(again) == set(exported)
    assert again == exported


def test_crds_are_read_from_standard_input(repository: Repository) -> None:
    repository.ask("crd", "export", "training-operator", "--out", "crds")
    text = next((repository.root / "crds").rglob("*.yaml")).read_text()

    assert "TypedDict" in repository.ask("crd", "import", "-", stdin=text).out
    assert "no CustomResourceDefinition" in repository.ask("crd", "import", "-", code=2, stdin=CONFIG_MAP).err


def test_apis_are_explained_without_a_repository(repository: Repository) -> None:
    found = explained(repository, "api", "pytorchjobs.spec.elasticPolicy")
    names = {field["name"]: field["type"] for field in found["fields"]}

    assert (found["group"], found["version"], found["kind"]) == ("kubeflow.org", "v1", "PyTorchJob")
    assert names["minReplicas"] == "integer"
    assert "FIELD: image <string>" in repository.ask("explain", "api", "po.spec.containers.image").out
    assert (
        "did you mean 'elasticPolicy'" in repository.ask("explain", "api", "pytorchjobs.spec.elasticPolcy", code=2).err
    )


def test_a_stack_called_api_is_explained_unless_an_option_is_for_apis(repository: Repository) -> None:
    repository.write({"stacks/api.yaml": SMALL})

    assert explained(repository, "api", "cluster.kubernetes")["value"] == "1.36"
    assert explained(repository, "api", "pods", "--api-version", "v1")["kind"] == "Pod"
    assert "for APIs" in repository.ask("explain", "one", "cluster", "--recursive", code=2).err


def test_an_example_is_a_file_to_begin_with(repository: Repository) -> None:
    text = repository.ask("explain", "api", "pytorchjobs", "--example").out
    data = repository.ask("explain", "api", "pytorchjobs", "--example", "-o", "json").json
    of_a_release = repository.ask("explain", "api", "mxjobs", "--example", "--release", "mxnet-operator-1.1.0").out

    assert text.startswith("apiVersion: kubeflow.org/v1\nkind: PyTorchJob\n")
    assert load(text, file="job.yaml") == data
    assert "kind: MXJob" in of_a_release


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("deployments",), "examples are of custom kinds"),
        (("pytorchjobs.spec",), "leave out 'spec'"),
        (("pytorchjobs", "--recursive"), "leave one of them out"),
        (("pytorchjob5",), "did you mean 'pytorchjobs'"),
    ],
)
def test_examples_are_whole_objects_of_custom_kinds(
    repository: Repository, words: tuple[str, ...], problem: str
) -> None:
    assert problem in repository.ask("explain", "api", *words, "--example", code=2).err
