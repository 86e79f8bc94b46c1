"""Compiled pipelines that lie beside the stack: what is checked, what they become, and what the server is asked."""

from __future__ import annotations

import json
import threading
import urllib.parse
from collections.abc import Iterator
from copy import deepcopy
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from platform_def.capabilities import PipelineServer, WorkflowEngine, WorkflowNamespaces
from platform_def.config.capability import Provision
from platform_def.config.platform import Platform
from platform_def.jobs.pipelines import start, starter
from tests.unit.jobs.platforms import DOCUMENTS, PLATFORM, configured, objects

RETRAIN, OLD = "pipelines/retrain.yaml", "pipelines/old.yaml"
SERVER = PipelineServer(
    host="ml-pipeline.kubeflow.svc",
    account="pipeline-runner",
    namespaces=["team-vision"],
    root="minio://mlpipeline/private-artifacts/",
)
ENGINE = WorkflowEngine(release="4.0.10", account="workflow")
SPACES = WorkflowNamespaces(namespaces=["team-vision"], accounts=["workflow"], artifacts=True)
WEEKLY = {"cron": "0 3 * * 1"}


def on(*documents: Any, server: PipelineServer | None = SERVER, file: str = RETRAIN, **facts: Any) -> Platform:
    """A platform with the server and an engine; `documents` are what the file holds instead."""
    given = [Provision.of(ENGINE, "argo-workflows"), Provision.of(SPACES, "argo-workflows")]
    given += [Provision.of(server, "kfp")] if server else []
    held = {**DOCUMENTS, **({file: documents} if documents else {})}
    return PLATFORM.with_facts(documents=held, provisions=tuple(given), **facts)


def made(platform: Platform, **values: Any) -> dict[str, dict[str, Any]]:
    """The objects by kind."""
    said = {"team": "vision", "file": RETRAIN, "parameters": {"days": 7}, **values}
    return {each["kind"]: each for each in objects("pipeline", platform, **said)}


def wrong(platform: Platform, **values: Any) -> list[tuple[str, Any, str]]:
    said = {"team": "vision", "file": RETRAIN, "parameters": {"days": 7}, **values}
    found = configured("pipeline", **said).problems(platform)
    return [(each.field, each.path, f"{each.text}; {each.hint}") for each in found]


def package(**changes: Any) -> Any:
    """The pipeline with other fields."""
    body: Any = deepcopy(DOCUMENTS[RETRAIN][0])
    return {**body, **changes}


def plan(found: dict[str, dict[str, Any]]) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(found["ConfigMap"]["data"]["plan.json"])
    return read


def test_a_pipeline_becomes_a_job_that_asks_the_server_for_a_run_of_its_name() -> None:
    found = made(on())

    assert wrong(on()) == []
    assert sorted(found) == ["ConfigMap", "Job"]
    name = found["Job"]["metadata"]["name"]
    assert name.startswith("one-")
    told = plan(found)
    assert (told["run"], told["namespace"], told["account"]) == (name, "team-vision", "pipeline-runner")
    assert (told["url"], told["parameters"]) == ("http://ml-pipeline.kubeflow.svc:8888", {"days": 7})
    assert told["pipeline_spec"].keys() == {"pipeline_spec", "platform_spec"}
    assert "schedule" not in told


def test_the_jobs_pod_has_the_accounts_token_for_the_server_alone() -> None:
    pod = made(on())["Job"]["spec"]["template"]["spec"]

    assert (pod["serviceAccountName"], pod["automountServiceAccountToken"]) == ("pipeline-runner", False)
    (source,) = next(each["projected"]["sources"] for each in pod["volumes"] if "projected" in each)
    assert source["serviceAccountToken"]["audience"] == "pipelines.kubeflow.org"
    mounted = {each["name"]: each["mountPath"] for each in pod["containers"][0]["volumeMounts"]}
    assert f"{mounted['token']}/token" == str(start.TOKEN)


def test_where_pipelines_are_objects_the_run_is_of_a_version_of_its_own() -> None:
    platform = on(server=SERVER.model_copy(update={"as_objects": True}), delivery="argocd")
    found = made(platform, sync=True)

    name = found["Job"]["metadata"]["name"]
    assert found["Pipeline"]["metadata"]["name"] == "one"
    assert found["Pipeline"]["metadata"]["annotations"] == {"argocd.argoproj.io/sync-wave": "-1"}
    assert found["Pipeline"]["spec"] == {"displayName": "retrain"}
    assert found["PipelineVersion"]["metadata"]["name"] == name
    spec = found["PipelineVersion"]["spec"]
    assert (spec["pipelineName"], spec["platformSpec"]) == ("one", DOCUMENTS[RETRAIN][1])
    assert spec["pipelineSpec"] == DOCUMENTS[RETRAIN][0]
    told = plan(found)
    assert (told["pipeline"], told["version"]) == ("one", name)
    assert "pipeline_spec" not in told


