"""What leaves dist/ leaves it because a stack file says so, and what that takes away in the cluster is told."""

from __future__ import annotations

import shutil

import pytest

from tests.acceptance.repository import HEAD, SMALL, Repository

TWO = f"{HEAD}components: {{training-operator: {{}}, cert-manager: {{}}}}\n"


@pytest.fixture
def both(repository: Repository) -> Repository:
    """A stack with two components in dist/."""
    repository.write({"stacks/a.yaml": TWO}).ask("synth")
    return repository


def test_a_component_that_is_no_longer_named_is_an_error_until_it_is_retired(both: Repository) -> None:
    before = both.files()
    both.write({"stacks/a.yaml": SMALL})

    for words in (["synth"], ["synth", "a"], ["synth", "--check"], ["synth", "--no-check"]):
        said = both.ask(*words, code=2).err

        assert "stacks/a.yaml:3: component 'cert-manager' is in dist/a, and the stack no longer names it" in said
        assert 'retire: {cert-manager: "why"}' in said
    assert both.files() == before

    both.write({"stacks/a.yaml": f"{SMALL}retire: {{cert-manager: the cluster has another}}\n"})
    both.ask("synth")

    assert not any(path.startswith("a/cert-manager/") for path in both.files())
    both.ask("synth", "--check")

    both.write({"stacks/a.yaml": SMALL})
    both.ask("synth")
    both.ask("synth", "--check")


def test_a_misspelt_name_in_retire_is_no_consent(both: Repository) -> None:
    both.write({"stacks/a.yaml": f"{SMALL}retire: {{cert-manger: why}}\n"})

    assert "component 'cert-manager' is in dist/a" in both.ask("synth", code=2).err

    assert "retire has 'cert-manger', which is not there" in both.ask("synth", code=2).err


def test_a_name_in_retire_that_nothing_has_is_told_when_dist_is_written(both: Repository) -> None:
    both.write({"stacks/a.yaml": f"{TWO}retire: {{katbi: why, katib: why, mine: why}}\n"})
    said = both.ask("synth").err

    assert "warning: stacks/a.yaml:4: retire.katbi: dist/a has no component" in said
    assert "retire.mine" in said
    assert "retire.katib:" not in said


def test_a_folder_of_ones_own_that_goes_is_retired_without_a_warning(both: Repository) -> None:
    one = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"
    own = TWO.replace("}}\n", "}, mine: {path: apps/mine, namespace: mine}}\n")
    both.write({"stacks/a.yaml": own, "apps/mine/x.yaml": one}).ask("synth")
    both.write({"stacks/a.yaml": f"{TWO}retire: {{mine: why}}\n"})

    assert "retire.mine" not in both.ask("synth").err


def test_a_component_that_the_cluster_has_is_still_named(both: Repository) -> None:
    both.write({"stacks/a.yaml": TWO.replace("cert-manager: {}", 'cert-manager: {provided: "1.19"}')})
    both.ask("synth")

    assert not any(path.startswith("a/cert-manager/") for path in both.files())


def test_a_component_cannot_be_retired_and_named(both: Repository) -> None:
    both.write({"stacks/a.yaml": f"{TWO}retire: {{cert-manager: why}}\n"})

    assert "stacks/a.yaml:4: retire.cert-manager: cert-manager is retired, and" in both.ask("synth", code=2).err


@pytest.mark.parametrize("reason", ["''", "3", "[]"])
def test_retiring_takes_a_reason(both: Repository, reason: str) -> None:
    both.write({"stacks/a.yaml": f"{SMALL}retire: {{cert-manager: {reason}}}\n"})

    assert "stacks/a.yaml:4: retire" in both.ask("synth", code=2).err


