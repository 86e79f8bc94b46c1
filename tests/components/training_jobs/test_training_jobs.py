"""The page of training jobs: which kinds and namespaces it reads, by which rights, and who reaches it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from platform_def.capabilities import AccessManagement, Gateway, Identity, WebLink
from platform_def.components.training.training_jobs.component import TrainingJobs, TrainingJobsConfig, program
from platform_def.config.capability import Provision
from platform_def.config.platform import Platform
from platform_def.config.teams import Team
from platform_def.constructs import Setting
from tests.unit.built import Objects, built, grants, platform

TEAMS = (Team(name="vision"), Team(name="language"))
KINDS = ("TFJob.kubeflow.org", "MPIJob.kubeflow.org")
PEOPLE = Identity(issuer="https://id.example.com", user_header="x-user", user_prefix="oidc:", groups_header="x-groups")


def stack(*given: Any, gateway: bool = True, kinds: tuple[str, ...] = KINDS, **facts: Any) -> Platform:
    edge = Gateway(api="emissary", name="edge", namespace="edge", host="ml.example.com", pods={"app": "edge"})
    there = [(each, "somebody") for each in given] + ([(edge, "edge")] if gateway else [])
    provisions = tuple(Provision.of(value, by) for value, by in there)
    return platform(gateway="edge" if gateway else "none", provisions=provisions, apis=frozenset(kinds), **facts)


def plan(made: Objects) -> Any:
    return json.loads(made.one("ConfigMap")["data"]["plan.json"])


def told(at: Platform, **config: Any) -> Iterator[str]:
    yield from map(str, TrainingJobs.problems(Setting("training-jobs", TrainingJobsConfig(**config), at)))


def test_it_lists_the_kinds_that_the_stack_runs() -> None:
    made = built(TrainingJobs, stack(PEOPLE))

    assert plan(made)["kinds"] == [
        {"kind": "TFJob", "plural": "tfjobs", "versions": ["v1"]},
        {"kind": "MPIJob", "plural": "mpijobs", "versions": ["v1", "v2beta1"]},
    ]
    assert made.one("ConfigMap")["data"]["job_list.py"] == program()
    assert plan(built(TrainingJobs, stack(PEOPLE, kinds=("ChainerJob.kubeflow.org",))))["kinds"] == [
        {"kind": "ChainerJob", "plural": "chainerjobs", "versions": ["v1alpha1"]}
    ]


def test_it_knows_people_by_the_stacks_headers() -> None:
    identity = {"userHeader": "x-user", "userPrefix": "oidc:", "groupsHeader": "x-groups"}

    assert plan(built(TrainingJobs, stack(PEOPLE)))["identity"] == identity


def test_with_teams_it_reads_their_namespaces_alone() -> None:
    made = built(TrainingJobs, stack(PEOPLE, teams=TEAMS))

    assert plan(made)["namespaces"] == ["team-language", "team-vision"]
    assert {each["metadata"]["namespace"] for each in made.of("Role")} == {"team-language", "team-vision"}
    assert all(grants(each["rules"], "kubeflow.org", "tfjobs") == {"list"} for each in made.of("Role"))
    assert made.rules("ClusterRole") == [
        {"apiGroups": ["authorization.k8s.io"], "resources": ["subjectaccessreviews"], "verbs": ["create"]}
    ]
    assert all(each["subjects"][0]["namespace"] == "training-jobs" for each in made.of("RoleBinding"))


@pytest.mark.parametrize(
    ("given", "teams", "everywhere"),
    [
        ([], (), None),
        ([], TEAMS, True),
        ([AccessManagement(host="kfam.kubeflow.svc.cluster.local", registration=True)], TEAMS, None),
    ],
    ids=["no teams", "asked for", "people register namespaces"],
)
def test_it_reads_all_namespaces(given: list[Any], teams: tuple[Team, ...], everywhere: bool | None) -> None:
    made = built(TrainingJobs, stack(PEOPLE, *given, teams=teams), everywhere=everywhere)
    rules = made.rules("ClusterRole")

    assert plan(made)["namespaces"] is None
    assert grants(rules, "kubeflow.org", "mpijobs") == {"list"}
    assert grants(rules, "", "namespaces") == {"list"}
    assert made.of("Role") == []


def test_where_people_register_none_a_stack_with_teams_keeps_to_them() -> None:
    closed = AccessManagement(host="kfam.kubeflow.svc.cluster.local")

    assert plan(built(TrainingJobs, stack(PEOPLE, closed, teams=TEAMS)))["namespaces"]


def test_only_the_gateway_reaches_it() -> None:
    made = built(TrainingJobs, stack(PEOPLE))
    (opening,) = made.one("NetworkPolicy")["spec"]["ingress"]
    mapping = made.one("Mapping")["spec"]

    assert opening["from"][0]["podSelector"]["matchLabels"] == {"app": "edge"}
    assert opening["from"][0]["namespaceSelector"]["matchLabels"] == {"kubernetes.io/metadata.name": "edge"}
    assert (mapping["prefix"], mapping["rewrite"]) == ("/training-jobs/", "/")


def test_its_pod_is_restricted_with_a_read_only_root() -> None:
    context = built(TrainingJobs, stack(PEOPLE)).container("Deployment")["securityContext"]

    assert context["readOnlyRootFilesystem"] is True
    assert context["runAsNonRoot"] is True
    assert context["allowPrivilegeEscalation"] is False
    assert TrainingJobs.pod_security.level == "restricted"


def test_pages_of_the_stack_link_to_it() -> None:
    here = Setting("training-jobs", TrainingJobsConfig(), stack(PEOPLE))
    alone = Setting("training-jobs", TrainingJobsConfig(access="administrators"), stack(PEOPLE))
    (link,) = TrainingJobs.offers(here).capabilities

    assert isinstance(link, WebLink)
    assert (link.text, link.path) == ("Training jobs", "/training-jobs/")
    assert TrainingJobs.offers(alone).capabilities == ()


def test_administrators_reach_it_by_port_forward_and_it_asks_no_one() -> None:
    made = built(TrainingJobs, stack(gateway=False, teams=TEAMS), access="administrators")

    assert plan(made)["identity"] is None
    assert made.of("Mapping") == made.of("ClusterRole") == []
    assert made.one("NetworkPolicy")["spec"].get("ingress") is None


def test_what_it_cannot_serve_is_an_error_with_a_remedy() -> None:
    (nobody,) = told(stack())
    (nothing,) = told(stack(PEOPLE, kinds=()))
    (nowhere,) = told(stack(PEOPLE), everywhere=False)

    assert "anybody can write the header" in nobody
    assert "access: administrators" in nobody
    assert "nothing in the stack runs jobs that it could list" in nothing
    assert "the stack has no teams" in nowhere
    assert [*told(stack(PEOPLE, teams=TEAMS), everywhere=False)] == []
    assert [*told(stack(gateway=False), access="administrators")] == []
