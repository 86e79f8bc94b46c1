"""The commands that answer questions and write nothing: explain, graph, waves, list, schema, bootstrap, crd."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from platform_def.crds.crd import crd
from platform_def.yaml import load
from tests.acceptance.conftest import CONFIG_MAP
from tests.acceptance.repository import HEAD, PROJECT, SMALL, Repository


def explained(repository: Repository, *words: str) -> dict[str, Any]:
    rows = repository.ask("explain", *words, "-o", "json").json
    assert len(rows) == 1
    return dict(rows[0])


def test_explain_prints_the_chain_of_files_and_lines(synthesised: Repository) -> None:
    found = explained(synthesised, "one", "components.training-operator.threads")

    assert found["value"] == 3
    assert found["from"] == "stacks/base/shared.yaml:3 → stacks/one.yaml:8"
    assert found["type"] == "whole number"
    assert "reconciled" in found["about"]


def test_explain_knows_defaults(synthesised: Repository) -> None:
    assert explained(synthesised, "two", "components.training-operator.threads")["value"] == 1
    assert explained(synthesised, "two", "cluster.dnsDomain")["from"] == "default"


def test_explain_says_what_a_team_becomes(repository: Repository) -> None:
    teams = "teams: [{name: vision, quota: {cpu: '8'}}]\n"
    repository.write({"stacks/a.yaml": f"{HEAD}{teams}components: {{argo-workflows: {{ui: {{enabled: false}}}}}}\n"})
    lines = repository.ask("explain", "a", "teams.vision").out.splitlines()

    assert [line.split() for line in lines if "makes" in line] == [["makes", "Namespace:", "team-vision"]]
    assert any(line.split() == ["team-vision", "ServiceAccount:", "workflow"] for line in lines)
    assert explained(repository, "a", "teams[0]")["makes"] == explained(repository, "a", "teams.vision")["makes"]


def test_explain_says_what_members_and_groups_of_a_team_become(repository: Repository) -> None:
    team = "{name: vision, members: [{name: li@example.com, quota: {cpu: '4'}}], groups: [{name: lab, role: view}]}"
    repository.write({"stacks/a.yaml": f"{HEAD}teams: [{team}]\ncomponents: {{kubeflow-roles: {{}}}}\n"})
    made = explained(repository, "a", "teams.vision")["makes"]

    assert {"team-vision RoleBinding: members-edit, members-view", "team-vision-li RoleBinding: members-edit"} <= {
        *made
    }
    assert "team-vision-li ResourceQuota: compute" in made


def test_explain_says_what_a_job_makes(repository: Repository) -> None:
    job = "jobs: [{template: gpu-job, name: smi, gpusPerWorker: 0, image: 'r.example.com/i:1'}]\n"
    repository.write({"stacks/a.yaml": f"{SMALL}{job}"})
    (line,) = explained(repository, "a", "jobs.smi")["makes"]

    assert line.startswith("Job: default/smi-")
    assert "results" not in explained(repository, "a", "jobs[0]")


def test_explain_finds_list_items_by_name_and_by_number(synthesised: Repository) -> None:
    by_name = explained(synthesised, "one", "nodePools.train.gpu.model")
    by_number = explained(synthesised, "one", "nodePools[0].gpu.model")

    assert by_name["value"] == by_number["value"] == "t4"
    assert by_name["from"] == "stacks/one.yaml:5"


FILE = "dist/one/greeter/main/greeter/configmap-greeting.yaml"


@pytest.mark.parametrize("file", [FILE, "apps/greeter/greeting.yaml"])
def test_explain_takes_the_file_of_an_object(synthesised: Repository, file: str) -> None:
    assert explained(synthesised, "one", file) == explained(synthesised, "one", "ConfigMap/greeting")
    assert explained(synthesised, "one", str(synthesised.root / file))["object"] == "ConfigMap greeter/greeting"
    assert explained(Repository(synthesised.root / "dist/one"), "one", f"../../{file}")["made by"]


@pytest.mark.parametrize(
    ("file", "hint"),
    [
        (FILE.replace("greeting", "greting"), f"did you mean '{FILE}'?"),
        ("dist/two/namespaces/main/_cluster/namespace-kubeflow.yaml", "platformctl explain two dist/two/"),
    ],
)
def test_explain_says_whose_file_it_is(synthesised: Repository, file: str, hint: str) -> None:
    assert hint in synthesised.ask("explain", "one", file, code=2).err


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("cluster.kubernets", "did you mean 'kubernetes'?"),
        ("nodePools.train.gpus", "did you mean 'gpu'?"),
        ("teams.vision.qouta.gpus", "did you mean 'quota'?"),
        (
            "components.training-operator.workloads.training-operator.containers.manager.resource",
            "did you mean 'resources'?",
        ),
        ("components.training-operator.replicas", "did you mean 'release'?"),
    ],
)
def test_explain_refuses_a_path_that_no_stack_can_have(synthesised: Repository, path: str, hint: str) -> None:
    done = synthesised.ask("explain", "one", path, code=2)

    assert f"one has no {path}" in done.err
    assert hint in done.err


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


def test_the_graph_says_what_each_part_waits_for_and_why(synthesised: Repository) -> None:
    rows = {row["part"]: row for row in synthesised.ask("graph", "one", "-o", "json").json}
    index = json.loads((synthesised.root / "dist/one/index.json").read_text())

    assert rows["training-operator/main"]["needs"]["training-operator/crds"] == "main comes after crds"
    assert "is served by the CRD pytorchjobs.kubeflow.org" in rows["jobs/hello"]["needs"]["training-operator/main"]
    assert index["waves"] == {part: row["wave"] for part, row in rows.items() if not part.startswith("jobs/")}
    assert rows["jobs/hello"]["wave"] == 1 + max(rows[need]["wave"] for need in rows["jobs/hello"]["needs"])
    text = synthesised.ask("graph", "one").out
    assert "training-operator/main  (wave 1, " in text
    assert "  after training-operator/crds  main comes after crds" in text


def test_the_graph_of_a_part_is_what_it_waits_for(synthesised: Repository) -> None:
    def parts(what: str) -> set[str]:
        return {row["part"] for row in synthesised.ask("graph", "one", what, "-o", "json").json}

    assert parts("training-operator/crds") == {"training-operator/crds"}
    assert parts("training-operator") == {"training-operator/crds", "training-operator/main", "namespaces/main"}
    assert parts("jobs/hello") > parts("training-operator")

    refused = synthesised.run("graph", "one", "training-operater", code=2)
    assert "one has no part or component training-operater" in refused.err
    assert "did you mean 'training-operator'?" in refused.err


def test_the_graph_is_drawn(synthesised: Repository) -> None:
    dot = synthesised.ask("graph", "one", "--waves", "-o", "dot").out
    mermaid = synthesised.ask("graph", "one", "--waves", "-o", "mermaid").out.splitlines()
    names = {
        line.split('["')[0].strip(): line.split('"')[1] for line in mermaid if '["' in line and "subgraph" not in line
    }
    arrows = {tuple(names[end] for end in line.split(" --> ")) for line in map(str.strip, mermaid) if " --> " in line}
    rows = synthesised.ask("graph", "one", "-o", "json").json

    assert arrows == {(need, row["part"]) for row in rows for need in row["needs"]}
    assert dot.count(" -> ") == len(arrows)
    assert '"training-operator/crds" -> "training-operator/main" [tooltip="main comes after crds"];' in dot
    assert 'subgraph "cluster_0" { label="wave 0"; ' in dot
    assert '  subgraph w0["wave 0"]' in mermaid


def test_waves_say_what_keeps_each_part_from_coming_earlier(synthesised: Repository) -> None:
    lines = synthesised.ask("waves", "one").out.splitlines()

    assert lines[0].split() == ["0", "namespaces/main"]
    assert any(line.split() == ["training-operator/crds"] for line in lines)
    assert any("training-operator/main" in line and "after " in line and ": " in line for line in lines)
    assert synthesised.ask("waves", "one", "-o", "json").json == synthesised.ask("graph", "one", "-o", "json").json


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
        "explain", "one", "components.training-operator.threads", environment={"PYTHONIOENCODING": "ascii"}
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


def test_images_say_where_they_come_from_and_for_whom(synthesised: Repository) -> None:
    rows = {row["source"]: row for row in synthesised.ask("images", "-o", "json").json}
    (operator,) = (row for source, row in rows.items() if "/training-operator:" in source)
    init = rows["docker.io/library/alpine:3.10"]

    assert operator["target"] == operator["source"]
    assert "one: Deployment kubeflow/training-operator" in operator["users"]
    assert "one: training-operator, in what it makes" in init["users"]


def test_capacity_counts_pools_and_jobs(synthesised: Repository) -> None:
    found = synthesised.ask("explain", "one", "capacity", "-o", "json").json

    assert [pool["pool"] for pool in found["pools"]] == ["train"]
    assert found["size"]["pods"] > 0