def test_a_stack_file_that_is_gone_is_an_error_until_it_says_that_it_is_retired(both: Repository) -> None:
    both.write({"stacks/b.yaml": SMALL}).ask("synth")
    before = both.files()
    (both.root / "stacks/b.yaml").unlink()

    for words in (["synth"], ["synth", "--check"]):
        said = both.ask(*words, code=2).err

        assert "stacks/b.yaml: dist has the stack 'b', whose file is gone" in said
        assert 'retire: "why"' in said
    assert both.files() == before

    both.write({"stacks/b.yaml": "apiVersion: platform-def/v1\nretire: the machines went back\n"})
    assert "stale: dist/b/index.json" in both.ask("synth", "--check", code=1).out
    both.ask("synth")

    assert {path.partition("/")[0] for path in both.files()} == {"a"}
    assert "1 stack" in both.ask("check").err
    assert "stacks/b.yaml: is retired" in both.ask("synth", "b", code=2).err
    (both.root / "stacks/b.yaml").unlink()
    both.ask("synth", "--check")


def test_the_last_stack_may_be_retired(both: Repository) -> None:
    both.write({"stacks/a.yaml": "apiVersion: platform-def/v1\nretire: the machines went back\n"}).ask("synth")

    assert both.files() == {}


def test_a_retired_stack_holds_nothing_else(both: Repository) -> None:
    both.write({"stacks/a.yaml": f"{SMALL}retire: why\n"})

    assert "stacks/a.yaml:4: retire: a text retires the whole stack" in both.ask("synth", code=2).err


# --- teams


TEAMS = """\
delivery: {engine: %s, repository: "https://git.example.com/platform.git"}
components: {training-operator: {}}
nodePools: [{name: train, nodes: 1, gpu: {model: t4, perNode: 4}}]
teams: [{name: vision, quota: {cpu: "8", gpus: 2}, datasets: {faces: {claim: faces}}}%s]
"""
GUARDS = {
    "limitrange-defaults",
    "networkpolicy.networking.k8s.io-team",
    "resourcequota-compute",
    "resourcequota-gpus",
}


def guards(repository: Repository, namespace: str) -> set[str]:
    """What dist/ has in a namespace of a team."""
    folder = repository.root / "dist/a/namespaces/main" / namespace
    return {path.stem for path in folder.iterdir()} if folder.is_dir() else set()


@pytest.fixture(params=["argocd", "flux", "none"])
def teams(request: pytest.FixtureRequest, repository: Repository) -> tuple[Repository, str]:
    """A stack with two teams in dist/, and the stack file with the second one's fields to fill in."""
    text = HEAD + TEAMS % (request.param, "%s")
    repository.write({"stacks/a.yaml": text % ", {name: speech, quota: {pods: 9, gpus: 2}}"}).ask("synth")
    return repository, text


def test_what_holds_the_pods_of_a_member_stays_until_its_namespace_is_retired(repository: Repository) -> None:
    text = HEAD + "components: {kubeflow-roles: {}}\nteams: [{name: vision, members: [%s]}]\n"
    repository.write({"stacks/a.yaml": text % "{name: li@example.com, quota: {pods: 9}}"}).ask("synth")
    repository.write({"stacks/a.yaml": text % ""})

    said = repository.ask("synth", code=2).err
    assert "LimitRange, NetworkPolicy, ResourceQuota in the namespace 'team-vision-li'" in said
    assert "keep its member's quota until no pod runs there" in said


def test_what_holds_the_pods_of_a_team_stays_until_its_namespace_is_retired(teams: tuple[Repository, str]) -> None:
    repository, text = teams
    before = repository.files()
    repository.write({"stacks/a.yaml": text % ""})

    for words in (["synth"], ["synth", "a"], ["synth", "--check"], ["synth", "--no-check"]):
        said = repository.ask(*words, code=2).err

        assert (
            "stacks/a.yaml:6: dist/a has LimitRange, NetworkPolicy, ResourceQuota in the namespace 'team-speech' of a team"
            in said
        )
        assert 'keep the team until no pod runs there; then retire the namespace: retire: {team-speech: "why"}' in said
    assert repository.files() == before
    assert guards(repository, "team-speech") == GUARDS

    repository.write({"stacks/a.yaml": text % "" + "retire: {team-speech: the project ended}\n"})
    [taken] = repository.ask("synth", "-o", "json").json["removals"]

    assert "Namespace team-speech" in taken["stay"]
    assert guards(repository, "team-speech") == set()
    assert guards(repository, "team-vision") == GUARDS

    repository.write({"stacks/a.yaml": text % ""}).ask("synth")
    repository.ask("synth", "--check")


