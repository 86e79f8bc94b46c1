"""Katib: what a stack chooses, and what its neighbours are."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.apis.kubeflow import katib_v1beta1
from platform_def.capabilities import CertificateIssuer, Gateway, Identity, SqlDatabase
from platform_def.components.tuning.katib.component import Katib
from platform_def.components.tuning.katib.config import KatibConfig
from platform_def.components.tuning.katib.releases import RELEASES
from platform_def.config.capability import EXTERNAL, Capability, Provision
from platform_def.config.platform import ComponentFact, Platform
from platform_def.config.teams import Team
from platform_def.constructs import ConfigError, Setting
from platform_def.yaml import load_all
from tests.unit.built import Objects, built, grants

GATEWAY = Gateway(api="emissary", name="emissary", namespace="emissary")
CREDENTIALS = {"credentials": {"existing": "katib-database"}}
MYSQL = SqlDatabase.from_file(
    {"engine": "mysql", "host": "mysql.example.com", "port": 3306, "shares": {"katib": CREDENTIALS}}
)
POSTGRES = SqlDatabase.from_file(
    {
        "engine": "postgresql",
        "host": "pg.example.com",
        "port": 5432,
        "tls": "required",
        "shares": {"katib": CREDENTIALS},
    }
)

MPI_OPERATOR = ComponentFact("0.8.2", "mpi-operator", component="mpi-operator")


def stack(database: Capability = MYSQL, **facts: Any) -> Platform:
    given = (CertificateIssuer(), Identity(issuer="https://id.example.com"), database)
    provisions = (*(Provision.of(each, EXTERNAL) for each in given), Provision.of(GATEWAY, "emissary"))
    return Platform(gateway="emissary", provisions=provisions, **facts)


def katib(platform: Platform | None = None, **config: Any) -> Objects:
    return built(Katib, platform or stack(), **config)


def configuration(made: Objects) -> dict[str, Any]:
    found: Any
    (found,) = load_all(made.one("ConfigMap", "katib-config")["data"]["katib-config.yaml"].encode(), file="katib")
    return dict(found)


def suggestion(made: Objects, algorithm: str) -> dict[str, Any]:
    (found,) = (each for each in configuration(made)["runtime"]["suggestions"] if each["algorithmName"] == algorithm)
    return dict(found)


def variables(made: Objects, name: str) -> dict[str, Any]:
    return {
        each["name"]: each.get("value", each.get("valueFrom")) for each in made.container("Deployment", name)["env"]
    }


def problems(platform: Platform | None = None, **config: Any) -> list[str]:
    return [each.text for each in Katib.problems(Setting("katib", KatibConfig.from_file(config), platform or stack()))]


# --- its configuration file


def test_every_algorithm_has_the_memory_that_it_lives_with() -> None:
    for each in configuration(katib())["runtime"]["suggestions"]:
        limit = each["resources"]["limits"]["memory"]

        assert limit.endswith("Gi") or int(limit.removesuffix("Mi")) >= 256, each["algorithmName"]


def test_all_images_come_through_the_mirror_and_are_known_to_it() -> None:
    text = katib(stack(registry="mirror.example.com")).one("ConfigMap", "katib-config")["data"]["katib-config.yaml"]
    named = {line.partition("image: ")[2] for line in text.splitlines() if "image: " in line}
    known = Katib.runtime_images(Setting("katib", KatibConfig(), stack()))

    assert all(image.startswith("mirror.example.com/ghcr.io/kubeflow/katib/") for image in named)
    assert {image.removeprefix("mirror.example.com/") for image in named} <= set(known)
    assert {each for each in known if "cpu" in each} == {RELEASES[0].sample_image, RELEASES[0].sample_nas_image}


def test_algorithms_run_at_the_level_restricted_but_for_the_one_that_shares_a_volume() -> None:
    made = katib()

    assert suggestion(made, "tpe")["securityContext"]["runAsNonRoot"] is True
    assert "runAsNonRoot" not in suggestion(made, "pbt")["securityContext"]
    assert suggestion(made, "pbt")["persistentVolumeClaimSpec"]["accessModes"] == ["ReadWriteMany"]


def test_a_stack_offers_some_algorithms_and_its_own() -> None:
    own = {"mine": {"image": "example.com/mine:1", "restricted": False}}
    made = katib(algorithms=["tpe", "mine"], ownAlgorithms=own)

    offered = [each["algorithmName"] for each in configuration(made)["runtime"]["suggestions"]]
    assert offered == ["tpe", "mine"]
    assert suggestion(made, "mine")["image"] == "example.com/mine:1"
    assert "securityContext" not in suggestion(made, "mine")
    at = Setting("katib", KatibConfig.from_file({"algorithms": ["mine"], "ownAlgorithms": own}), stack())
    assert "example.com/mine:1" in Katib.runtime_images(at)
    assert not any("suggestion-" in image for image in Katib.runtime_images(at))


def test_an_algorithm_that_nobody_has_is_refused() -> None:
    with pytest.raises(ValidationError, match="there is no algorithm tp; there are bayesianoptimization"):
        KatibConfig(algorithms=["tp"])


def test_what_a_stack_says_of_an_algorithm_lands_in_the_file() -> None:
    made = katib(workloads={"suggestion-tpe": {"containers": {"suggestion": {"env": {"THREADS": "1"}}}}})

    assert suggestion(made, "tpe")["env"] == [{"name": "THREADS", "value": "1"}]


def test_a_collector_has_no_place_for_variables() -> None:
    with pytest.raises(ConfigError, match=r"collector-file.containers.collector.env: a controller makes its pods"):
        katib(workloads={"collector-file": {"containers": {"collector": {"env": {"A": "b"}}}}})
    with pytest.raises(ConfigError) as caught:
        katib(workloads={"collector-file": {"replicas": 2, "containers": {"collector": {"env": {"A": "b"}}}}})
    assert [problem.text.split(":")[0].rpartition(".")[2] for problem in caught.value.problems] == ["env", "replicas"]


def test_a_change_of_what_is_read_at_start_restarts_the_controller_and_no_other_change() -> None:
    def mark(made: Objects) -> str:
        found: str = made.one("Deployment", "katib-controller")["spec"]["template"]["metadata"]["annotations"][
            "platform-def.dev/configuration"
        ]
        return found

    usual = mark(katib())

    assert mark(katib(algorithms=["tpe"])) == usual
    assert mark(katib(inject_security_context=False)) != usual


# --- what trials may be


def test_trials_are_of_the_kinds_that_the_stack_serves() -> None:
    served = stack(apis=frozenset({"PyTorchJob.kubeflow.org", "TrainJob.trainer.kubeflow.org"}))
    made = katib(served)

    assert configuration(made)["init"]["controller"]["trialResources"] == [
        "TrainJob.v1alpha1.trainer.kubeflow.org",
        "Job.v1.batch",
        "PyTorchJob.v1.kubeflow.org",
    ]
    rules = made.rules("ClusterRole", "katib-controller")
    assert grants(rules, "kubeflow.org", "pytorchjobs") == {"create", "delete", "get", "list", "watch"}
    assert grants(rules, "kubeflow.org", "tfjobs") == set()
    assert grants(rules, "jobset.x-k8s.io", "jobsets") == {"get"}
    assert "pytorchJobTemplate" in made.one("ConfigMap", "trial-templates")["data"]
    assert "pytorchJobTemplate" not in katib().one("ConfigMap", "trial-templates")["data"]


@pytest.mark.parametrize(("operators", "version"), [({}, "v1"), ({"mpi-operator": MPI_OPERATOR}, "v2beta1")])
def test_an_mpijob_is_of_the_version_that_its_operator_serves(
    operators: dict[str, ComponentFact], version: str
) -> None:
    made = katib(stack(apis=frozenset({"MPIJob.kubeflow.org"}), components=operators))

    resources = configuration(made)["init"]["controller"]["trialResources"]
    assert [each for each in resources if each.startswith("MPIJob.")] == [f"MPIJob.{version}.kubeflow.org"]


def test_the_controller_starts_after_the_definitions_of_its_trials() -> None:
    made = katib(stack(apis=frozenset({"PyTorchJob.kubeflow.org"})))

    assert made.build.awaits == ("Job.batch", "PyTorchJob.kubeflow.org")


def test_a_further_kind_is_known_by_the_catalogue_or_named_in_full() -> None:
    served = stack(apis=frozenset({"Workflow.argoproj.io", "PipelineRun.tekton.dev"}))
    kinds = [
        {"kind": "Workflow.v1alpha1.argoproj.io"},
        {"kind": "PipelineRun.v1.tekton.dev", "plural": "pipelineruns", "between": ["taskruns.tekton.dev"]},
    ]
    rules = katib(served, trialKinds=kinds).rules("ClusterRole", "katib-controller")

    assert "create" in grants(rules, "argoproj.io", "workflows")
    assert "create" in grants(rules, "tekton.dev", "pipelineruns")
    assert grants(rules, "tekton.dev", "taskruns") == {"get"}
    assert problems(served, trialKinds=kinds) == []


def test_a_kind_that_nobody_serves_or_knows_is_said() -> None:
    said = problems(trialKinds=[{"kind": "Workflow.v1alpha1.argoproj.io"}])

    assert said == ["components.katib.trialKinds: the stack serves no Workflow.argoproj.io"]
    with pytest.raises(ConfigError, match=r"the plural of Odd\.v1\.example\.com is not known"):
        problems(trialKinds=[{"kind": "Odd.v1.example.com"}])


# --- its webhooks


def hooks(made: Objects) -> dict[str, dict[str, Any]]:
    kinds = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
    return {each["name"]: each for kind in kinds for each in made.one(kind, "katib.kubeflow.org")["webhooks"]}


def test_pods_of_notebooks_and_services_start_without_katib() -> None:
    hook = hooks(katib(namespace="ml"))["mutator.pod.katib.kubeflow.org"]
    requester, owners = (each["expression"] for each in hook["matchConditions"])

    assert hook["failurePolicy"] == "Fail"
    assert hook["namespaceSelector"] == {"matchLabels": {"katib.kubeflow.org/metrics-collector-injection": "enabled"}}
    assert "'system:serviceaccount:ml:katib-controller'" in requester
    assert "['ReplicaSet', 'StatefulSet', 'DaemonSet']" in owners


def test_pods_of_a_kind_that_trials_may_be_are_asked_about() -> None:
    made = katib(
        trialKinds=[{"kind": "StatefulSet.v1.apps"}, {"kind": "Deployment.v1.apps", "between": ["replicasets.apps"]}]
    )
    owners = hooks(made)["mutator.pod.katib.kubeflow.org"]["matchConditions"][1]["expression"]

    assert "(owner.kind in ['DaemonSet'])" in owners
    assert grants(made.rules("ClusterRole", "katib-controller"), "apps", "replicasets") == {"get"}


def test_trials_may_start_without_collectors_where_a_stack_prefers_that() -> None:
    made = hooks(katib(injectionFailure="Ignore"))

    assert made["mutator.pod.katib.kubeflow.org"]["failurePolicy"] == "Ignore"
    assert made["validator.experiment.katib.kubeflow.org"]["failurePolicy"] == "Fail"


def test_cert_manager_signs_and_katib_needs_no_right_on_secrets_to_write() -> None:
    made = katib()

    assert made.one("Certificate")["spec"]["secretName"] == "katib-webhook-cert"
    assert "cert-manager.io/inject-ca-from" in made.one("MutatingWebhookConfiguration")["metadata"]["annotations"]
    rules = made.rules("ClusterRole", "katib-controller")
    assert grants(rules, "", "secrets") == {"get"}
    assert grants(rules, "admissionregistration.k8s.io", "mutatingwebhookconfigurations") == set()
    assert grants(katib(look_up_commands=False).rules("ClusterRole", "katib-controller"), "", "secrets") == set()


def test_katib_makes_its_certificate_itself_where_a_stack_wants_that() -> None:
    made = katib(certificates="katib")
    drifts = {each.name: each.pointers for each in made.build.drifts if each.kind == "Secret"}

    assert configuration(made)["init"]["certGenerator"] == {"enable": True}
    assert "data" not in made.one("Secret", "katib-webhook-cert")
    assert drifts == {"katib-webhook-cert": ("/data",)}
    assert grants(made.rules("Role", "katib-controller"), "", "secrets") == {"get", "list", "update", "watch"}
    needs = Katib.needs_of(Setting("katib", KatibConfig(certificates="katib"), stack()))
    assert "certificateIssuer" not in {each.kind for each in needs}


# --- its database


def test_a_mysql_is_named_in_its_variables() -> None:
    found = variables(katib(), "katib-db-manager")

    assert (found["DB_NAME"], found["KATIB_MYSQL_DB_HOST"], found["KATIB_MYSQL_DB_PORT"]) == (
        "mysql",
        "mysql.example.com",
        "3306",
    )
    assert found["DB_PASSWORD"]["secretKeyRef"] == {"name": "katib-database", "key": "password"}


def test_a_postgresql_is_talked_to_as_it_wants() -> None:
    found = variables(katib(stack(POSTGRES)), "katib-db-manager")

    assert (found["DB_NAME"], found["KATIB_POSTGRESQL_DB_DATABASE"]) == ("postgres", "katib")
    assert found["KATIB_POSTGRESQL_SSL_MODE"] == "require"
    checked = variables(katib(stack(POSTGRES), caBundle="private-ca"), "katib-db-manager")
    assert checked["KATIB_POSTGRESQL_SSL_MODE"] == "verify-full"
    plain = POSTGRES.model_copy(update={"tls": "off"})
    assert variables(katib(stack(plain)), "katib-db-manager")["KATIB_POSTGRESQL_SSL_MODE"] == "disable"


def test_a_mysql_that_wants_encryption_is_refused() -> None:
    strict = MYSQL.model_copy(update={"tls": "required"})

    assert "takes encrypted connections alone" in problems(stack(strict))[0]
    assert problems(stack(POSTGRES)) == []


def test_the_db_manager_waits_for_its_database_as_long_as_the_kubelet_waits_for_it() -> None:
    container = katib().container("Deployment", "katib-db-manager")
    probe = container["startupProbe"]

    assert container["args"] == ["--connect-timeout=600s"]
    assert probe["periodSeconds"] * probe["failureThreshold"] > 600
    assert probe["grpc"] == {"port": 6789}


def test_collectors_of_all_experiments_reach_the_db_manager_and_nobody_else() -> None:
    (rule,) = katib(stack(network_policies=True)).one("NetworkPolicy", "katib-db-manager")["spec"]["ingress"]

    label = {"katib.kubeflow.org/metrics-collector-injection": "enabled"}
    assert rule["from"] == [{"podSelector": {}}, {"namespaceSelector": {"matchLabels": label}}]
    assert "katib-db-manager" not in katib().names("NetworkPolicy")


# --- its interface and its neighbours


def test_the_interface_can_be_left_out() -> None:
    made = katib(ui={"enabled": False})

    assert made.names("Deployment") == ["katib-controller", "katib-db-manager"]
    assert problems(Platform(), ui={"enabled": False}) == []
    assert Katib.offers(Setting("katib", KatibConfig.from_file({"ui": {"enabled": False}}), stack())).capabilities == ()


def test_the_interface_asks_who_people_are() -> None:
    nobody = stack().with_facts(provisions=tuple(each for each in stack().provisions if each.kind != "identity"))

    assert variables(katib(), "katib-ui")["USERID_HEADER"] == "kubeflow-userid"
    assert variables(katib(), "katib-ui")["USERID_PREFIX"] == ""
    assert "components.katib.ui.access: nothing in the stack says who a request is from" in problems(nobody)[0]
    assert problems(nobody, ui={"access": "administrators"}) == []


def test_the_interface_may_read_namespaces_and_not_delete_them() -> None:
    rules = katib().rules("ClusterRole", "katib-ui")

    assert grants(rules, "", "namespaces") == {"list"}
    assert "*" not in grants(rules, "kubeflow.org", "experiments") | grants(rules, "", "configmaps")


def test_namespaces_of_teams_or_those_named_get_the_label_and_no_other_level() -> None:
    teams = (Team(name="vision", pod_security="restricted"),)
    usual = Katib.offers(Setting("katib", KatibConfig(), stack(teams=teams))).namespaces
    named = Katib.offers(Setting("katib", KatibConfig(experiment_namespaces=["lab"]), stack(teams=teams))).namespaces

    assert [(each.name, each.pod_security) for each in usual] == [("team-vision", "restricted")]
    assert usual[0].labels == (("katib.kubeflow.org/metrics-collector-injection", "enabled"),)
    assert [each.name for each in named] == ["lab"]


def test_two_controllers_elect_who_works_and_one_does_not() -> None:
    usual, ha = katib(), katib(stack(availability="ha"))

    assert configuration(usual)["init"]["controller"]["enableLeaderElection"] is False
    assert configuration(ha)["init"]["controller"]["enableLeaderElection"] is True
    assert usual.names("Role") == []
    (_, lease, _) = ha.rules("Role", "katib-controller-leader-election")
    assert lease["resourceNames"] == ["3fbc96e9.katib.kubeflow.org"]
    assert {each["spec"]["replicas"] for each in ha.of("Deployment")} == {2}


def test_no_variable_of_a_service_reaches_its_programs() -> None:
    made = katib()

    assert {made.pod("Deployment", name)["enableServiceLinks"] for name in made.names("Deployment")} == {False}


def test_health_of_its_kinds_is_declared() -> None:
    assert [each.api.kind for each in katib_v1beta1.CRDS if each.api.health is None] == []
