"""Workflows that lie in files beside the stack: what is checked, what the stack fills in, what survives a change."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from platform_def.capabilities import JobQueue, WorkflowEngine, WorkflowNamespaces
from platform_def.config.capability import Provision
from platform_def.config.platform import Platform
from platform_def.config.teams import Quota, Team
from tests.unit.jobs.platforms import DOCUMENTS, PLATFORM, configured, objects

FACES, NIGHTLY = "workflows/faces.yaml", "workflows/nightly.yaml"
SPACES = WorkflowNamespaces(namespaces=["team-vision"], accounts=["workflow", "batch"], artifacts=True)


def on(
    documents: dict[str, tuple[Any, ...]] | None = None, *, engine: Any = None, spaces: Any = SPACES, **facts: Any
) -> Platform:
    """A platform with an engine, and the files of the coverage stacks in which these are exchanged."""
    given = engine or WorkflowEngine(release="4.0.10", account="workflow")
    provisions = (Provision.of(given, "argo-workflows"), *([Provision.of(spaces, "argo-workflows")] if spaces else []))
    facts["provisions"] = (*provisions, *facts.get("provisions", ()))
    return PLATFORM.with_facts(documents={**DOCUMENTS, **(documents or {})}, **facts)


def changed(file: str, **spec: Any) -> dict[str, tuple[Any, ...]]:
    """The file with other fields of the workflow; None takes one out."""
    body: Any = deepcopy(DOCUMENTS[file][0])
    below = body["spec"] if file == FACES else body["spec"]["workflowSpec"]
    below.update(spec)
    return {file: (body,)}


def made(platform: Platform, name: str = "workflow", file: str = FACES, **values: Any) -> dict[str, Any]:
    (found,) = objects(name, platform, **{"team": "vision", "file": file, **values})
    return found


def wrong(platform: Platform, name: str = "workflow", file: str = FACES, **values: Any) -> list[tuple[Any, str]]:
    """Places in the file and texts with hints."""
    found = configured(name, **{"team": "vision", "file": file, **values}).problems(platform)
    return [(each.path, f"{each.text}; {each.hint}") for each in found]


def test_a_workflow_is_as_its_file_says_and_right() -> None:
    spec = made(on())["spec"]

    assert wrong(on()) == []
    assert spec["templates"] == DOCUMENTS[FACES][0]["spec"]["templates"]  # type: ignore[call-overload,index]
    assert spec["entrypoint"] == "main"


def test_pool_deadline_account_and_priority_fill_in_what_the_file_leaves_out() -> None:
    spec = made(on(), pool="train", deadlineHours=2, priorityClass="high", annotations={"example.com/a": "b"})["spec"]

    assert spec["nodeSelector"] == {"pool": "train"}
    assert spec["tolerations"] == [{"key": "gpu", "operator": "Equal", "value": "train", "effect": "NoSchedule"}]
    assert spec["activeDeadlineSeconds"] == 7200
    assert (spec["serviceAccountName"], spec["podPriorityClassName"]) == ("workflow", "high")
    assert spec["podMetadata"]["labels"]["sidecar.istio.io/inject"] == "false"
    assert spec["podMetadata"]["annotations"] == {"example.com/a": "b"}


def test_what_the_file_says_wins() -> None:
    own = {"nodeSelector": {"zone": "a"}, "activeDeadlineSeconds": 60, "serviceAccountName": "batch"}
    own["podMetadata"] = {"labels": {"sidecar.istio.io/inject": "true"}}
    spec = made(on(changed(FACES, **own)), pool="train")["spec"]

    assert spec["nodeSelector"] == {"zone": "a"}
    assert (spec["activeDeadlineSeconds"], spec["serviceAccountName"]) == (60, "batch")
    assert spec["podMetadata"]["labels"]["sidecar.istio.io/inject"] == "true"


def test_arguments_of_the_stack_replace_those_of_the_file() -> None:
    assert made(on(), parameters={"epochs": "3"})["spec"]["arguments"]["parameters"] == [
        {"name": "epochs", "value": "3"}
    ]
    assert wrong(on(), parameters={"epoch": "3"}) == [
        (("spec", "arguments"), "has no parameter 'epoch' among its arguments; did you mean 'epochs'?")
    ]


def test_images_of_all_containers_come_from_the_mirror_but_those_of_parameters() -> None:
    manifest = "kind: Job\nspec:\n  containers:\n  - image: docker.io/library/a:1\n    args: [x]\n"
    templates = [
        {"name": "main", "container": {"image": "{{inputs.parameters.image}}"}},
        {"name": "b", "script": {"image": "docker.io/library/b:1", "source": "image: docker.io/library/x:1"}},
        {"name": "c", "containerSet": {"containers": [{"name": "c", "image": "docker.io/library/c:1"}]}},
        {"name": "d", "suspend": {}, "sidecars": [{"name": "d", "image": "docker.io/library/d:1"}]},
        {"name": "e", "resource": {"action": "create", "manifest": manifest}},
    ]
    platform = on(changed(FACES, templates=templates), registry="mirror.example.com")
    spec = made(platform)["spec"]["templates"]

    assert spec[0]["container"]["image"] == "{{inputs.parameters.image}}"
    assert spec[1]["script"]["image"] == "mirror.example.com/docker.io/library/b:1"
    assert spec[1]["script"]["source"] == "image: docker.io/library/x:1"
    assert spec[2]["containerSet"]["containers"][0]["image"] == "mirror.example.com/docker.io/library/c:1"
    assert spec[3]["sidecars"][0]["image"] == "mirror.example.com/docker.io/library/d:1"
    assert spec[4]["resource"]["manifest"] == manifest.replace("docker.io", "mirror.example.com/docker.io")


def test_another_content_is_another_workflow_and_another_registry_is_not() -> None:
    name = made(on())["metadata"]["name"]

    assert name.startswith("one-")
    assert made(on(registry="mirror.example.com"))["metadata"]["name"] == name
    assert made(on(changed(FACES, parallelism=2)))["metadata"]["name"] != name


def test_what_runs_by_the_clock_keeps_its_name_and_is_not_created_only() -> None:
    flux = on(delivery="flux")
    first = made(flux, "cron-workflow", NIGHTLY, sync=True)
    other = made(on(changed(NIGHTLY, parallelism=2), delivery="flux"), "cron-workflow", NIGHTLY, sync=True)

    assert first["metadata"]["name"] == other["metadata"]["name"] == "one"
    assert "annotations" not in first["metadata"]
    assert made(flux, sync=True)["metadata"]["annotations"] == {"kustomize.toolkit.fluxcd.io/ssa": "IfNotPresent"}
    assert first["spec"]["schedules"] == ["0 3 * * *"]
    assert first["spec"]["workflowSpec"]["serviceAccountName"] == "workflow"


def test_a_workflow_that_an_engine_starts_outlives_the_time_that_the_controller_gives_others() -> None:
    assert made(on(), sync=True)["spec"]["ttlStrategy"] == {"secondsAfterCompletion": 2147483647}
    assert "ttlStrategy" not in made(on())["spec"]


def test_a_synced_workflow_that_would_be_deleted_is_refused() -> None:
    own = on(changed(FACES, ttlStrategy={"secondsAfterSuccess": 60}))
    counted = on(engine=WorkflowEngine(release="4.0.10", deletes_ended=True))

    assert wrong(own) == wrong(counted) == []
    assert wrong(own, sync=True) == [
        (
            ("spec", "ttlStrategy"),
            "the workflow would delete itself, and the engine would start it again; leave `ttlStrategy` out",
        )
    ]
    ((_, text),) = wrong(counted, sync=True)
    assert text.startswith("the engine of workflows deletes ended ones beyond a number, and the engine would start it")


def test_an_instance_id_of_the_engine_is_a_label() -> None:
    engine = WorkflowEngine(release="4.0.10", instance="research")

    labels = made(on(engine=engine))["metadata"]["labels"]
    assert labels["workflows.argoproj.io/controller-instanceid"] == "research"


@pytest.mark.parametrize(
    ("release", "file", "spec", "place", "text"),
    [
        ("4.0.10", FACES, {"synchronization": {"mutex": {"name": "a"}}}, ("spec", "synchronization", "mutex"),
         "Argo Workflows 4.0.10 has no field spec.synchronization.mutex; write `mutexes: [{name: …}]`"),
        ("3.7.18", FACES, {"podPriority": 3}, ("spec", "podPriority"),
         "Argo Workflows 3.7.18 has no field spec.podPriority; write `podPriorityClassName`"),
        ("", FACES, {"entrypont": "main"}, ("spec", "entrypont"),
         "Argo Workflows has no field spec.entrypont; did you mean 'entrypoint'?"),
        ("4.0.10", FACES, {"templates": {"name": "a"}}, ("spec", "templates"),
         "Argo Workflows 4.0.10 wants a list as spec.templates; "),
        ("4.0.10", FACES, {"arguments": ["a"]}, ("spec", "arguments"),
         "Argo Workflows 4.0.10 wants a map as spec.arguments; "),
        ("4.0.10", FACES, {"entrypoint": ["main"]}, ("spec", "entrypoint"),
         "Argo Workflows 4.0.10 wants a single value as spec.entrypoint; "),
    ],
)  # fmt: skip
def test_a_field_that_the_release_does_not_know_is_refused(
    release: str, file: str, spec: dict[str, Any], place: Any, text: str
) -> None:
    platform = on(changed(file, **spec), engine=WorkflowEngine(release=release))

    assert wrong(platform, file=file) == [(place, text)]


def test_fields_that_4_0_removed_are_right_for_3_7() -> None:
    spec = {"synchronization": {"mutex": {"name": "a"}}}
    body: Any = deepcopy(DOCUMENTS[NIGHTLY][0])
    body["spec"] = {**body["spec"], "schedule": "0 3 * * *"}
    del body["spec"]["schedules"]

    assert wrong(on(changed(FACES, **spec), engine=WorkflowEngine(release="3.7.18"))) == []
    assert wrong(on({NIGHTLY: (body,)}, engine=WorkflowEngine(release="3.7.18")), "cron-workflow", NIGHTLY) == []
    assert wrong(on({NIGHTLY: (body,)}), "cron-workflow", NIGHTLY) == [
        (("spec", "schedule"), 'Argo Workflows 4.0.10 has no field spec.schedule; write `schedules: ["…"]`')
    ]


@pytest.mark.parametrize(
    ("documents", "place", "text"),
    [
        ((), (), "holds no object, and one Workflow is wanted; "),
        (({"a": 1}, {"b": 2}), (), "holds 2 documents, and one Workflow is wanted; "),
        (("text",), (), "holds no object, and one Workflow is wanted; "),
        (DOCUMENTS[NIGHTLY], ("kind",),
         "holds no Workflow of argoproj.io/v1alpha1; its template is `cron-workflow`"),
        (({"apiVersion": "v1", "kind": "Pod"},), ("kind",), ("holds no Workflow of argoproj.io/v1alpha1; write "
         "apiVersion: argoproj.io/v1alpha1 and kind: Workflow")),
    ],
)  # fmt: skip
def test_a_file_holds_one_object_of_the_kind(documents: Any, place: Any, text: str) -> None:
    assert wrong(on({FACES: documents})) == [(place, text)]


@pytest.mark.parametrize(
    ("part", "place", "text"),
    [
        ({"status": {}}, ("status",), "status is not the author's to write; take it out"),
        ({"metadata": {"finalizers": ["a"]}}, ("metadata", "finalizers"),
         "metadata.finalizers is not the author's to write; take it out"),
        ({"metadata": {"labels": {"a": 1}}}, ("metadata", "labels"),
         "metadata.labels is a map of text; put numbers and true in quotes"),
        ({"metadata": {"namespace": "other"}}, ("metadata", "namespace"),
         "says namespace other, and the job runs in team-vision; leave it out: the job's team decides"),
        ({"spec": []}, ("spec",), "metadata and spec are maps; "),
    ],
)  # fmt: skip
def test_only_what_an_author_writes_is_taken(part: dict[str, Any], place: Any, text: str) -> None:
    body: Any = deepcopy(DOCUMENTS[FACES][0])
    body |= part

    assert wrong(on({FACES: (body,)})) == [(place, text)]


def test_templates_that_are_not_there_are_told_where_they_are_named() -> None:
    templates = [
        {"name": "main", "steps": [[{"name": "a", "template": "train"}, {"name": "b", "template": "{{item}}"}]]},
        {"name": "trian", "dag": {"tasks": [{"name": "a", "template": "prepare"}]}},
    ]
    found = wrong(on(changed(FACES, templates=templates, onExit="tidy")))

    assert found == [
        (("spec", "onExit"), "has no template 'tidy'; known: main, trian"),
        (("spec", "templates", 0, "steps", 0, 0, "template"), "has no template 'train'; did you mean 'trian'?"),
        (("spec", "templates", 1, "dag", "tasks", 0, "template"), "has no template 'prepare'; known: main, trian"),
    ]
    body: Any = deepcopy(DOCUMENTS[FACES][0])
    del body["spec"]["entrypoint"]
    assert [place for place, _ in wrong(on({FACES: (body,)}))] == [("spec",)]
    body["spec"]["workflowTemplateRef"] = {"name": "shared"}
    assert wrong(on({FACES: (body,)})) == []


def test_an_account_has_the_executors_rights() -> None:
    assert wrong(on(changed(FACES, serviceAccountName="batch"))) == []
    assert wrong(on(changed(FACES, serviceAccountName="default"))) == [
        (
            ("spec", "serviceAccountName"),
            (
                "nothing gives the account default the rights of workflows' pods in team-vision; leave it out, name batch "
                "or workflow, or add `executors: [default]` to argo-workflows"
            ),
        )
    ]
    template = [{"name": "main", "serviceAccountName": "root", "suspend": {}}]
    assert [place for place, _ in wrong(on(changed(FACES, templates=template)))] == [
        ("spec", "templates", 0, "serviceAccountName")
    ]


def test_a_namespace_without_an_account_for_workflows_is_refused() -> None:
    assert wrong(on(), team=None, namespace="elsewhere") == [
        (
            ("spec",),
            (
                "nothing gives workflows an account in the namespace elsewhere; name a team by `team:`; they may run in "
                "team-vision"
            ),
        )
    ]
    assert wrong(on(spaces=None), team=None, namespace="elsewhere") == [], "the cluster's own engine is not known"


def test_a_step_makes_what_its_account_may() -> None:
    templates = [
        {"name": f"m{number}", "resource": {"action": "create", "manifest": f'apiVersion: v1\n{kind}\nmetadata: {{name: "{{{{a}}}}"}}'}}
        for number, kind in enumerate(("kind: PersistentVolumeClaim", "kind: 'Job'", "kind: '{{workflow.parameters.kind}}'", "data: {kind: Pod}"))
    ]  # fmt: skip
    bare, some = (SPACES.model_copy(update={"makes": {"workflow": kinds}}) for kinds in ([], ["PersistentVolumeClaim"]))
    documents = changed(FACES, templates=templates, entrypoint="m0")
    claim, job = (("spec", "templates", number, "resource", "manifest") for number in range(2))
    other = "name an account that has it, and list it under `executors:` of argo-workflows"
    wrong_job = f"is about a Job, and the account workflow has no right on that kind in team-vision; {other}"

    assert wrong(on(documents)) == [], "nothing is known of the account"
    assert wrong(on(documents, spaces=some)) == [(job, wrong_job)]
    assert wrong(on(documents, spaces=bare)) == [
        (
            claim,
            (
                "is about a PersistentVolumeClaim, and the account workflow has no right on that kind in team-vision; "
                f"add `claims: true` to argo-workflows, or {other}"
            ),
        ),
        (job, wrong_job),
    ]
    documents[FACES][0]["spec"]["serviceAccountName"] = "batch"
    assert wrong(on(documents, spaces=bare)) == [], "nothing is known of the further account"


def test_artifacts_need_a_store_unless_they_say_where_they_are() -> None:
    without = SPACES.model_copy(update={"artifacts": False})
    ((place, text),) = wrong(on(spaces=without))

    assert place == ("spec", "templates", 1, "outputs", "artifacts", 0)
    assert text.startswith("keeps something, and workflows of team-vision have no store; add `seaweedfs: {}`")
    assert wrong(on(changed(FACES, artifactRepositoryRef={"configMap": "mine"}), spaces=without)) == []
    own = [{"name": "main", "suspend": {}, "outputs": {"artifacts": [{"name": "a", "path": "/a", "s3": {"key": "a"}}]}}]
    assert wrong(on(changed(FACES, templates=own), spaces=without)) == []
    assert [where for where, _ in wrong(on(changed(FACES, templates=own, archiveLogs=True), spaces=without))] == [
        ("spec", "archiveLogs")
    ]


def test_a_step_does_not_take_gpus_past_a_queue_that_sees_no_pods() -> None:
    queue = JobQueue(implementation="kueue", label="kueue.x-k8s.io/queue-name", kinds=["Job.batch"])
    team = Team(name="vision", queue="vision", quota=Quota(gpus=8))
    found = wrong(on(teams=(team,), provisions=(Provision.of(queue, "kueue"),)))

    assert found == [
        (
            ("spec", "templates", 2, "container", "resources", "limits", "nvidia.com/gpu"),
            (
                "kueue queues no pods of workflows: the step would take nvidia.com/gpu past the quota of its team; let a "
                "`resource` step create a job that waits, or name a team without a `queue`"
            ),
        )
    ]


def test_pods_of_a_team_wait_in_a_queue_that_sees_pods() -> None:
    queue = JobQueue(implementation="kai", pod_label="kai.scheduler/queue", scheduler="kai-scheduler")
    team = Team(name="vision", queue="vision", quota=Quota(gpus=8))
    platform = on(teams=(team,), provisions=(Provision.of(queue, "kai-scheduler"),))
    spec = made(platform)["spec"]

    assert wrong(platform) == []
    assert spec["podMetadata"]["labels"]["kai.scheduler/queue"] == "vision"
    assert spec["schedulerName"] == "kai-scheduler"


def test_a_clock_strikes_and_is_not_started_again() -> None:
    body: Any = deepcopy(DOCUMENTS[NIGHTLY][0])
    del body["spec"]["schedules"]

    assert wrong(on(), "cron-workflow", NIGHTLY, rerun=1) == [
        ((), "`rerun` does nothing for what starts on a schedule; leave it out")
    ]
    assert wrong(on({NIGHTLY: (body,)}), "cron-workflow", NIGHTLY) == [
        (("spec",), 'says no time to start at; write `schedules: ["0 3 * * *"]`')
    ]


def test_a_workflow_says_once_how_long_it_is_kept() -> None:
    said = on(changed(FACES, ttlStrategy={"secondsAfterCompletion": 60}))

    assert wrong(said) == []
    assert wrong(said, keepHours=2) == [
        (("spec", "ttlStrategy"), "says how long the workflow is kept, as `keepHours` does; leave one out")
    ]
    assert made(on(), keepHours=2)["spec"]["ttlStrategy"] == {"secondsAfterCompletion": 7200}
    assert "ttlStrategy" not in made(on())["spec"]


def test_nightly_fine_tuning_waits_in_the_queue_of_its_team() -> None:
    queue = JobQueue(implementation="kai", pod_label="kai.scheduler/queue", scheduler="kai-scheduler")
    team = Team(name="vision", queue="vision", quota=Quota(gpus=8))
    platform = on(teams=(team,), provisions=(Provision.of(queue, "kai-scheduler"),))
    cron = made(platform, "cron-workflow", NIGHTLY, pool="train")

    assert cron["spec"]["schedules"]
    spec = cron["spec"]["workflowSpec"]
    assert spec["podMetadata"]["labels"]["kai.scheduler/queue"] == "vision"
    assert (spec["schedulerName"], spec["nodeSelector"]) == ("kai-scheduler", {"pool": "train"})
    by_kueue = JobQueue(implementation="kueue", label="kueue.x-k8s.io/queue-name", kinds=["Job.batch"])
    refused = on(
        changed(NIGHTLY, templates=[TRAINS], entrypoint="train"),
        teams=(team,),
        provisions=(Provision.of(by_kueue, "kueue"),),
    )
    assert any("queues no pods of workflows" in text for _, text in wrong(refused, "cron-workflow", NIGHTLY))


TRAINS = {
    "name": "train",
    "container": {"image": "registry.example.com/train:1", "resources": {"limits": {"nvidia.com/gpu": 1}}},
}
