"""Kueue: flavors from pools, queues from teams, webhooks that look at the teams' namespaces alone."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from pydantic import ValidationError

from platform_def.capabilities import DashboardReader, Metrics
from platform_def.components.queues.kueue.component import Kueue
from platform_def.components.queues.kueue.config import KueueConfig
from platform_def.components.queues.kueue.frameworks import FRAMEWORKS, FrameworkName
from platform_def.config.capability import Provision
from platform_def.config.platform import ComponentFact
from platform_def.config.pools import NodePool
from platform_def.config.teams import Team
from platform_def.yaml import load
from tests.unit.built import Objects, built, platform, setting, stack_of, told

TEAMS = (
    Team.from_file({"name": "vision", "queue": "vision", "quota": {"gpus": 12}, "borrow": {"gpus": 4}}),
    Team.from_file({"name": "speech", "queue": "language"}),
)


def pool(name: str, **more: Any) -> NodePool:
    fields = {"name": name, "nodes": 2, "selector": {"pool": name}, "gpu": {"model": "a100-80gb", "perNode": 8}}
    return NodePool.from_file({**fields, **more})


def kueue(teams: tuple[Team, ...] = TEAMS, pools: tuple[NodePool, ...] = (pool("train"),), **config: Any) -> Objects:
    return built(Kueue, platform(teams=teams, node_pools=pools), **config)


def configuration(objects: Objects) -> dict[str, Any]:
    text = objects.one("ConfigMap")["data"]["controller_manager_config.yaml"]
    found: dict[str, Any] = load(text.encode(), file="configuration")  # type: ignore[assignment]
    return found


def quotas(objects: Objects, queue: str) -> dict[tuple[str, str], dict[str, str]]:
    groups = objects.one("ClusterQueue", queue)["spec"]["resourceGroups"]
    return {
        (flavor["name"], each["name"]): {key: value for key, value in each.items() if key != "name"}
        for group in groups
        for flavor in group["flavors"]
        for each in flavor["resources"]
    }


def hooks(objects: Objects, kind: str) -> dict[str, dict[str, Any]]:
    found = objects.one(f"{kind}WebhookConfiguration", f"kueue-{kind.lower()}-webhook-configuration")["webhooks"]
    return {each["name"]: each for each in found}


def test_every_integration_has_its_facts() -> None:
    assert sorted(each.name for each in FRAMEWORKS) == sorted(get_args(FrameworkName))


def test_a_flavor_leads_pods_to_its_pool() -> None:
    objects = kueue(pools=(pool("train", taints=["gpu=train:NoSchedule"]),))

    assert objects.one("ResourceFlavor", "train")["spec"] == {
        "nodeLabels": {"pool": "train"},
        "tolerations": [{"key": "gpu", "operator": "Equal", "value": "train", "effect": "NoSchedule"}],
    }


def test_a_pool_without_devices_is_no_flavor() -> None:
    assert kueue(pools=(pool("train"), NodePool(name="cpu"))).names("ResourceFlavor") == ["pods.anywhere", "train"]


def test_every_part_of_a_job_has_something_that_is_counted() -> None:
    objects = kueue()
    *_, last = objects.one("ClusterQueue", "language")["spec"]["resourceGroups"]

    assert last["coveredResources"] == ["pods"]
    assert [each["name"] for each in last["flavors"]] == ["pods.anywhere"]
    assert objects.one("ResourceFlavor", "pods.anywhere")["spec"] == {}


def test_pods_are_no_measure_of_who_used_least() -> None:
    made = configuration(kueue(usageHalfLifeHours=24))

    assert made["admissionFairSharing"]["resourceWeights"] == {"pods": 0}


def test_with_a_topology_devices_alone_are_counted() -> None:
    objects = kueue(pools=(pool("train", topology=["example.com/rack"]),))

    assert set(quotas(objects, "vision")) == {("train", "nvidia.com/gpu")}
    assert objects.names("ResourceFlavor") == ["train"]


def test_a_topology_comes_from_the_pool() -> None:
    objects = kueue(pools=(pool("train", topology=["example.com/rack", "kubernetes.io/hostname"]),))

    assert objects.one("ResourceFlavor")["spec"]["topologyName"] == "train"
    assert objects.one("Topology", "train")["spec"]["levels"] == [
        {"nodeLabel": "example.com/rack"},
        {"nodeLabel": "kubernetes.io/hostname"},
    ]


def test_where_one_pool_has_a_topology_all_have_one() -> None:
    objects = kueue(pools=(pool("train", topology=["example.com/rack"]), pool("spare")))

    assert objects.one("Topology", "spare")["spec"]["levels"] == [{"nodeLabel": "kubernetes.io/hostname"}]
    assert objects.one("ResourceFlavor", "spare")["spec"]["topologyName"] == "spare"
    assert kueue(pools=(pool("train"), pool("spare"))).of("Topology") == []


def test_queues_have_quotas_and_the_cohort_the_rest() -> None:
    objects = kueue()

    train = ("train", "nvidia.com/gpu")
    assert quotas(objects, "vision")[train] == {"nominalQuota": "12", "borrowingLimit": "4"}
    assert quotas(objects, "language")[train] == {"nominalQuota": "0"}
    (group,) = objects.one("Cohort", "teams")["spec"]["resourceGroups"]
    assert group["flavors"][0]["resources"] == [{"name": "nvidia.com/gpu", "nominalQuota": "4"}]


def below(most: dict[str, Any], **fields: Any) -> Objects:
    members = [{"name": "li@example.com", "quota": most}]
    vision = Team.from_file({"name": "vision", "queue": "vision", "members": members, **fields})
    return kueue((vision, TEAMS[1]), fairSharing=True, weights={"vision": 3, "team-vision-li": 2})


def test_a_member_s_queue_and_the_team_s_use_one_share_that_is_the_team_s() -> None:
    objects = below({"gpus": 2}, quota={"gpus": 4}, borrow={"gpus": 3})
    share = objects.one("Cohort", "vision-share")["spec"]
    (group,) = share["resourceGroups"]

    assert (share["parentName"], share["fairSharing"]) == ("teams", {"weight": "3"})
    assert group["flavors"][0]["resources"] == [{"name": "nvidia.com/gpu", "nominalQuota": "4", "borrowingLimit": "3"}]
    for name, limit, weight in (("vision", {}, None), ("team-vision-li", {"borrowingLimit": "2"}, "2")):
        spec = objects.one("ClusterQueue", name)["spec"]
        assert spec["cohortName"] == "vision-share"
        assert quotas(objects, name)["train", "nvidia.com/gpu"] == {"nominalQuota": "0", **limit}
        assert spec.get("fairSharing", {}).get("weight") == weight
    assert objects.one("ClusterQueue", "language")["spec"]["cohortName"] == "teams"
    assert [each["metadata"]["name"] for each in objects.of("Cohort")] == ["teams", "vision-share"]


def test_pools_with_a_device_in_common_are_in_one_group() -> None:
    mig = {"model": "h100-80gb", "perNode": 1, "mig": {"strategy": "mixed", "layout": {"1g.10gb": 4, "3g.40gb": 1}}}
    small = {"model": "h100-80gb", "perNode": 1, "mig": {"strategy": "mixed", "layout": {"1g.10gb": 7}}}
    objects = kueue(pools=(pool("small", gpu=small), pool("train"), pool("mixed", gpu=mig)))
    groups = objects.one("ClusterQueue", "vision")["spec"]["resourceGroups"][:-1]

    assert [[flavor["name"] for flavor in group["flavors"]] for group in groups] == [["train"], ["small", "mixed"]]
    assert groups[1]["coveredResources"] == ["nvidia.com/mig-1g.10gb", "nvidia.com/mig-3g.40gb"]


def test_a_queue_takes_the_namespaces_of_its_teams_alone() -> None:
    selector = kueue().one("ClusterQueue", "language")["spec"]["namespaceSelector"]

    assert selector["matchExpressions"][0]["values"] == ["team-speech"]


def test_jobs_that_name_no_queue_find_one_in_their_namespace() -> None:
    assert kueue().names("LocalQueue") == ["default", "default", "language", "vision"]
    assert kueue(manageJobsWithoutQueueName=False).names("LocalQueue") == ["language", "vision"]


def test_webhooks_look_at_jobs_of_teams_with_a_queue_alone() -> None:
    teams = (*TEAMS, Team.from_file({"name": "other"}))
    objects = kueue(teams)
    selector = hooks(objects, "Mutating")["mjob.kb.io"]["namespaceSelector"]

    assert selector["matchExpressions"] == [
        {"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["team-speech", "team-vision"]}
    ]
    assert configuration(objects)["managedJobsNamespaceSelector"] == selector
    assert hooks(objects, "Validating")["vworkload.kb.io"]["namespaceSelector"] == {}


def test_without_queues_the_platform_s_own_namespaces_are_spared() -> None:
    selector = hooks(kueue(()), "Mutating")["mjob.kb.io"]["namespaceSelector"]

    assert selector["matchExpressions"][0] == {
        "key": "kubernetes.io/metadata.name",
        "operator": "NotIn",
        "values": ["kube-system", "kueue-system"],
    }


def test_the_stack_s_operators_say_which_kinds_wait() -> None:
    facts = stack_of({"kueue": {}, "training-operator": {}}, teams=TEAMS)
    frameworks = configuration(built(Kueue, facts))["integrations"]["frameworks"]

    assert "kubeflow.org/pytorchjob" in frameworks
    assert "kubeflow.org/mpijob" not in frameworks  # that of mpi-operator alone
    assert configuration(kueue())["integrations"]["frameworks"] == ["batch/job"]


def test_mpijobs_wait_under_whatever_name_their_operator_runs() -> None:
    named = ComponentFact("0.8.2", "mpi", component="mpi-operator")
    facts = stack_of({"kueue": {}, "mpi-operator": {}}, teams=TEAMS).with_facts(components={"runner": named})

    assert "kubeflow.org/mpijob" in configuration(built(Kueue, facts))["integrations"]["frameworks"]


def test_trainjobs_and_the_jobsets_that_they_become_wait_where_their_operators_stand() -> None:
    facts = stack_of({"kueue": {}, "jobset": {}, "trainer": {}}, teams=TEAMS)
    objects = built(Kueue, facts)
    frameworks = configuration(objects)["integrations"]["frameworks"]

    assert {"trainer.kubeflow.org/trainjob", "jobset.x-k8s.io/jobset"} <= {*frameworks}
    assert {"mtrainjob.kb.io", "mjobset.kb.io"} <= hooks(objects, "Mutating").keys()


def test_only_kinds_that_wait_have_webhooks_and_rights() -> None:
    objects = kueue()
    rules = objects.rules("ClusterRole", "kueue-manager-role")

    assert [name for name in hooks(objects, "Mutating") if "job" in name] == ["mjob.kb.io"]
    assert not any("kubeflow.org" in rule["apiGroups"] for rule in rules)


def test_what_waits_pod_by_pod_turns_pods_on() -> None:
    frameworks = configuration(kueue(integrations=["statefulset"]))["integrations"]["frameworks"]

    assert frameworks == ["pod", "statefulset"]


def test_its_own_certificates_are_left_to_it() -> None:
    objects = kueue()
    drifting = {(drift.kind, drift.name): drift.pointers for drift in objects.build.drifts}

    assert drifting["Secret", "kueue-webhook-server-cert"] == ("/data",)
    assert drifting["CustomResourceDefinition", "workloads.kueue.x-k8s.io"] == (
        "/spec/conversion/webhook/clientConfig/caBundle",
    )
    assert objects.of("Certificate") == []


def test_cert_manager_may_make_all_three_certificates() -> None:
    objects = built(Kueue, stack_of({"kueue": {}, "cert-manager": {}}), certificates="cert-manager")
    mounts = {each["mountPath"] for each in objects.container("Deployment")["volumeMounts"]}

    assert configuration(objects)["internalCertManagement"] == {"enable": False}
    assert len(objects.of("Certificate")) == 3
    assert {"/visibility", "/etc/kueue/metrics/certs"} < mounts
    inject = "cert-manager.io/inject-ca-from"
    assert inject in objects.one("APIService", "v1beta2.visibility.kueue.x-k8s.io")["metadata"]["annotations"]
    assert inject in objects.one("CustomResourceDefinition", "workloads.kueue.x-k8s.io")["metadata"]["annotations"]
    assert not [rule for rule in objects.rules("ClusterRole", "kueue-manager-role") if "webhook" in str(rule)]


def test_crds_convert_where_the_webhook_is() -> None:
    crd = kueue(namespace="queues").one("CustomResourceDefinition", "workloads.kueue.x-k8s.io")
    service = crd["spec"]["conversion"]["webhook"]["clientConfig"]["service"]

    assert service["namespace"] == "queues"


def test_queues_come_after_the_webhooks_that_admit_them() -> None:
    objects = kueue()

    assert objects.part("ClusterQueue", "vision") == "after"
    assert objects.part("MutatingWebhookConfiguration") == "main"


def test_a_priority_may_be_one_of_pods_too() -> None:
    objects = kueue(priorities=[{"name": "high", "value": 10, "pods": True}, {"name": "low", "value": -1}])

    assert objects.names("WorkloadPriorityClass") == ["high", "low"]
    assert objects.one("PriorityClass")["value"] == 10
    assert objects.part("PriorityClass") == "classes"


def test_options_reach_the_file() -> None:
    made = configuration(
        kueue(
            fairSharing=True,
            usageHalfLifeHours=24,
            keepFinishedHours=1,
            visibility=False,
            podsReady={"timeoutSeconds": 60, "recoveryTimeoutSeconds": 0, "requeues": 3},
            transformations=[{"input": "a.b/c", "outputs": {"a.b/d": "2"}}],
        )
    )

    assert made["fairSharing"]["preemptionStrategies"] == ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]
    assert made["admissionFairSharing"]["usageHalfLifeTime"] == "24h"
    assert made["objectRetentionPolicies"] == {"workloads": {"afterFinished": "1h"}}
    assert made["featureGates"] == {"VisibilityOnDemand": False}
    assert made["waitForPodsReady"]["recoveryTimeout"] == "0s"
    assert made["waitForPodsReady"]["requeuingStrategy"] == {"backoffBaseSeconds": 60, "backoffLimitCount": 3}
    assert made["resources"]["transformations"] == [{"input": "a.b/c", "outputs": {"a.b/d": "2"}, "strategy": "Retain"}]


def test_without_its_api_nothing_of_visibility_is_left() -> None:
    objects = kueue(visibility=False)

    assert objects.of("APIService") == []
    assert "kueue-visibility-server" not in objects.names("Service")


def test_jobs_may_be_sent_to_other_clusters() -> None:
    objects = kueue(multiKueue={"workers": {"east": "cluster-east"}, "dispatcher": "incremental"})
    queue = objects.one("ClusterQueue", "vision")["spec"]

    assert queue["admissionChecksStrategy"] == {"admissionChecks": [{"name": "multikueue"}]}
    assert objects.one("MultiKueueConfig")["spec"]["clusters"] == ["east"]
    assert configuration(objects)["multiKueue"]["dispatcherName"] == "kueue.x-k8s.io/multikueue-dispatcher-incremental"


def test_weights_say_what_a_queue_gets_of_what_is_shared() -> None:
    objects = kueue(fairSharing=True, weights={"vision": 3})

    assert objects.one("ClusterQueue", "vision")["spec"]["fairSharing"] == {"weight": "3"}
    assert "fairSharing" not in objects.one("ClusterQueue", "language")["spec"]


def test_weights_without_fair_sharing_are_refused() -> None:
    with pytest.raises(ValidationError, match="say `fairSharing: true`"):
        KueueConfig.model_validate({"weights": {"vision": 3}})


def test_a_weight_names_a_queue_of_a_team() -> None:
    config = {"fairSharing": True, "weights": {"visoin": 2}}
    (problem,) = told(Kueue, config, teams=TEAMS, node_pools=(pool("train"),))

    assert "no team has the queue 'visoin'" in problem


def test_a_worker_cluster_has_an_account_for_jobs_that_are_sent_to_it() -> None:
    objects = kueue(workerAccount="multikueue", integrations=["batch/job", "sparkoperator.k8s.io/sparkapplication"])
    rules = objects.one("ClusterRole", "kueue-multikueue-role")["rules"]

    assert "multikueue" in objects.names("ServiceAccount")
    assert [rule["apiGroups"][0] for rule in rules] == ["kueue.x-k8s.io", "kueue.x-k8s.io", "batch", "batch"]
    assert "multikueue" not in kueue().names("ServiceAccount")


def test_pools_that_cannot_be_told_apart_are_refused() -> None:
    bare = NodePool.from_file({"name": "bare", "gpu": {"model": "a100-80gb", "perNode": 8}})

    (problem,) = told(Kueue, node_pools=(pool("train"), bare))
    assert "pool bare has no labels of its own, and train has the same devices" in problem
    assert told(Kueue, node_pools=(bare,)) == []


def test_a_topology_needs_labels() -> None:
    bare = NodePool.from_file({"name": "bare", "gpu": {"model": "t4", "perNode": 1}, "topology": ["example.com/rack"]})

    assert "pool bare has no labels of its own, which Kueue asks for" in told(Kueue, node_pools=(bare,))[0]


def test_others_learn_what_waits_and_how() -> None:
    (given,) = Kueue.offers(setting(Kueue, {"priorities": [{"name": "high", "value": 1}]})).capabilities

    assert given.plain()["label"] == "kueue.x-k8s.io/queue-name"
    assert given.plain()["priorities"] == ["high"]
    assert "PyTorchJob.kubeflow.org" in given.plain()["kinds"]  # type: ignore[operator]


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ({"priorities": [{"name": "a", "value": 1}, {"name": "a", "value": 2}]}, "two priorities are called 'a'"),
        ({"preemption": {"reclaim": "Never", "borrow": "LowerPriority"}}, "who never reclaims"),
        ({"transformations": [{"input": "a.b/c"}, {"input": "a.b/c"}]}, "counted as others twice"),
        ({"integrations": ["kubeflow.org/mxjob"]}, "integrations"),
    ],
)
def test_what_kueue_would_refuse_is_refused(config: dict[str, Any], text: str) -> None:
    with pytest.raises(ValidationError, match=text):
        KueueConfig.from_file(config)


def observed(teams: tuple[Team, ...] = (), **config: Any) -> Objects:
    readers = (Provision.of(Metrics(), "elsewhere"), Provision.of(DashboardReader(), "elsewhere"))
    return built(Kueue, platform(provisions=readers, teams=teams, node_pools=(pool("train"),)), **config)


def test_alerts_of_quotas_need_the_metrics_of_queues() -> None:
    def alerts(made: Objects) -> list[str]:
        return [each["alert"] for each in made.one("PrometheusRule")["spec"]["groups"][0]["rules"]]

    assert "KueueQuotaNearlyGone" in alerts(observed())
    assert "KueueQuotaNearlyGone" not in alerts(observed(queue_metrics=False))
    assert "nominal_quota" not in str(observed(queue_metrics=False).all)


def test_a_share_of_a_team_and_its_members_has_an_alert_of_its_own() -> None:
    members = [{"name": "li@example.com", "quota": {"gpus": 2}}]
    team = Team.from_file({"name": "vision", "queue": "vision", "quota": {"gpus": 4}, "members": members})
    (rule,) = (
        each
        for each in observed((team,)).one("PrometheusRule")["spec"]["groups"][0]["rules"]
        if each["alert"] == "KueueShareNearlyGone"
    )

    assert 'kueue_cohort_subtree_quota{cohort=~"vision-share"}' in rule["expr"]
    assert "KueueShareNearlyGone" not in str(observed().all)


def test_the_cohort_of_all_is_called_as_no_team_s_share() -> None:
    members = [{"name": "li@example.com", "quota": {"gpus": 2}}]
    team = Team.from_file({"name": "vision", "queue": "vision", "members": members})
    (found,) = told(Kueue, {"cohort": "vision-share"}, teams=(team,))

    assert "what vision and its members share is called vision-share too" in found
    assert told(Kueue, {"cohort": "vision"}, teams=(team,)) == []


def test_queues_of_teams_are_a_dashboard() -> None:
    assert "queues-kueue.json" in observed().one("ConfigMap", "kueue-dashboard-queues-kueue")["data"]


def test_metrics_are_read_from_their_service_alone() -> None:
    made = observed()
    chosen = made.one("ServiceMonitor")["spec"]["selector"]["matchLabels"].items()
    read = [each["metadata"]["name"] for each in made.of("Service") if chosen <= each["metadata"]["labels"].items()]

    assert read == ["kueue-controller-manager-metrics-service"]