def test_a_team_that_moves_to_another_namespace_leaves_the_first_one_guarded(teams: tuple[Repository, str]) -> None:
    repository, text = teams
    moved = text % ", {name: speech, namespace: talk, quota: {pods: 9, gpus: 2}}"
    repository.write({"stacks/a.yaml": moved})

    assert "in the namespace 'team-speech' of a team" in repository.ask("synth", code=2).err
    repository.write({"stacks/a.yaml": moved + "retire: {team-speech: renamed}\n"}).ask("synth")
    assert guards(repository, "talk") == GUARDS


def test_another_team_may_take_a_namespace_over(teams: tuple[Repository, str]) -> None:
    repository, text = teams
    repository.write(
        {"stacks/a.yaml": text % ", {name: voices, namespace: team-speech, quota: {pods: 9, gpus: 2}}"}
    ).ask("synth")

    assert guards(repository, "team-speech") == GUARDS


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("network: open, podDefaults: none, quota: {gpus: 1}", "ResourceQuota"),
        ("network: open, podDefaults: none, quota: {pods: 1}", "ResourceQuota"),
        ("network: open", "LimitRange"),
        ("podDefaults: none", "NetworkPolicy"),
    ],
)
def test_each_of_what_restricts_a_team_keeps_its_namespace_named(repository: Repository, said: str, kind: str) -> None:
    text = HEAD + TEAMS % ("flux", "%s")
    repository.write({"stacks/a.yaml": text % f", {{name: speech, {said}}}"}).ask("synth")

    said = repository.write({"stacks/a.yaml": text % ""}).ask("synth", code=2).err

    assert f"dist/a has {kind} in the namespace 'team-speech' of a team" in said


def test_a_team_without_restrictions_leaves_and_its_namespace_is_told(repository: Repository) -> None:
    text = HEAD + TEAMS % ("flux", "%s")
    repository.write({"stacks/a.yaml": text % ", {name: speech, network: open, podDefaults: none}"}).ask("synth")

    said = repository.write({"stacks/a.yaml": text % ""}).ask("synth").err

    assert "a: stays in the cluster, no longer managed: Namespace team-speech" in said


def test_a_policy_that_an_overlay_adds_to_another_namespace_is_no_team_s(repository: Repository) -> None:
    policy = "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: deny, namespace: kubeflow}\n"
    kustomization = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [deny.yaml]\n"
    folder = "overlays/a/namespaces"
    repository.write(
        {
            "stacks/a.yaml": SMALL,
            f"{folder}/kustomization.yaml": kustomization,
            f"{folder}/deny.yaml": f"{policy}spec: {{podSelector: {{}}, policyTypes: [Ingress]}}\n",
        }
    )
    repository.ask("synth")
    repository.ask("synth", "--check")

    assert guards(repository, "kubeflow") == {"networkpolicy.networking.k8s.io-deny"}
    shutil.rmtree(repository.root / "overlays")
    assert "NetworkPolicy kubeflow/deny" in repository.ask("synth").err


def test_a_team_that_stays_drops_its_quota_and_its_policy_without_consent(teams: tuple[Repository, str]) -> None:
    repository, text = teams
    repository.write({"stacks/a.yaml": text % ", {name: speech, network: open}"}).ask("synth")

    assert guards(repository, "team-speech") == {"limitrange-defaults"}


# --- what that takes away


ENGINE = 'delivery: {engine: %s, repository: "https://git.example.com/platform.git"}\n'


def delivered(repository: Repository, engine: str) -> Repository:
    """A stack with two components that an engine delivers."""
    repository.write({"stacks/a.yaml": TWO + (ENGINE % engine if engine != "none" else "")}).ask("synth")
    return repository