def test_another_content_another_value_and_another_clock_are_another_run() -> None:
    names = {
        made(on(), **values)["Job"]["metadata"]["name"]
        for values in ({}, {"parameters": {"days": 8}}, {"schedule": WEEKLY}, {"rerun": 1})
    }
    names.add(made(on(package(sdkVersion="kfp-2.17.1"), DOCUMENTS[RETRAIN][1]))["Job"]["metadata"]["name"])

    assert len(names) == 5
    assert made(on(registry="m.example.com"))["Job"]["metadata"]["name"] in names


def test_images_of_steps_and_of_the_job_come_from_the_mirror_but_those_that_a_run_fills_in() -> None:
    body = package()
    executors = body["deploymentSpec"]["executors"]
    executors["exec-late"] = {"container": {"image": "{{$.inputs.parameters['image']}}"}}
    executors["exec-import"] = {"importer": {"artifactUri": {"constant": "s3://a"}}}
    executors["exec-claim"] = {"container": {"image": "argostub/createpvc"}}
    executors["exec-claimed"] = {"container": {"image": "argostub/deletepvc"}}
    found = made(on(body, mirrors={"registry.example.com": "m.example.com"}, registry="m.example.com"))

    images = plan(found)["pipeline_spec"]["deploymentSpec"]["executors"]
    assert images["exec-train"]["container"]["image"].startswith("m.example.com/")
    assert images["exec-late"]["container"]["image"] == "{{$.inputs.parameters['image']}}"
    assert images["exec-import"] == executors["exec-import"]
    assert images["exec-claim"] == executors["exec-claim"], "the server knows the step by this word"
    assert images["exec-claimed"] == executors["exec-claimed"]
    assert found["Job"]["spec"]["template"]["spec"]["containers"][0]["image"].startswith("m.example.com/docker.io/")


def test_the_inventory_has_the_images_of_steps() -> None:
    platform = on(registry="m.example.com", mirrors={"registry.example.com": "m.example.com"})
    images = configured("pipeline", file=RETRAIN).runtime_images(platform)

    assert images == (
        platform.image("registry.example.com/vision/tools:1.0"),
        platform.image("registry.example.com/vision/train:1.0"),
    )
    assert configured("pipeline", file=OLD, v1=True).runtime_images(platform) == ()


@pytest.mark.parametrize(
    ("documents", "place", "text"),
    [
        ((), (), "holds no compiled pipeline; write what `kfp dsl compile"),
        (("text",), (), "holds no compiled pipeline; "),
        (({"kind": "Workflow"},), ("kind",), "is a package of the v1 SDK; write `v1: true`"),
        (({"root": {}},), (), "has no pipelineInfo.name: it is no compiled pipeline; compile it with kfp 2"),
        ((package(schemaVersion="1.0"),), ("schemaVersion",), "has schemaVersion 1.0, not 2.x; compile it"),
        ((package(), {"other": {}}), (), "has further documents than the one with `platforms:`; "),
        ((package(), {"platforms": {}}, {"platforms": {}}), (), "has further documents than the one"),
        ((package(deploymentSpecs={}),), ("deploymentSpecs",), "has no field deploymentSpecs in its schema; did you"),
        ((package(root=None),), (), "has no root; compile it with kfp 2"),
    ],
)  # fmt: skip
def test_a_file_is_a_compiled_package(documents: Any, place: Any, text: str) -> None:
    platform = on().with_facts(documents={RETRAIN: documents})
    ((field, where, said),) = wrong(platform)

    assert (field, where) == ("file", place)
    assert said.startswith(text)


def test_components_and_executors_that_are_not_there_are_told() -> None:
    body = package()
    body["root"]["dag"]["tasks"]["train"]["componentRef"]["name"] = "comp-trian"
    body["components"]["comp-train"]["executorLabel"] = "exec-trian"

    assert wrong(on(body)) == [
        (
            "file",
            ("root", "dag", "tasks", "train", "componentRef", "name"),
            "has no component 'comp-trian'; did you mean 'comp-train'?",
        ),
        (
            "file",
            ("components", "comp-train", "executorLabel"),
            "has no executor 'exec-trian'; did you mean 'exec-train'?",
        ),
    ]


