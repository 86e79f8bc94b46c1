"""Searches for hyperparameters: what is searched, trials of every template, metrics, and the budget."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.capabilities import JobQueue
from platform_def.config.capability import Provision
from platform_def.config.platform import ComponentFact
from platform_def.config.teams import Quota, Team
from platform_def.jobs.tuning.experiment import TRIALS, ExperimentConfig
from tests.unit.jobs.platforms import MINIMAL, PLATFORM, configured, objects, problems

LR = {"name": "lr", "min": 0.001, "max": 0.1}
REPLICA_TYPE = "training.kubeflow.org/replica-type"
IMAGE = "registry.example.com/one:1"


def trial(name: str = "pytorch-ddp", **values: Any) -> dict[str, Any]:
    return {"template": name, "image": IMAGE, **MINIMAL[name], "args": ["--lr=${lr}"], **values}


def said(**values: Any) -> dict[str, Any]:
    return {"objective": {"metric": "accuracy"}, "parameters": [LR], "trial": trial(), "pool": "train", **values}


def spec(platform: Any = PLATFORM, **values: Any) -> dict[str, Any]:
    (found,) = (each for each in objects("experiment", platform, **said(**values)) if each["kind"] == "Experiment")
    spec: dict[str, Any] = found["spec"]
    return spec


@pytest.mark.parametrize("name", TRIALS)
def test_a_trial_is_the_job_that_its_template_makes(name: str) -> None:
    values = trial(name)
    (job,) = (
        each
        for each in objects(name, **{key: value for key, value in values.items() if key != "template"}, pool="train")
        if each["kind"] in ("Job", "MPIJob", "PyTorchJob", "TFJob", "XGBoostJob")
    )

    made = spec(trial=values)["trialTemplate"]["trialSpec"]

    assert (made["apiVersion"], made["kind"]) == (job["apiVersion"], job["kind"])
    assert made["spec"].keys() == job["spec"].keys()
    assert "name" not in made["metadata"]
    assert "--lr=${trialParameters.lr}" in str(made)


def test_only_the_experiment_and_what_trials_share_are_rendered() -> None:
    made = objects("experiment", **said(trial=trial(dataset={"storage": "shared"})))

    assert [each["kind"] for each in made] == ["PersistentVolumeClaim", "Experiment"]


@pytest.mark.parametrize(
    ("name", "labels", "container"),
    [
        ("gpu-job", None, "main"),
        ("pytorch-ddp", "master", "pytorch"),
        ("mpi", "launcher", "mpi"),
    ],
)
def test_metrics_are_read_of_the_pod_that_reports_them(name: str, labels: str | None, container: str) -> None:
    made = spec(trial=trial(name))["trialTemplate"]

    assert made["primaryContainerName"] == container
    assert made.get("primaryPodLabels", {}).get("training.kubeflow.org/replica-type") == labels


@pytest.mark.parametrize("name", ["mpi", "horovod"])
def test_a_launcher_is_found_by_what_its_operator_calls_it(name: str) -> None:
    """The training operator numbers no launcher, and the MPI operator has a label of its own: the labels of both were
    read in `mpijob.go` of training-operator 1.9.4 and `mpi_job_controller.go` of mpi-operator 0.8.2."""
    newer = PLATFORM.with_facts(components={"mpi-operator": ComponentFact("0.8.2", "mpi-operator")})

    assert spec(trial=trial(name))["trialTemplate"]["primaryPodLabels"] == {REPLICA_TYPE: "launcher"}
    labels = spec(newer, trial=trial(name))["trialTemplate"]["primaryPodLabels"]
    assert labels == {"training.kubeflow.org/job-role": "launcher"}


def test_the_first_of_several_is_found_by_its_number() -> None:
    labels = spec(trial=trial("pytorch-ddp"))["trialTemplate"]["primaryPodLabels"]

    assert labels == {REPLICA_TYPE: "master", "training.kubeflow.org/replica-index": "0"}


def test_parameters_have_katibs_space() -> None:
    parameters = [
        {**LR, "scale": "log"},
        {"name": "layers", "type": "int", "min": 2, "max": 8, "step": 2},
        {"name": "opt", "type": "categorical", "values": ["sgd", "adam"]},
    ]
    words = trial(args=["${lr}", "${layers}", "${opt}"])

    assert spec(parameters=parameters, trial=words)["parameters"] == [
        {
            "name": "lr",
            "parameterType": "double",
            "feasibleSpace": {"min": "0.001", "max": "0.1", "distribution": "logUniform"},
        },
        {"name": "layers", "parameterType": "int", "feasibleSpace": {"min": "2", "max": "8", "step": "2"}},
        {"name": "opt", "parameterType": "categorical", "feasibleSpace": {"list": ["sgd", "adam"]}},
    ]


def test_other_words_in_braces_are_left_to_the_shell() -> None:
    made = spec(trial=trial(args=["--lr=${lr}", "--home=${HOME}"]))

    assert "--home=${HOME}" in str(made["trialTemplate"]["trialSpec"])


def test_a_search_of_few_trials_bears_no_more_failures_than_it_has_trials() -> None:
    made = spec(trials=1, parallel=1)

    assert (made["maxTrialCount"], made["maxFailedTrialCount"]) == (1, 1)
    assert spec(trials=12)["maxFailedTrialCount"] == 3


def test_metrics_come_from_the_output_or_a_file() -> None:
    assert spec()["metricsCollectorSpec"] == {"collector": {"kind": "StdOut"}}
    assert spec(metrics={"file": "/tmp/m", "format": "JSON"})["metricsCollectorSpec"] == {
        "collector": {"kind": "File"},
        "source": {"fileSystemPath": {"kind": "File", "path": "/tmp/m", "format": "JSON"}},
    }


def test_trials_without_prospects_are_ended() -> None:
    assert spec(earlyStopping={"leastTrials": 5})["earlyStopping"]["algorithmSettings"] == [
        {"name": "min_trials_required", "value": "5"},
        {"name": "start_step", "value": "4"},
    ]
    assert "earlyStopping" not in spec()


@pytest.mark.parametrize(
    ("values", "kept"),
    [({}, False), ({"earlyStopping": {}}, True), ({"earlyStopping": {}, "keepTrials": False}, False)],
)
def test_the_job_of_a_trial_that_may_be_stopped_stays_until_its_metrics_are_read(
    values: dict[str, Any], kept: bool
) -> None:
    """`reconcileJob` of Katib 0.19's trial controller deletes the job of a stopped trial before it reads its metrics."""
    assert spec(**values)["trialTemplate"]["retain"] is kept