@pytest.mark.parametrize("engine", ["argocd", "flux"])
def test_what_a_component_takes_with_it_and_what_stays_is_told(repository: Repository, engine: str) -> None:
    delivered(repository, engine)
    repository.write({"stacks/a.yaml": f"{SMALL}retire: {{cert-manager: why}}\n{ENGINE % engine}"})

    done = repository.ask("synth", "-o", "json").json
    [taken] = done["removals"]

    assert taken["components"] == ["cert-manager"]
    assert "Deployment cert-manager/cert-manager" in taken["leave"]
    assert "Namespace cert-manager" in taken["stay"]
    assert "CustomResourceDefinition certificates.cert-manager.io" in taken["stay"]
    assert not any(each.startswith(("CustomResourceDefinition", "Namespace")) for each in taken["leave"])
    own = {"argocd": "Application argocd/cert-manager-main", "flux": "Kustomization flux-system/cert-manager-main"}
    assert own[engine] in taken["delivery"]


def test_a_person_reads_it_in_four_lines_after_everything_else(repository: Repository) -> None:
    delivered(repository, "argocd")
    repository.write({"stacks/a.yaml": f"{SMALL}retire: {{cert-manager: why}}\n{ENGINE % 'argocd'}"})

    said, taken = repository.ask("synth").err.split("\n\n")
    lines = taken.splitlines()

    assert said.splitlines()[-1].startswith("1 stack, 2 components")
    assert len(lines) == 4
    assert lines[0] == "a: taken out: cert-manager"
    assert " objects leave the cluster: " in lines[1]
    assert " delivery objects leave the cluster: Application argocd/" in lines[2]
    assert lines[3].startswith("a: stays in the cluster, no longer managed: CustomResourceDefinition ")


def test_where_no_engine_prunes_everything_stays(repository: Repository) -> None:
    delivered(repository, "none")
    repository.write({"stacks/a.yaml": f"{SMALL}retire: {{cert-manager: why}}\n"})

    [taken] = repository.ask("synth", "-o", "json").json["removals"]

    assert taken["leave"] == []
    assert "Deployment cert-manager/cert-manager" in taken["stay"]


def test_a_retired_stack_stays_in_its_cluster(repository: Repository) -> None:
    delivered(repository, "argocd")
    repository.write({"stacks/a.yaml": "apiVersion: platform-def/v1\nretire: why\n"})

    said = repository.ask("synth").err

    assert "a: the stack is retired" in said
    assert "a: stays in the cluster, no longer managed: " in said
    assert "delivery moves" not in said


def test_an_object_that_another_component_takes_over_leaves_nothing(repository: Repository) -> None:
    config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: kube-system}\n"
    one = "components: {one: {path: apps/x, namespace: x}}\n"
    repository.write({"stacks/a.yaml": HEAD + one, "apps/x/x.yaml": config}).ask("synth")
    repository.write({"stacks/a.yaml": f"{HEAD}{one.replace('{one:', '{two:')}retire: {{one: renamed}}\n"})

    [taken] = repository.ask("synth", "-o", "json").json["removals"]

    assert taken["components"] == ["one"]
    assert taken["leave"] == taken["stay"] == []


def test_a_job_that_is_no_longer_rendered_is_told(built: Repository) -> None:
    stack = (built.root / "stacks/one.yaml").read_text(encoding="utf-8")
    built.write({"stacks/one.yaml": stack.partition("jobs:")[0]})

    assert "one: no longer rendered, though what runs goes on: job hello" in built.ask("synth").err


MARKERS = "kubectl -n argocd delete configmaps -l platform-def/marker=true"


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("argocd", "flux", "kubectl -n argocd delete applications.argoproj.io platform"),
        ("flux", "argocd", '"deletionPolicy":"Orphan"'),
        ("argocd", "none", "none removes what leaves it"),
        ("argocd, order: gates", "flux", MARKERS),
        ("none", "flux", "platformctl bootstrap a"),
    ],
)
def test_a_change_of_engine_prints_how_to_move(repository: Repository, before: str, after: str, words: str) -> None:
    delivered(repository, before)
    repository.write({"stacks/a.yaml": TWO + (ENGINE % after if after != "none" else "")})

    said = repository.ask("synth").err

    assert "a: delivery moves from" in said
    assert words in said
    assert ("or it deletes what it has brought" in said) == (before != "none")
    assert (MARKERS in said) == ("gates" in before)


