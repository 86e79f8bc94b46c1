"""Knative Serving: its domain in all that speaks of hosts, GPUs and claims allowed, the mirror, webhooks that fit Git."""

from __future__ import annotations

from typing import Any

import yaml

from platform_def.capabilities import AuthorizationService, Gateway, LocalGateway, Mesh, Serverless
from platform_def.components.serving.knative_serving.component import KnativeServing
from platform_def.config.capability import Provision
from platform_def.config.platform import Platform
from platform_def.config.teams import Team
from platform_def.constructs.component import Setting
from tests.unit.built import Objects, built, grants, platform

ISTIO = Gateway(
    api="istio",
    name="istio-ingressgateway",
    namespace="istio-system",
    service="istio-ingressgateway",
    pods={"istio": "ingressgateway"},
    host="ml.example.com",
)
LOCAL = LocalGateway(
    api="istio", name="cluster-local-gateway", namespace="istio-system", service="cluster-local-gateway"
)
MESH = Mesh(api="istio", root_namespace="istio-system")


def stack(*given: Any, **facts: Any) -> Platform:
    every = [MESH, LOCAL, *given]
    provisions = tuple(Provision.of(value, "gate" if isinstance(value, Gateway) else "x") for value in every)
    gateway = "gate" if any(isinstance(value, Gateway) for value in given) else "none"
    return platform(provisions=provisions, gateway=gateway, **facts)


def data(made: Objects, name: str) -> dict[str, str]:
    found: dict[str, str] = made.one("ConfigMap", name).get("data", {})
    return found


def given(at: Platform, **config: Any) -> Serverless:
    (found,) = KnativeServing.offers(
        Setting("knative-serving", KnativeServing.config_model().from_file(config), at)
    ).capabilities
    assert isinstance(found, Serverless)
    return found


def told(at: Platform, **config: Any) -> list[str]:
    setting = Setting("knative-serving", KnativeServing.config_model().from_file(config), at)
    return [str(each) for each in KnativeServing.problems(setting)]


def test_one_domain_is_in_its_settings_its_gateway_and_what_others_know() -> None:
    at = stack(ISTIO)
    made = built(KnativeServing, at, tls={"secret": "wildcard"})
    plain, secure = made.one("Gateway")["spec"]["servers"]

    assert data(made, "config-domain") == {"models.ml.example.com": ""}
    assert data(made, "config-network")["default-external-scheme"] == "https"
    assert plain["hosts"] == secure["hosts"] == ["*.models.ml.example.com"]
    assert plain["tls"] == {"httpsRedirect": True}
    assert secure["tls"]["credentialName"] == "wildcard"
    assert given(at, tls={"secret": "wildcard"}).domain == "models.ml.example.com"


def test_a_wildcard_certificate_covers_the_hosts_of_services() -> None:
    made = built(KnativeServing, stack(ISTIO))

    assert data(made, "config-network")["domain-template"] == "{{.Name}}-{{.Namespace}}.{{.Domain}}"


def test_without_a_gateway_pods_alone_reach_services() -> None:
    made = built(KnativeServing, stack())

    assert data(made, "config-domain") == {"svc.cluster.local": ""}
    assert yaml.safe_load(data(made, "config-istio")["external-gateways"]) == []
    assert made.names("Gateway") == []


def test_pods_reach_services_by_the_gateway_that_is_theirs_alone() -> None:
    at = stack(ISTIO)
    (local,) = yaml.safe_load(data(built(KnativeServing, at), "config-istio")["local-gateways"])

    assert local == {
        "name": "cluster-local-gateway",
        "namespace": "istio-system",
        "service": "cluster-local-gateway.istio-system.svc.cluster.local",
    }
    assert given(at).local_gateway == "istio-system/cluster-local-gateway"


def test_pods_may_name_gpus_nodes_and_claims() -> None:
    features = data(
        built(KnativeServing, stack(), features={"kubernetes.podspec-fieldref": "disabled"}), "config-features"
    )

    for name in ("tolerations", "affinity", "runtimeclassname", "persistent-volume-claim"):
        assert features[f"kubernetes.podspec-{name}"] == "enabled"
    assert features["kubernetes.podspec-fieldref"] == "disabled"


def test_the_mirror_is_never_asked_for_digests() -> None:
    at = stack(registry="mirror.example.com/all", mirrors={"quay.io": "quay.mirror.example.com"})
    deployment = data(built(KnativeServing, at, skipTagResolving=["own.example.com:5000"]), "config-deployment")

    skipped = deployment["registries-skipping-tag-resolving"].split(",")
    assert {"mirror.example.com", "quay.mirror.example.com", "own.example.com:5000", "ko.local"} <= set(skipped)
    assert deployment["queue-sidecar-image"].startswith("mirror.example.com/all/gcr.io/knative-releases/")