def test_trials_wait_in_the_teams_queue_and_the_search_does_not() -> None:
    queue = JobQueue(implementation="kueue", label="kueue.x-k8s.io/queue-name", kinds=["PyTorchJob.kubeflow.org"])
    team = Team(name="vision", pod_security="privileged", queue="vision")
    facts = PLATFORM.with_facts(teams=(team,), provisions=(Provision.of(queue, "kueue"),))
    (made,) = objects("experiment", facts, **said(team="vision"))

    assert "kueue.x-k8s.io/queue-name" in made["spec"]["trialTemplate"]["trialSpec"]["metadata"]["labels"]
    assert "kueue.x-k8s.io/queue-name" not in made["metadata"]["labels"]


def test_what_runs_at_once_counts_against_the_quota() -> None:
    team = Team(name="vision", pod_security="privileged", quota=Quota(gpus=4))
    facts = PLATFORM.with_facts(teams=(team,))
    values = said(team="vision", trial=trial(gpusPerWorker=2))

    assert problems("experiment", facts, **values, parallel=2) == []
    assert [field for field, _ in problems("experiment", facts, **values, parallel=3)] == ["parallel"]


def test_team_and_pool_are_the_searchs_unless_the_trial_says_its_own() -> None:
    config = configured("experiment", **said(trial=trial(pool="slow")))

    assert config.job().pool == "slow"  # type: ignore[attr-defined]
    assert configured("experiment", **said()).job().pool == "train"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"parallel": 13}, "parallel"),
        ({"parameters": [LR, LR]}, "parameters"),
        ({"trial": trial(args=[])}, "trial"),
        ({"trial": trial(gpusPerWorker=16)}, "trial.gpusPerWorker"),
        ({"algorithm": "grid"}, "parameters"),
        ({"algorithm": "cmaes"}, "algorithm"),
        ({"algorithm": "hyperband", "settings": {"r_l": "9", "resource_name": "epochs"}}, "settings"),
        ({"trial": trial("gpu-job", command=[], args=["--lr=${lr}", "two words"])}, "trial.args"),
    ],
)
def test_what_cannot_be_searched_is_refused(values: dict[str, Any], field: str) -> None:
    assert field in [name for name, _ in problems("experiment", **said(**values))]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"trial": {"template": "caffe"}}, "trial.template is one of"),
        ({"trial": trial(name="mpi", sync=True)}, "trial.sync"),
        ({"trial": trial(wrokers=2)}, "trial.wrokers"),
        ({"parameters": [{"name": "a", "min": 2, "max": 1}]}, "min"),
        ({"parameters": [{"name": "a", "type": "int", "min": 0.5, "max": 1}]}, "whole"),
        ({"parameters": [{"name": "a", "min": 0, "max": 1, "scale": "log"}]}, "logarithm"),
        ({"parameters": [{"name": "a", "type": "int", "min": 0, "max": float("inf")}]}, "`min` below `max`"),
        ({"metrics": {"format": "JSON"}}, "read from a file"),
        ({"metrics": {"file": "/tmp/m", "format": "JSON", "pattern": "(a)=(b)"}}, "no JSON"),
        ({"metrics": {"pattern": "loss: (.*)"}}, "two groups"),
        ({"objective": {"metric": "loss", "also": ["loss"]}}, "the metric already"),
        ({"parameters": [{"name": "a", "type": "categorical", "values": ['"x"']}]}, "pattern"),
    ],
)
def test_what_katib_would_refuse_is_refused(values: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        configured("experiment", **said(**values))


@pytest.mark.parametrize(
    ("command", "args", "made"),
    [
        (["python", "train.py"], ["--lr=${lr}"], (["python", "train.py"], ["--lr=${trialParameters.lr}"])),
        (
            ["sh", "-c", 'echo "begins"\ntrain "$@"', "sh"],
            ["--lr=${lr}", "two words", "it's"],
            (
                [
                    "sh",
                    "-c",
                    """sh -c 'echo "begins"\ntrain "$@"' sh '--lr=${trialParameters.lr}' 'two words' 'it'"'"'s'""",
                ],
                None,
            ),
        ),
    ],
)
def test_words_that_a_shell_reads_otherwise_are_quoted_since_katib_makes_one_line_of_them(
    command: list[str], args: list[str], made: tuple[list[str], list[str] | None]
) -> None:
    """`wrapWorkerContainer` of Katib 0.19."""
    body = spec(trial=trial("gpu-job", command=command, args=args))["trialTemplate"]["trialSpec"]
    (container,) = body["spec"]["template"]["spec"]["containers"]

    assert (container["command"], container.get("args")) == made


def test_only_the_pod_that_is_measured_has_its_words_quoted() -> None:
    made = spec(trial=trial("tensorflow", command=["sh", "-c", "train --lr=${lr}"], args=[]))["trialTemplate"]

    roles = made["trialSpec"]["spec"]["tfReplicaSpecs"]
    assert {role: each["template"]["spec"]["containers"][0]["command"] for role, each in roles.items()} == {
        "Worker": ["sh", "-c", "sh -c 'train --lr=${trialParameters.lr}'"]
    }


def test_of_several_equal_pods_the_first_is_measured() -> None:
    assert "primaryPodLabels" not in spec(trial=trial("gpu-job"))["trialTemplate"]
    labels = spec(trial=trial("gpu-job", workers=2))["trialTemplate"]["primaryPodLabels"]
    assert labels == {"batch.kubernetes.io/job-completion-index": "0"}


@pytest.mark.parametrize("name", ["pytorch-ddp", "mpi", "tensorflow"])
def test_each_trial_has_a_folder_of_its_own_for_checkpoints(name: str) -> None:
    kept = trial(name, workers=2, dataset={"claim": "data"}, checkpoints="/data/c")
    made = spec(trial=kept)["trialTemplate"]

    folder = "/data/c/${trialParameters.trial}"
    text = str(made["trialSpec"])
    assert f"'value': '{folder}'" in text
    assert "'/data/c'" not in text
    assert {"name": "trial", "reference": "${trialSpec.Name}"} in made["trialParameters"]
    own = spec(trial={**kept, "env": {"CHECKPOINT_DIR": "/data/c/x"}})["trialTemplate"]
    assert [each["name"] for each in own["trialParameters"]] == ["lr"]


def test_a_grid_makes_no_more_trials_than_it_has_points_and_few_trials_run_at_once() -> None:
    layers = {"name": "layers", "type": "int", "min": 1, "max": 2}
    grid = {"parameters": [layers], "algorithm": "grid", "trial": trial(args=["${layers}"])}

    assert (spec(**grid)["maxTrialCount"], spec(**grid)["parallelTrialCount"]) == (2, 2)
    assert [field for field, _ in problems("experiment", **said(**grid, trials=3))] == ["trials"]
    assert spec(trials=2)["parallelTrialCount"] == 2


@pytest.mark.parametrize("name", ["n" * 32, "7th"])
def test_a_name_is_one_that_katib_takes_with_the_hash(name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        ExperimentConfig.from_file({"template": "experiment", "name": name, **said()})


def test_results_are_read_from_the_experiment_and_its_trials() -> None:
    lines = configured("experiment", **said()).result_commands({"Experiment": "search-1a2b3c4d"}, "team-vision")

    assert [line.partition(": ")[0] for line in lines] == ["best", "of accuracy", "trials", "each"]
    assert lines[0] == (
        "best: kubectl get experiment search-1a2b3c4d -n team-vision -o "
        "jsonpath='{.status.currentOptimalTrial.parameterAssignments}'"
    )
    assert "-l katib.kubeflow.org/experiment=search-1a2b3c4d" in lines[3]
    assert configured("gpu-job").result_commands({}, "team-vision") == ()