def test_a_stack_leaves_gates_without_consent_and_reads_which_policies_go(repository: Repository) -> None:
    delivered(repository, "argocd, order: gates")
    repository.write({"stacks/a.yaml": TWO + ENGINE % "argocd"})

    [taken] = repository.ask("synth", "-o", "json").json["removals"]

    kinds = ("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")
    assert taken["delivery"] == [
        f"{kind} platform-def-{name}" for kind in kinds for name in ("contents", "needs", "order")
    ]
    assert taken["leave"] == taken["stay"] == taken["components"] == []


def test_the_steps_name_the_namespace_that_the_engine_had(repository: Repository) -> None:
    stack = TWO + (ENGINE % "argocd").replace("argocd,", "argocd, namespace: zeus,")
    repository.write({"stacks/a.yaml": stack}).ask("synth")
    repository.write({"stacks/a.yaml": TWO + ENGINE % "flux"})

    assert "kubectl -n zeus delete applications.argoproj.io platform" in repository.ask("synth").err


def test_a_change_that_takes_nothing_away_says_nothing_of_it(both: Repository) -> None:
    both.write({"stacks/a.yaml": TWO.replace("training-operator: {}", "training-operator: {threads: 2}")})

    done = both.ask("synth", "-o", "json").json

    assert done["files"]["changed"]
    assert done["removals"] == []


# --- jobs that stay as they are


TRAIN = (
    'apiVersion: platform-def/v1\ncluster: {kubernetes: "1.36"%s}\n'
    'delivery: {engine: %s, repository: "https://git.example.com/platform.git"}\n'
    "components: {training-operator: {}}\nteams: [{name: vision}]\n"
    'jobs:\n  - {template: pytorch-ddp, name: %s, team: vision, image: "r.example.com/i:1", command: [t.py], '
    "gpusPerWorker: 0, %s}\n"
)


@pytest.mark.parametrize("engine", ["argocd", "flux"])
def test_a_job_that_stays_as_it_was_created_is_told_with_the_remedy(repository: Repository, engine: str) -> None:
    repository.write({"stacks/a.yaml": TRAIN % ("", engine, "net", "sync: true")}).ask("synth")
    repository.write({"stacks/a.yaml": TRAIN % (", registry: m.example.com", engine, "net", "sync: true")})

    done = repository.ask("synth")

    assert "stacks/a.yaml:7: job net stays as it was created, though spec.pytorchReplicaSpecs.Master." in done.err
    assert "image of PyTorchJob net-" in done.err
    assert "hint: to start it again as it is now, write `rerun: 1`" in done.err
    assert "stays as it was" not in repository.ask("synth").err, "told once, with the change"


@pytest.mark.parametrize(
    ("engine", "name", "said"),
    [
        ("none", "net", "sync: true"),
        ("flux", "net", "sync: false"),
        ("flux", "net", "sync: true, rerun: 1"),
        ("flux", "other", "sync: true"),
    ],
    ids=["nobody delivers", "not started", "started again", "another job"],
)
def test_a_job_that_is_not_there_or_is_started_anew_is_not_told(
    repository: Repository, engine: str, name: str, said: str
) -> None:
    repository.write({"stacks/a.yaml": TRAIN % ("", engine, "net", "sync: true")}).ask("synth")
    repository.write({"stacks/a.yaml": TRAIN % (", registry: m.example.com", engine, name, said)})

    assert repository.ask("synth", "-o", "json").json["keptJobs"] == []


CLOCK = (
    'apiVersion: platform-def/v1\ncluster: {kubernetes: "1.36"%s}\n'
    'delivery: {engine: flux, repository: "https://git.example.com/platform.git"}\n'
    "components: {argo-workflows: {ui: {enabled: false}}}\nteams: [{name: vision}]\n"
    "jobs:\n  - {template: cron-workflow, name: nightly, team: vision, file: nightly.yaml, sync: true}\n"
)
NIGHTLY = (
    "apiVersion: argoproj.io/v1alpha1\nkind: CronWorkflow\nmetadata: {name: nightly}\n"
    'spec:\n  schedules: ["0 3 * * *"]\n  workflowSpec:\n    entrypoint: main\n'
    '    templates: [{name: main, container: {image: "r.example.com/i:1"}}]\n'
)