def test_a_claim_names_its_class() -> None:
    def found(**inputs: Any) -> list[tuple[str, Any, str]]:
        body = package()
        body["deploymentSpec"]["executors"]["exec-claim"] = {"container": {"image": "argostub/createpvc"}}
        body["components"]["comp-claim"] = {"executorLabel": "exec-claim"}
        body["root"]["dag"]["tasks"]["claim"] = {
            "componentRef": {"name": "comp-claim"},
            "inputs": {"parameters": inputs},
        }
        return wrong(on(body))

    def constant(text: str) -> Any:
        return {"runtimeValue": {"constant": text}}

    told = [
        (
            "file",
            ("root", "dag", "tasks", "claim"),
            (
                "makes a claim without a class, which no provisioner serves, and its pods stay Pending; write "
                f"`storage_class_name=` in CreatePVC: {' or '.join(PLATFORM.storage)}"
            ),
        )
    ]
    assert found() == told
    assert found(storage_class_name=constant("")) == told
    assert found(storage_class_name=constant("fast")) == []
    assert found(storage_class_name={"componentInputParameter": "class"}) == []
    assert found(volume_name=constant("scans")) == []


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({}, "needs a value for 'days'; write `parameters: {days: …}`"),
        ({"days": 7, "dais": 1}, "asks for no parameter 'dais'; did you mean 'days'?"),
        ({"days": "7"}, "wants days as NUMBER_INTEGER, not '7'; "),
        ({"days": True}, "wants days as NUMBER_INTEGER, not True; "),
        ({"days": 7, "rate": [0.1]}, "wants rate as NUMBER_DOUBLE, not [0.1]; "),
    ],
)
def test_values_are_those_that_the_pipeline_asks_for(values: Any, text: str) -> None:
    assert [said for _, _, said in wrong(on(), parameters=values)] == [text]
    assert wrong(on(), parameters={"days": 7, "rate": 1}) == []


@pytest.mark.parametrize(
    ("root", "text"),
    [
        ("minio://mlpipeline/private-artifacts/team-vision/mine", ""),
        ("minio://mlpipeline/private-artifacts/team-language",
         ("minio://mlpipeline/private-artifacts/team-language: the key of team-vision opens "
         "minio://mlpipeline/private-artifacts/team-vision/ only; leave it out, or write "
         "minio://mlpipeline/private-artifacts/team-vision/…")),
        ("minio://other/a", ("minio://other/a: team-vision has a key to the bucket mlpipeline; leave it out, or write "
         "minio://mlpipeline/private-artifacts/team-vision/…")),
        ("gs://other/a", ("gs://other/a: launchers of team-vision know keys for minio:// only; leave it out, or write "
         "minio://mlpipeline/private-artifacts/team-vision/…")),
    ],
)  # fmt: skip
def test_a_root_is_in_the_part_of_the_bucket_that_the_namespace_may_write(root: str, text: str) -> None:
    expected = [("pipelineRoot", (), text)] if text else []

    assert wrong(on(), pipelineRoot=root) == expected
    assert wrong(on(package(defaultPipelineRoot=root))) == [("file", *each[1:]) for each in expected]
    assert wrong(on(server=SERVER.model_copy(update={"root": ""})), pipelineRoot=root) == []


def test_a_server_and_a_namespace_with_runs_are_needed() -> None:
    ((field, _, text),) = wrong(on(server=None))

    assert (field, text.partition(";")[0]) == ("template", "nothing in the stack says where the server of pipelines is")
    assert wrong(on(), team=None, namespace="elsewhere") == [
        ("namespace", (), "runs are in team-vision, and the job is in elsewhere; name a team, or that namespace")
    ]


def test_words_about_pods_are_refused() -> None:
    assert wrong(on(), pool="train", priorityClass="high") == [
        ("pool", (), "steps of a pipeline have pool in the package; leave it out"),
        ("priorityClass", (), "steps of a pipeline have priorityClass in the package; leave it out"),
    ]


def test_a_package_that_fits_no_config_map_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert starter.LARGEST_BYTES == 1_000_000
    monkeypatch.setattr(starter, "LARGEST_BYTES", 100)

    ((_, _, text),) = wrong(on())
    assert "bytes, more than an object may have; make it smaller" in text


