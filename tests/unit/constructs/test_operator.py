"""An operator, and the pieces that it is made of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, cast

import pytest

from platform_def.apis.core.core_v1 import Container, PodSpec
from platform_def.capabilities import Metrics
from platform_def.config.capability import Provision
from platform_def.config.platform import ComponentFact, Platform
from platform_def.constructs import (
    AccountNames,
    AdmissionServer,
    Component,
    ComponentConfig,
    Health,
    Hook,
    ImageFacts,
    LeaderElection,
    MetricsEndpoint,
    Operator,
    PodSettings,
    allow,
    from_everywhere,
    port,
    rule,
)
from platform_def.constructs.aggregated_api import AggregatedApi
from platform_def.constructs.endpoints import MountedCertificate
from platform_def.constructs.volumes import mounted
from tests.unit.built import Objects, built

WHAT: dict[str, Any] = {}
"""What the operator of the test is given."""


class Greeter(Component[ComponentConfig]):
    """A component with one operator."""

    slug = "greeter"

    def build(self) -> None:
        """The operator as the test wants it."""
        container = cast(Container, {"name": "manager", "image": "example.com/greeter:1", **WHAT.get("container", {})})
        options = {key: value for key, value in WHAT.items() if key != "container"}
        self.operator = Operator(self, "greeter", container=container, **options)


def operator(
    platform: Platform | None = None, *, name: str = "", config: dict[str, Any] | None = None, **what: Any
) -> Objects:
    WHAT.clear()
    WHAT.update(what)
    return built(Greeter, platform, name=name, **(config or {}))


ELECTION = LeaderElection(lease="greeter.example.com")
HOOK = Hook(name="greetings.example.com", path="/validate", rules=[rule("example.com", "v1", "greetings", "CREATE")])


def test_one_pod_runs_under_an_account_with_the_rights_asked_for() -> None:
    made = operator(rules=[allow("", "pods", verbs="get")], own_rules=[allow("", "secrets", verbs="get")])

    assert made.pod("Deployment")["serviceAccountName"] == "greeter"
    assert made.rules("ClusterRole")[0]["resources"] == ["pods"]
    assert made.rules("Role")[0]["resources"] == ["secrets"]
    assert made.one("Deployment")["spec"]["replicas"] == 1
    assert made.names("Service") == []


def test_its_account_may_bear_the_name_that_others_know() -> None:
    made = operator(
        names=AccountNames(account="greeter-account", role="greeter-role"), rules=[allow("", "pods", verbs="get")]
    )

    assert made.pod("Deployment")["serviceAccountName"] == "greeter-account"
    assert made.one("ClusterRoleBinding", "greeter-role")["subjects"][0]["name"] == "greeter-account"
    assert made.names("ServiceAccount") == ["greeter-account"]


def test_an_older_library_locks_a_config_map_beside_the_lease() -> None:
    both = LeaderElection(lease="greeter.example.com", config_map=True)
    rules = operator(leader_election=both, config={"availability": "ha"}).rules("Role", "greeter-leader-election")
    plain = operator(leader_election=ELECTION, config={"availability": "ha"}).rules("Role", "greeter-leader-election")

    locks = [each for each in rules if "configmaps" in each["resources"]]
    assert [(each["verbs"], each.get("resourceNames")) for each in locks] == [
        (["create"], None),
        (["get", "patch", "update"], ["greeter.example.com"]),
    ]
    assert [each for each in plain if "configmaps" in each["resources"]] == []


def test_several_pods_elect_a_leader_by_a_lease_that_they_may_change() -> None:
    made = operator(leader_election=ELECTION, config={"availability": "ha"})

    assert made.one("Deployment")["spec"]["replicas"] == 2
    assert made.arguments("Deployment") == ["--leader-elect"]
    leases = [rule for rule in made.rules("Role", "greeter-leader-election") if "leases" in rule["resources"]]
    assert [(each["verbs"], each.get("resourceNames")) for each in leases] == [
        (["create"], None),
        (["get", "patch", "update"], ["greeter.example.com"]),
    ]
    assert made.names("PodDisruptionBudget") == ["greeter"]


def test_an_autoscaler_that_may_add_pods_turns_leader_election_on() -> None:
    scaled = {"greeter": {"autoscale": {"min": 1, "max": 3, "cpu": 80}}}
    made = operator(leader_election=ELECTION, config={"workloads": scaled})

    assert made.arguments("Deployment") == ["--leader-elect"]
    assert "replicas" not in made.one("Deployment")["spec"]


def test_one_pod_elects_nobody_unless_its_program_always_does() -> None:
    always = LeaderElection(flag="", lease="greeter", always=True, role="greeter-leases")

    assert operator(leader_election=ELECTION).names("Role") == []
    assert operator(leader_election=always).names("Role") == ["greeter-leases"]
    assert operator(leader_election=always, config={"availability": "ha"}).arguments("Deployment") == []


def test_without_leader_election_availability_adds_no_pod() -> None:
    made = operator(config={"availability": "ha"})

    assert made.one("Deployment")["spec"]["replicas"] == 1


def test_what_the_container_says_itself_is_kept() -> None:
    probe = {"httpGet": {"path": "/alive", "port": 1}}
    made = operator(container={"livenessProbe": probe, "resources": {}}, health=Health(port=8081))

    container = made.container("Deployment")
    assert container["livenessProbe"] == probe
    assert container["readinessProbe"]["httpGet"] == {"path": "/readyz", "port": 8081}
    assert container["resources"] == {}


def test_a_container_that_says_nothing_requests_memory_and_is_closed_by_facts_of_its_image() -> None:
    facts = ImageFacts(source="its Dockerfile", user=65532, read_only=True)
    container = operator(facts=facts).container("Deployment")

    assert container["resources"]["requests"]["memory"]
    assert container["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert "securityContext" not in operator().container("Deployment")


def test_metrics_have_a_port_a_service_and_a_monitor_that_prometheus_finds() -> None:
    prometheus = Provision.of(Metrics(labels={"release": "prometheus"}), "external")
    made = operator(Platform(provisions=(prometheus,)), metrics=8080)

    assert made.container("Deployment")["ports"] == [{"name": "metrics", "containerPort": 8080, "protocol": "TCP"}]
    assert made.one("Service")["spec"]["ports"][0]["port"] == 8080
    monitor = made.one("ServiceMonitor")
    assert monitor["metadata"]["labels"]["release"] == "prometheus"
    assert monitor["spec"]["selector"]["matchLabels"].items() <= made.one("Service")["metadata"]["labels"].items()
    assert operator(metrics=8080).names("ServiceMonitor") == []


def test_a_webhook_with_a_certificate_of_its_own_waits_in_an_empty_secret() -> None:
    made = operator(webhook=AdmissionServer(validating=[HOOK], secret="greeter-cert"))

    assert made.one("Secret")["type"] == "Opaque"
    assert "data" not in made.one("Secret")
    assert {drift.kind for drift in made.build.drifts} == {"Secret", "ValidatingWebhookConfiguration"}
    assert made.pod("Deployment")["volumes"][0]["secret"]["secretName"] == "greeter-cert"
    client = made.one("ValidatingWebhookConfiguration")["webhooks"][0]["clientConfig"]
    assert client["service"] == {"name": "greeter", "namespace": "platform-system", "port": 443, "path": "/validate"}
    assert made.one("Service")["spec"]["ports"] == [
        {"name": "webhook", "port": 443, "targetPort": 9443, "protocol": "TCP"}
    ]


def test_a_webhook_with_a_certificate_of_cert_manager_has_no_secret_of_ours() -> None:
    server = AdmissionServer(mutating=[HOOK], secret="greeter-cert", trust="cert-manager", configuration="greetings")
    made = operator(webhook=server)

    assert made.names("Secret") == []
    assert made.one("Certificate")["spec"]["secretName"] == "greeter-cert"
    annotations = made.one("MutatingWebhookConfiguration", "greetings")["metadata"]["annotations"]
    assert annotations["cert-manager.io/inject-ca-from"] == "platform-system/greeter-serving"


def test_policies_open_metrics_to_the_cluster_and_the_webhook_to_the_api_server() -> None:
    server = AdmissionServer(validating=[HOOK], secret="greeter-cert")
    closed = operator(Platform(network_policies=True), metrics=8080, webhook=server)

    assert closed.one("NetworkPolicy")["spec"]["ingress"] == [
        {"from": [{"namespaceSelector": {}}], "ports": [{"port": 8080, "protocol": "TCP"}]},
        {"ports": [{"port": 9443, "protocol": "TCP"}]},
    ]
    assert operator(metrics=8080, webhook=server).names("NetworkPolicy") == []


def test_policies_of_a_pod_in_the_mesh_let_its_proxy_be_read() -> None:
    def opened(mesh: Literal["in", "out"]) -> list[int]:
        made = operator(Platform(network_policies=True), metrics=8080, pod=PodSettings(mesh=mesh))
        return [each["port"] for rule in made.one("NetworkPolicy")["spec"]["ingress"] for each in rule["ports"]]

    assert (opened("in"), opened("out")) == ([8080, 15090], [8080])


def test_pods_stay_out_of_a_mesh_unless_they_belong_into_it() -> None:
    def marks(made: Objects) -> dict[str, Any]:
        metadata = made.one("Deployment")["spec"]["template"]["metadata"]
        both = {**metadata["labels"], **metadata.get("annotations", {})}
        return {key: value for key, value in both.items() if key.startswith("sidecar.")}

    assert marks(operator()) == {"sidecar.istio.io/inject": "false"}
    assert marks(operator(pod=PodSettings(mesh="in"))) == {"sidecar.istio.io/inject": "true"}
    assert marks(operator(pod=PodSettings(mesh="namespace"))) == {}


def test_a_second_instance_has_names_of_its_own_everywhere() -> None:
    both = {name: ComponentFact("", "platform-system", component="greeter") for name in ("greeter", "greeter-b")}
    server = AdmissionServer(validating=[HOOK], secret="greeter-cert")
    what: dict[str, Any] = {"rules": [allow("", "pods", verbs="get")], "webhook": server, "metrics": 8080}
    first, second = (operator(Platform(components=both), name=name, **what) for name in both)

    ours = {(each["kind"], each["metadata"]["name"]) for each in first.all}
    assert not ours & {(each["kind"], each["metadata"]["name"]) for each in second.all}
    assert second.one("Deployment", "greeter-b")["spec"]["selector"]["matchLabels"] == {
        "app.kubernetes.io/name": "greeter-b",
        "app.kubernetes.io/instance": "greeter-b",
    }
    assert second.pod("Deployment")["volumes"][0]["secret"]["secretName"] == "greeter-b-cert"


def test_a_stack_changes_the_workload_by_its_role_in_every_instance() -> None:
    chosen = {"greeter": {"containers": {"manager": {"flags": {"verbose": ""}}}}}

    assert operator(name="greeter-b", config={"workloads": chosen}).arguments("Deployment") == ["--verbose"]


def test_an_operator_writes_its_certificate_itself_where_nobody_says_otherwise() -> None:
    server = AdmissionServer(secret="certificate")

    assert (server.trust, server.port["port"], server.port["targetPort"]) == ("own", 443, 9443)


METRICS = MetricsEndpoint(port=port("metrics", 8080), service="greeter-doors", protected=False)
API = AggregatedApi(
    group="greetings.example.com", versions=("v1", "v2"), port=port("https", 443, 6443), binding="reader"
)


def test_servers_that_name_one_service_share_it() -> None:
    hook = AdmissionServer(validating=[HOOK], secret="cert", port=port("https", 443, 9443), service="greeter-doors")
    made = operator(metrics=METRICS, webhook=hook, ports=[port("grpc", 9666)])

    ports = {each["metadata"]["name"]: [p["name"] for p in each["spec"]["ports"]] for each in made.of("Service")}
    assert ports == {"greeter": ["grpc"], "greeter-doors": ["https", "metrics"]}
    numbers = [each["containerPort"] for each in made.container("Deployment")["ports"]]
    assert numbers == [9666, 8080, 9443]


def test_what_the_api_server_calls_is_open_to_all_and_ports_to_those_who_are_named() -> None:
    hook = AdmissionServer(validating=[HOOK], secret="cert")
    chosen = [from_everywhere(53)]
    made = operator(
        Platform(network_policies=True),
        metrics=8080,
        ports=[port("grpc", 9666)],
        openings=chosen,
        webhook=hook,
        api=API,
    )

    ingress = made.one("NetworkPolicy")["spec"]["ingress"]
    assert [[each["port"] for each in rule["ports"]] for rule in ingress] == [[8080], [53], [9443, 6443]]


def test_an_api_of_its_own_is_registered_in_each_version_and_knows_who_asks() -> None:
    made = operator(api=API)

    assert made.names("APIService") == ["v1.greetings.example.com", "v2.greetings.example.com"]
    spec = made.one("APIService", "v1.greetings.example.com")["spec"]
    assert (spec["service"]["name"], spec["insecureSkipTLSVerify"]) == ("greeter", True)
    assert (spec["groupPriorityMinimum"], spec["versionPriority"]) == (100, 100)
    assert made.one("RoleBinding", "reader")["metadata"]["namespace"] == "kube-system"
    assert made.part("APIService", "v1.greetings.example.com") == "after"
    assert made.build.drifts == ()


def test_an_api_whose_program_writes_its_authority_is_verified_and_that_field_is_the_cluster_s() -> None:
    made = operator(api=replace(API, writes_ca=True, service="greeter-api"))

    spec = made.one("APIService", "v1.greetings.example.com")["spec"]
    assert "insecureSkipTLSVerify" not in spec
    assert spec["service"]["name"] == "greeter-api"
    drift = made.build.drifts[0]
    assert (drift.api_version, drift.kind, drift.pointers) == (
        "apiregistration.k8s.io/v1",
        "APIService",
        ("/spec/caBundle",),
    )


@pytest.mark.parametrize("signed", [True, False])
def test_a_certificate_of_the_api_s_own_is_mounted_or_made_in_an_empty_folder(signed: bool) -> None:
    certificate = MountedCertificate(name="api-cert", secret="api-keys", folder="/api", volume="api", signed=signed)
    made = operator(api=replace(API, certificate=certificate))
    (volume,), (mount,) = made.pod("Deployment")["volumes"], made.container("Deployment")["volumeMounts"]

    spec, note = (made.one("APIService", "v2.greetings.example.com")[key] for key in ("spec", "metadata"))
    if signed:
        assert volume == {"name": "api", "secret": {"secretName": "api-keys", "defaultMode": 0o644}}
        assert mount == {"name": "api", "mountPath": "/api", "readOnly": True}
        assert note["annotations"] == {"cert-manager.io/inject-ca-from": "platform-system/api-cert"}
        assert made.one("Certificate", "api-cert")["spec"]["dnsNames"][0] == "greeter.platform-system.svc"
    else:
        assert (volume, mount) == ({"name": "api", "emptyDir": {}}, {"name": "api", "mountPath": "/api"})
        assert "annotations" not in note
        assert spec["insecureSkipTLSVerify"] is True
        assert made.names("Certificate") == []


@pytest.mark.parametrize("ca_from", ["", "cert-manager.io/inject-ca-from=greeter/shared"])
def test_a_certificate_that_another_program_makes_is_only_mounted(ca_from: str) -> None:
    hook = AdmissionServer(validating=[HOOK], secret="shared", trust="given", ca_from=ca_from, folder="/keys")
    made = operator(webhook=hook)

    assert made.names("Secret") == made.names("Certificate") == []
    (mount,) = made.container("Deployment")["volumeMounts"]
    assert mount == {"name": "cert", "mountPath": "/keys", "readOnly": True}
    found = made.one("ValidatingWebhookConfiguration")["metadata"].get("annotations")
    assert found == ({"cert-manager.io/inject-ca-from": "greeter/shared"} if ca_from else None)


@pytest.mark.parametrize(
    ("protected", "https", "scheme", "token"),
    [(True, None, "https", True), (False, None, None, False), (False, True, "https", False), (True, False, None, True)],
)
def test_metrics_are_asked_for_as_they_are_served(
    protected: bool, https: bool | None, scheme: str | None, token: bool
) -> None:
    endpoint = MetricsEndpoint(port=port("metrics", 8443), protected=protected, https=https)
    made = operator(Platform(apis=frozenset({"ServiceMonitor.monitoring.coreos.com"})), metrics=endpoint)

    (asked,) = made.one("ServiceMonitor")["spec"]["endpoints"]
    assert (asked["scheme"], "bearerTokenFile" in asked) == (scheme or "http", token)
    assert bool(made.names("ClusterRole")) is protected


def test_volumes_are_mounted_after_those_of_the_container() -> None:
    own = {"volumeMounts": [{"name": "own", "mountPath": "/own"}]}
    made = operator(
        container=own,
        pod=PodSettings(cast(PodSpec, {"volumes": [{"name": "own", "emptyDir": {}}]})),
        mounted=[
            mounted("keys", "/keys", secret="keys", optional=True),
            mounted("rules", "/rules.yaml", config_map="rules", file="rules.yaml"),
            mounted("work", "/work"),
        ],
    )

    assert made.pod("Deployment")["volumes"] == [
        {"name": "own", "emptyDir": {}},
        {"name": "keys", "secret": {"secretName": "keys", "defaultMode": 0o644, "optional": True}},
        {"name": "rules", "configMap": {"name": "rules"}},
        {"name": "work", "emptyDir": {}},
    ]
    assert made.container("Deployment")["volumeMounts"] == [
        {"name": "own", "mountPath": "/own"},
        {"name": "keys", "mountPath": "/keys", "readOnly": True},
        {"name": "rules", "mountPath": "/rules.yaml", "subPath": "rules.yaml", "readOnly": True},
        {"name": "work", "mountPath": "/work"},
    ]