def test_a_job_that_starts_by_the_clock_is_changed_in_its_place_and_not_told(repository: Repository) -> None:
    repository.write({"stacks/a.yaml": CLOCK % "", "nightly.yaml": NIGHTLY}).ask("synth")
    repository.write({"stacks/a.yaml": CLOCK % ", registry: m.example.com"})

    assert repository.ask("synth", "-o", "json").json["keptJobs"] == []
    (path,) = (path for path in repository.files() if "_jobs/nightly" in path)
    assert path.endswith("team-vision/cronworkflow.argoproj.io-nightly.yaml")
    repository.write({"nightly.yaml": NIGHTLY.replace("0 3", "0 4")}).ask("synth")
    assert b"0 4 * * *" in repository.files()[path]


@pytest.mark.parametrize("engine", ["flux", "argocd"])
def test_a_job_that_starts_by_the_clock_is_deleted_with_its_entry(repository: Repository, engine: str) -> None:
    stack = (CLOCK % "").replace("engine: flux", f"engine: {engine}")
    repository.write({"stacks/a.yaml": stack, "nightly.yaml": NIGHTLY}).ask("synth")
    repository.write({"stacks/a.yaml": stack.partition("jobs:")[0]})

    said = repository.ask("synth").err
    assert "a: 1 object leaves the cluster: CronWorkflow team-vision/nightly" in said
    assert "what runs goes on" not in said


def test_namespaces_that_are_needed_no_more_are_no_component_that_was_taken_out(repository: Repository) -> None:
    own = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: kube-system}\n"
    one = f"{HEAD}components: {{keda: {{}}, own: {{path: apps/own}}}}\n"
    repository.write({"stacks/a.yaml": one, "apps/own/x.yaml": own}).ask("synth")
    repository.write({"stacks/a.yaml": f"{HEAD}components: {{own: {{path: apps/own}}}}\nretire: {{keda: over}}\n"})

    assert "a: taken out: keda\n" in repository.ask("synth").err


def test_the_next_number_follows_the_one_that_is_written(repository: Repository) -> None:
    repository.write({"stacks/a.yaml": TRAIN % ("", "flux", "net", "sync: true, rerun: 4")}).ask("synth")
    repository.write({"stacks/a.yaml": TRAIN % (", registry: m.example.com", "flux", "net", "sync: true, rerun: 4")})

    (kept,) = repository.ask("synth", "-o", "json").json["keptJobs"]

    assert (kept["job"], kept["rerun"], kept["where"]) == ("net", 5, "stacks/a.yaml:7")


@pytest.mark.parametrize(
    ("engine", "name", "leaves"),
    [
        ("flux", "flux", "ClusterRole flux-notification-controller"),
        ("argocd", "argo-cd", "ConfigMap argocd/argocd-notifications-cm"),
    ],
)
def test_an_engine_that_leaves_the_stack_stays_in_the_cluster(
    repository: Repository, engine: str, name: str, leaves: str
) -> None:
    """It would be gone before it had deleted itself; a program of its that is no longer wanted goes."""
    head = f'{HEAD}delivery: {{engine: {engine}, repository: "https://git.example.com/a.git"}}\n'
    repository.write({"stacks/a.yaml": f"{head}components: {{{name}: {{notifications: true}}}}\n"}).ask("synth")

    fewer = repository.write({"stacks/a.yaml": f"{head}components: {{{name}: {{}}}}\n"}).ask("synth").err
    gone = f"{head}components: {{training-operator: {{}}}}\nretire: {{{name}: somebody else has it}}\n"
    none = repository.write({"stacks/a.yaml": gone}).ask("synth").err

    assert f"leave the cluster: {leaves}" in fewer
    assert " objects leave the cluster" not in none.replace(" delivery objects", "")
    assert "stays in the cluster, no longer managed" in none