def test_a_package_of_the_v1_sdk_runs_by_the_clock_as_a_cron_workflow_of_its_own_name() -> None:
    found = made(on(server=None), v1=True, file=OLD, parameters={"days": 7}, schedule=WEEKLY)

    assert wrong(on(server=None), v1=True, file=OLD, schedule=WEEKLY) == []
    assert sorted(found) == ["CronWorkflow"]
    cron = found["CronWorkflow"]
    assert cron["metadata"]["name"] == "one"
    assert (cron["spec"]["schedules"], cron["spec"]["suspend"]) == (["0 3 * * 1"], False)
    assert cron["spec"]["concurrencyPolicy"] == "Forbid"
    spec = cron["spec"]["workflowSpec"]
    assert spec["arguments"]["parameters"] == [{"name": "days", "value": "7"}]
    assert spec["serviceAccountName"] == "workflow", "the compiler's pipeline-runner is not there"
    assert configured("pipeline", file=OLD, v1=True, schedule=WEEKLY).recurring
    assert not configured("pipeline", file=RETRAIN, schedule=WEEKLY).recurring


def test_a_package_of_the_v1_sdk_runs_once_as_a_workflow() -> None:
    found = made(on(server=None), v1=True, file=OLD, sync=True)

    assert sorted(found) == ["Workflow"]
    assert found["Workflow"]["spec"]["ttlStrategy"] == {"secondsAfterCompletion": 2147483647}
    assert configured("pipeline", file=OLD, v1=True).apis() == ("Workflow.argoproj.io",)
    assert configured("pipeline", file=OLD, v1=True, schedule=WEEKLY).apis() == ("CronWorkflow.argoproj.io",)
    assert configured("pipeline", file=RETRAIN).apis() == ("ScheduledWorkflow.kubeflow.org",)


def test_a_package_of_the_v1_sdk_that_is_compiled_again_is_the_same_run() -> None:
    def name(time: str, **notes: str) -> str:
        body: Any = deepcopy(DOCUMENTS[OLD][0])
        body["metadata"]["annotations"] |= {"pipelines.kubeflow.org/pipeline_compilation_time": time, **notes}
        return str(made(on(body, server=None, file=OLD), v1=True, file=OLD)["Workflow"]["metadata"]["name"])

    assert name("2026-11-27T16:50:42") == name("2026-11-28T09:00:00")
    assert name("2026-11-27T16:50:42") != name("2026-11-27T16:50:42", **{"pipelines.kubeflow.org/pipeline_spec": "{}"})