def test_docker_hub_is_left_alone_under_the_name_that_knative_compares() -> None:
    deployment = data(built(KnativeServing, stack(), skipTagResolving=["docker.io"]), "config-deployment")

    assert deployment["registries-skipping-tag-resolving"].split(",")[-1] == "index.docker.io"


def test_metrics_are_exported() -> None:
    observed = data(built(KnativeServing, stack()), "config-observability")

    assert observed == {"metrics-protocol": "prometheus", "request-metrics-protocol": "prometheus"}


def test_a_container_names_every_port_that_services_and_probes_lead_to() -> None:
    made = built(KnativeServing, stack())
    behind = {each["spec"]["selector"]["app.kubernetes.io/name"]: each["spec"]["ports"] for each in made.of("Service")}

    for deployment in made.of("Deployment"):
        (container,) = deployment["spec"]["template"]["spec"]["containers"]
        named = {each["name"]: each["containerPort"] for each in container["ports"]}
        asked = container["readinessProbe"]["httpGet"]["port"]
        wanted = {each["targetPort"] for each in behind[deployment["metadata"]["name"]]}

        assert wanted <= {*named.values()}
        assert asked in {*named, *named.values()}


def test_the_activator_ends_no_sooner_than_its_longest_request() -> None:
    made = built(KnativeServing, stack(), mostTimeoutSeconds=7200)

    assert made.pod("Deployment", "activator")["terminationGracePeriodSeconds"] == 7200
    assert data(made, "config-defaults")["max-revision-timeout-seconds"] == "7200"


def test_settings_from_git_do_not_wait_for_a_webhook() -> None:
    made = built(KnativeServing, stack())
    labels = [each["metadata"]["labels"] for each in made.of("ConfigMap")]

    assert len(labels) == 12
    assert not any("app.kubernetes.io/component" in each for each in labels)


def test_webhooks_look_at_knatives_own_kinds_until_they_write_more() -> None:
    made = built(KnativeServing, stack())
    hooks = [
        hook
        for kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
        for each in made.of(kind)
        for hook in each["webhooks"]
    ]

    assert len(hooks) == 5
    assert {group for hook in hooks for rule in hook.get("rules", []) for group in rule["apiGroups"]} == {
        "autoscaling.internal.knative.dev",
        "networking.internal.knative.dev",
        "serving.knative.dev",
    }
    assert all(hook.get("rules") or hook["objectSelector"] for hook in hooks)


def test_rights_on_cert_manager_come_with_it() -> None:
    alone = built(KnativeServing, stack()).rules("ClusterRole", "knative-serving-core")
    there = frozenset({"Certificate.cert-manager.io"})
    beside = built(KnativeServing, stack(apis=there)).rules("ClusterRole", "knative-serving-core")

    assert grants(alone, "cert-manager.io", "certificates") == set()
    assert "create" in grants(beside, "cert-manager.io", "certificates")


def test_people_are_asked_for_where_the_stack_can() -> None:
    service = AuthorizationService(name="oauth2-proxy", host="oauth2-proxy.auth.svc.cluster.local", port=4180)

    policy = built(KnativeServing, stack(ISTIO, service)).one("AuthorizationPolicy")

    assert policy["metadata"]["namespace"] == "istio-system"
    assert policy["spec"]["provider"] == {"name": "oauth2-proxy"}
    assert built(KnativeServing, stack(ISTIO)).names("AuthorizationPolicy") == []


def test_a_gateway_that_is_not_istios_is_refused() -> None:
    emissary = Gateway(api="emissary", name="default", namespace="emissary", host="ml.example.com")

    assert any("net-istio" in each for each in told(stack(emissary)))
    assert told(stack(emissary), access="cluster") == []


def test_teams_in_a_strict_mesh_are_refused() -> None:
    mesh = Mesh(api="istio", root_namespace="istio-system", strict=True, namespaces=("team-vision",))
    provisions = (Provision.of(mesh, "istio"), Provision.of(LOCAL, "x"))
    at = platform(provisions=provisions, teams=(Team(name="vision"), Team(name="speech")))

    assert ["team-vision" in each for each in told(at)] == [True]


def test_two_of_each_program_run_where_the_stack_is_highly_available() -> None:
    made = built(KnativeServing, stack(availability="ha"))

    assert {each["spec"]["replicas"] for each in made.of("Deployment")} == {2}
    assert len(made.of("PodDisruptionBudget")) == 6
