"""The Spark operator: where it has rights, who makes its certificate, and the accounts of drivers."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.components.pipelines.spark_operator.component import SparkOperator
from platform_def.config.platform import Platform
from platform_def.config.teams import Team
from tests.unit.built import Objects, built, grants

CONTROLLER, WEBHOOK = "spark-operator-controller", "spark-operator-webhook"
TEAMS = (Team(name="vision"), Team(name="speech"))
ADMISSION, GROUP = "admissionregistration.k8s.io", "sparkoperator.k8s.io"


def made(teams: tuple[Team, ...] = TEAMS, apis: frozenset[str] = frozenset(), **config: Any) -> Objects:
    return built(SparkOperator, Platform(teams=teams, apis=apis), **config)


def in_namespace(objects: Objects, role: str, namespace: str) -> list[dict[str, Any]]:
    (found,) = (
        each["rules"]
        for each in objects.of("Role")
        if (each["metadata"]["name"], each["metadata"]["namespace"]) == (role, namespace)
    )
    rules: list[dict[str, Any]] = found
    return rules


@pytest.mark.parametrize("program", [CONTROLLER, WEBHOOK])
def test_programs_run_in_the_namespaces_of_teams_only(program: str) -> None:
    objects = made()

    assert "--namespaces=team-vision,team-speech" in objects.arguments("Deployment", program)
    assert grants(objects.rules("ClusterRole", program), "", "pods") == set()
    for home in ("team-vision", "team-speech"):
        assert "list" in grants(in_namespace(objects, f"{program}-programs", home), "", "pods")


def test_without_teams_it_has_its_rights_everywhere() -> None:
    objects = made(teams=())

    assert not any(each.startswith("--namespaces") for each in objects.arguments("Deployment", CONTROLLER))
    assert "create" in grants(objects.rules("ClusterRole", CONTROLLER), "", "pods")
    assert "spark-operator-spark" not in objects.names("ServiceAccount")


def test_the_stack_may_name_other_namespaces() -> None:
    assert "--namespaces=lab" in made(programNamespaces=["lab"]).arguments("Deployment", CONTROLLER)


def test_drivers_of_each_team_have_an_account_that_makes_executors_there() -> None:
    objects = made()

    homes = [each["metadata"]["namespace"] for each in objects.of("ServiceAccount")]
    assert {"team-vision", "team-speech"} <= {*homes}
    rules = in_namespace(objects, "spark-operator-spark", "team-vision")
    assert grants(rules, "", "pods") >= {"create", "deletecollection"}
    assert grants(rules, "", "secrets") == set()


def test_its_own_certificate_needs_rights_that_cert_managers_does_not() -> None:
    own, signed = made(), made(certificates="cert-manager")

    assert "update" in grants(own.rules("ClusterRole", WEBHOOK), ADMISSION, "validatingwebhookconfigurations")
    assert WEBHOOK not in signed.names("ClusterRole")
    assert "--enable-cert-manager=true" in signed.arguments("Deployment", WEBHOOK)
    assert grants(in_namespace(signed, WEBHOOK, "spark-operator"), "", "secrets") == {"get"}
    assert grants(in_namespace(own, WEBHOOK, "spark-operator"), "", "secrets") == {"create", "get", "update"}


def test_it_writes_what_it_serves_into_a_folder_that_is_not_the_secret() -> None:
    container = made().container("Deployment", WEBHOOK)

    (flag,) = (each for each in container["args"] if each.startswith("--webhook-cert-dir="))
    mounted = {each["mountPath"]: each.get("readOnly", False) for each in container["volumeMounts"]}
    assert mounted[flag.partition("=")[2]] is False


def test_only_pods_that_it_launched_wait_for_its_webhook() -> None:
    (hook,) = (
        each
        for each in made().one("MutatingWebhookConfiguration")["webhooks"]
        if any("pods" in rule["resources"] for rule in each["rules"])
    )

    assert hook["objectSelector"]["matchLabels"] == {"sparkoperator.k8s.io/launched-by-spark-operator": "true"}


def test_gangs_are_made_where_the_stack_has_volcano() -> None:
    objects = made(apis=frozenset({"PodGroup.scheduling.volcano.sh"}))

    assert "--enable-batch-scheduler=true" in objects.arguments("Deployment", CONTROLLER)
    rules = in_namespace(objects, f"{CONTROLLER}-programs", "team-vision")
    assert "create" in grants(rules, "scheduling.volcano.sh", "podgroups")
    assert "--enable-batch-scheduler=true" not in made().arguments("Deployment", CONTROLLER)


def test_quotas_are_held_where_the_stack_asks() -> None:
    flag = "--enable-resource-quota-enforcement=true"

    assert flag in made(quotas=True).arguments("Deployment", WEBHOOK)
    assert flag not in made().arguments("Deployment", WEBHOOK)