class _Kfp(HTTPServer):
    """A stand-in for the server: the calls that the program makes, by the fields of KFP 2.17.0's API."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.kept: dict[str, list[dict[str, Any]]] = {"experiments": [], "runs": [], "recurringruns": []}
        self.calls: list[str] = []
        self.tokens: set[str] = set()
        self.failures = 0


class _Handler(BaseHTTPRequestHandler):
    server: _Kfp

    def log_message(self, *_: object) -> None:
        """Nothing."""

    def answer(self, body: Any, code: int = 200) -> None:
        self.send_response(code)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def ask(self) -> tuple[str, dict[str, str], Any]:
        url = urllib.parse.urlsplit(self.path)
        self.server.calls.append(f"{self.command} {url.path}")
        self.server.tokens.add(self.headers["Authorization"])
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        return url.path.removeprefix("/apis/v2beta1/"), dict(urllib.parse.parse_qsl(url.query)), body

    def do_GET(self) -> None:
        path, query, _ = self.ask()
        if self.server.failures:
            self.server.failures -= 1
            self.answer({"error": "not yet"}, 503)
        elif path.startswith("pipelines/names/"):
            self.answer({"pipeline_id": "p1"})
        elif path == "pipelines/p1/versions":
            page = query.get("page_token")
            version = {"pipeline_version_id": "v2", "display_name": "one-2"}
            self.answer({"pipeline_versions": [version]} if page else {"pipeline_versions": [], "next_page_token": "2"})
        else:
            found = self.server.kept[path]
            if "filter" in query:
                (wanted,) = json.loads(query["filter"])["predicates"]
                assert (wanted["key"], wanted["operation"]) == ("display_name", "EQUALS")
                found = [each for each in found if each["display_name"] == wanted["string_value"]]
            self.answer({{"recurringruns": "recurringRuns"}.get(path, path): found})

    def do_POST(self) -> None:
        path, _, body = self.ask()
        key = {"experiments": "experiment_id", "runs": "run_id", "recurringruns": "recurring_run_id"}[path]
        made = {**body, key: f"{path}-{len(self.server.calls)}"}
        self.server.kept[path].append(made)
        self.answer(made)

    def do_DELETE(self) -> None:
        path, _, _ = self.ask()
        kind, _, name = path.partition("/")
        self.server.kept[kind] = [each for each in self.server.kept[kind] if name not in each.values()]
        self.answer({})


@pytest.fixture
def kfp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[_Kfp]:
    token = tmp_path / "token"
    token.write_text("of-the-account\n")
    monkeypatch.setattr(start, "TOKEN", token)
    monkeypatch.setattr(start, "PAUSE_SECONDS", 0)
    with _Kfp() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def carried_out(kfp: _Kfp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **changes: Any) -> int:
    told = {**plan(made(on(), **changes.pop("said", {}))), "url": f"http://127.0.0.1:{kfp.server_port}", **changes}
    (tmp_path / "plan.json").write_text(json.dumps(told))
    monkeypatch.setattr("sys.argv", ["start.py", str(tmp_path / "plan.json")])
    return start.main()


def test_a_run_is_started_once_however_often_the_job_runs(
    kfp: _Kfp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [carried_out(kfp, tmp_path, monkeypatch, run="one-1") for _ in range(2)] == [0, 0]

    (run,), (experiment,) = kfp.kept["runs"], kfp.kept["experiments"]
    assert experiment["display_name"] == "Default"
    assert (experiment["namespace"], run["experiment_id"]) == ("team-vision", experiment["experiment_id"])
    assert (run["display_name"], run["service_account"]) == ("one-1", "pipeline-runner")
    assert run["runtime_config"] == {"parameters": {"days": 7}}
    assert run["pipeline_spec"]["pipeline_spec"]["pipelineInfo"] == {"name": "retrain"}
    assert kfp.tokens == {"Bearer of-the-account"}


def test_a_run_of_an_object_names_pipeline_and_version_by_the_servers_ids(
    kfp: _Kfp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = "minio://mlpipeline/private-artifacts/team-vision/x"
    assert carried_out(kfp, tmp_path, monkeypatch, pipeline="one", version="one-2", root=root) == 0

    (run,) = kfp.kept["runs"]
    assert run["pipeline_version_reference"] == {"pipeline_id": "p1", "pipeline_version_id": "v2"}
    assert run["runtime_config"]["pipeline_root"] == root
    assert "pipeline_spec" not in run


def test_a_recurring_run_survives_and_one_of_another_content_takes_its_place(
    kfp: _Kfp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {"said": {"schedule": {**WEEKLY, "concurrent": 2}}}
    kfp.kept["recurringruns"] = [
        {"display_name": "one-9", "recurring_run_id": "of-a-person", "description": "mine"},
        {"display_name": "two-9", "recurring_run_id": "of-another", "description": "platform-def: the job one"},
    ]
    for _ in range(2):
        assert carried_out(kfp, tmp_path, monkeypatch, run="one-1", **deepcopy(said)) == 0
    first = kfp.kept["recurringruns"][-1]
    assert first["trigger"] == {"cron_schedule": {"cron": "0 0 3 * * 1"}}
    assert (first["mode"], first["max_concurrency"], first["no_catchup"]) == ("ENABLE", "2", True)
    assert len(kfp.kept["recurringruns"]) == 3

    off = {"said": {"schedule": {**WEEKLY, "enabled": False, "catchup": True}}}
    assert carried_out(kfp, tmp_path, monkeypatch, run="one-2", **off) == 0
    assert [each["display_name"] for each in kfp.kept["recurringruns"]] == ["one-9", "two-9", "one-2"]
    assert (kfp.kept["recurringruns"][-1]["mode"], kfp.kept["recurringruns"][-1]["no_catchup"]) == ("DISABLE", False)


def test_it_waits_for_the_server_and_gives_up_with_its_words(
    kfp: _Kfp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kfp.failures = 3
    assert carried_out(kfp, tmp_path, monkeypatch) == 0
    assert "GET /experiments: 503" in capsys.readouterr().err

    monkeypatch.setattr(start, "TRIES", 2)
    assert carried_out(kfp, tmp_path, monkeypatch, pipeline="one", version="one-3", run="one-3") == 1
    assert "the server does not know version one-3 of one yet" in capsys.readouterr().err
