"""Argo CD: which programs run, what they are told, what they may do, and who reaches them."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.capabilities import AuthorizationService, Gateway, GatewayPath, WebLink
from platform_def.components.delivery.argo_cd.component import ArgoCd
from platform_def.components.delivery.argo_cd.parameters import variables
from platform_def.components.delivery.argo_cd.settings import PART_OF, address
from platform_def.components.delivery.argo_cd.words import ENGINE
from platform_def.config.capability import Provision
from platform_def.config.cluster import Ingress, Tls
from platform_def.config.platform import Platform
from platform_def.constructs import ConfigError
from platform_def.yaml import load
from tests.unit.built import built, grants, platform, setting, told

CONTROLLER, SERVER, REPO_SERVER, SETS, NOTIFICATIONS, REDIS = (
    f"argocd-{name}"
    for name in (
        "application-controller",
        "server",
        "repo-server",
        "applicationset-controller",
        "notifications-controller",
        "redis",
    )
)
INGRESS = Ingress(kind="cloud", host="platform.example.com", tls=Tls(secret="platform-tls"))
ISSUER = "https://id.example.com"
RELEASES = ("3.6.1", "3.5.8", "3.4.14")
AT_GATEWAY: dict[str, Any] = {"access": "everyone"}


def data(config_map: str, **config: Any) -> dict[str, str]:
    found: dict[str, str] = built(ArgoCd, **config).one("ConfigMap", config_map).get("data", {})
    return found


def environment(name: str, kind: str = "Deployment", **config: Any) -> dict[str, Any]:
    return {each["name"]: each for each in built(ArgoCd, **config).container(kind, name)["env"]}


def test_four_programs_run_and_two_more_by_choice() -> None:
    few = [SERVER, REPO_SERVER, REDIS]

    assert built(ArgoCd, applicationSets=False).names("Deployment") == sorted(few)
    assert built(ArgoCd).names("Deployment") == sorted([*few, SETS])
    assert built(ArgoCd, notifications=True).names("Deployment") == sorted([*few, SETS, NOTIFICATIONS])
    assert built(ArgoCd).names("StatefulSet") == [CONTROLLER]


def test_nothing_of_it_runs_dex() -> None:
    assert [each for each in built(ArgoCd, notifications=True).all if "dex" in each["metadata"]["name"]] == []


@pytest.mark.parametrize("release", RELEASES)
def test_all_programs_are_of_one_image(release: str) -> None:
    objects = built(ArgoCd, release=release)

    for name in (SERVER, REPO_SERVER, SETS):
        assert objects.container("Deployment", name)["image"] == f"quay.io/argoproj/argocd:v{release}"
    assert objects.pod("Deployment", REDIS)["initContainers"][0]["image"] == f"quay.io/argoproj/argocd:v{release}"


def test_an_older_release_has_fewer_parameters_and_no_certificates_of_callers() -> None:
    older, newer = (environment(CONTROLLER, "StatefulSet", release=each) for each in ("3.4.14", "3.5.8"))
    mounts = [
        each["mountPath"] for each in built(ArgoCd, release="3.4.14").container("Deployment", SERVER)["volumeMounts"]
    ]

    assert older.keys() < newer.keys()
    assert "ARGOCD_APPLICATION_CONTROLLER_HYDRATION_PROCESSORS" in newer.keys() - older.keys()
    assert "ARGOCD_K8S_CLIENT_QPS" in older
    assert "/app/config/reposerver/mtls" not in mounts
    volumes = [
        [each["name"] for each in built(ArgoCd, release=release).pod("Deployment", REPO_SERVER)["volumes"]]
        for release in ("3.4.14", "3.5.8")
    ]
    assert {*volumes[1]} - {*volumes[0]} == {"argocd-repo-server-mtls"}


def test_definitions_are_those_of_the_release() -> None:
    def kind(plural: str, release: str) -> str:
        name = f"{plural}.argoproj.io"
        return str(built(ArgoCd, release=release).one("CustomResourceDefinition", name))

    applications, sets = ([kind(each, release) for release in RELEASES] for each in ("applications", "applicationsets"))
    assert ["tagPrefix" in each for each in applications] == [True, True, False]
    assert ["disableExtensionFilter" in each for each in applications] == [True, False, False]
    assert ["disableExtensionFilter" in each for each in sets] == [True, False, False]
    assert ["'oci': {" in each for each in sets] == [True, False, False]


def test_parameters_that_3_6_added_are_no_older_releases() -> None:
    added = {
        name: environment(name, kind, release="3.6.1").keys() - environment(name, kind, release="3.5.8").keys()
        for name, kind in ((CONTROLLER, "StatefulSet"), (SERVER, "Deployment"), (REPO_SERVER, "Deployment"))
    }
    redis = {"ARGOCD_REDIS_KEY_PREFIX", "REDIS_SENTINEL_HOSTS", "REDIS_SENTINEL_MASTER"}

    assert [each for each, names in added.items() if not redis < names] == []
    assert "ARGOCD_TLS_CURVE_PREFERENCES" in added[SERVER] & added[REPO_SERVER]
    assert environment(SETS, release="3.6.1").keys() - environment(SETS, release="3.5.8").keys() == {
        f"ARGOCD_APPLICATIONSET_CONTROLLER_WORKQUEUE_{each}"
        for each in (
            "BACKOFF_FACTOR",
            "BASE_DELAY_NS",
            "BUCKET_QPS",
            "BUCKET_SIZE",
            "FAILURE_COOLDOWN_NS",
            "MAX_DELAY_NS",
        )
    }


def test_the_release_by_default_is_the_newest_whose_order_was_seen() -> None:
    assert ArgoCd.config_model().releases[0].version == ENGINE.proven[0]


def test_the_certificate_of_a_collector_is_found_since_3_6() -> None:
    def mounted(release: str) -> bool:
        mounts = built(ArgoCd, release=release).container("StatefulSet", CONTROLLER)["volumeMounts"]
        return {"name": "argocd-tls-certs-cm", "mountPath": "/app/config/tls"} in mounts

    assert [mounted(each) for each in RELEASES] == [True, False, False]


def test_the_server_may_make_what_blocks_the_deletion_of_its_owner_since_3_6() -> None:
    rules = [built(ArgoCd, release=each).rules("ClusterRole", SERVER) for each in RELEASES]

    assert [grants(each, "*", "*/finalizers") for each in rules] == [{"update"}, set(), set()]


def test_the_time_of_a_request_is_no_reason_to_look_again() -> None:
    key = "resource.customizations.ignoreResourceUpdates.argoproj.io_Application"
    ignored = [data("argocd-cm", release=each)[key] for each in RELEASES]

    assert ["argocd.argoproj.io/refresh-timestamp" in each for each in ignored] == [True, False, False]
    assert all('argocd.argoproj.io/refresh"' in each for each in ignored)


@pytest.mark.parametrize(
    ("release", "redis"), [("3.6.1", "8.10.1"), ("3.6.2", "8.10.1"), ("3.5.8", "8.2.3"), ("3.4.14", "8.2.3")]
)
def test_redis_is_of_the_release_that_upstream_ships(release: str, redis: str) -> None:
    image = built(ArgoCd, release=release).container("Deployment", REDIS)["image"]

    assert image == f"public.ecr.aws/docker/library/redis:{redis}-alpine"


def test_a_variable_is_a_key_of_the_parameters_or_of_the_settings() -> None:
    found = variables({"A": "a.b", "B": "argocd-cm/c"})

    assert found["A"]["configMapKeyRef"] == {"name": "argocd-cmd-params-cm", "key": "a.b", "optional": True}
    assert found["B"]["configMapKeyRef"] == {"name": "argocd-cm", "key": "c", "optional": True}


def test_no_secret_has_content_and_what_the_server_writes_is_its_own() -> None:
    objects = built(ArgoCd, notifications=True)

    assert objects.names("Secret") == ["argocd-notifications-secret", "argocd-secret"]
    assert [each for each in objects.of("Secret") if "data" in each or "stringData" in each] == []
    assert {(each.name, each.pointers) for each in objects.build.drifts} == {
        ("argocd-secret", ("/data",)),
        ("argocd-notifications-secret", ("/data",)),
    }


def test_redis_has_a_password_that_its_own_account_makes() -> None:
    objects = built(ArgoCd)
    [maker] = objects.pod("Deployment", REDIS)["initContainers"]

    assert maker["command"] == ["argocd", "admin", "redis-initial-password"]
    assert grants(objects.rules("Role", REDIS), "", "secrets") == {"create", "get"}
    assert [each.name for each in objects.build.makes] == ["argocd-redis"]
    for kind, name in (("Deployment", SERVER), ("Deployment", REPO_SERVER), ("StatefulSet", CONTROLLER)):
        source = environment(name, kind)["REDIS_PASSWORD"]["valueFrom"]
        assert source == {"secretKeyRef": {"name": "argocd-redis", "key": "auth"}}


def test_only_what_applies_has_every_right() -> None:
    objects = built(ArgoCd, notifications=True)
    bound = {each["subjects"][0]["name"]: each["roleRef"]["name"] for each in objects.of("ClusterRoleBinding")}

    assert bound == {CONTROLLER: "cluster-admin", SERVER: SERVER, SETS: SETS}
    assert grants(objects.rules("ClusterRole", SERVER), "argoproj.io", "applications") == {"get", "list", "watch"}
    assert "create" in grants(objects.rules("Role", SERVER), "argoproj.io", "applications")
    assert grants(objects.rules("ClusterRole", SETS), "", "secrets") == {"get", "list", "watch"}
    assert objects.pod("Deployment", REPO_SERVER)["automountServiceAccountToken"] is False


def test_everything_that_it_reads_is_labelled_as_a_part_of_it() -> None:
    objects = built(ArgoCd, notifications=True)
    read = [*objects.of("ConfigMap"), *objects.of("Secret")]

    assert {each["metadata"]["labels"]["app.kubernetes.io/part-of"] for each in read} == {"argocd"}


def test_what_is_not_said_leaves_no_empty_map() -> None:
    empty = [each["metadata"]["name"] for each in built(ArgoCd).of("ConfigMap") if "data" not in each]

    assert "argocd-cmd-params-cm" in empty
    assert [each for each in built(ArgoCd).of("ConfigMap") if each.get("data") == {}] == []


def test_what_comes_and_goes_is_not_watched() -> None:
    exclusions = load(data("argocd-cm")["resource.exclusions"].encode())

    assert {"apiGroups": ["coordination.k8s.io"], "kinds": ["Lease"]} in exclusions  # type: ignore[operator]
    assert load(data("argocd-cm")["resource.customizations.ignoreResourceUpdates.all"].encode()) == {
        "jsonPointers": ["/status"]
    }


def test_settings_and_parameters_of_the_stack_win_and_restart_what_reads_them_once() -> None:
    said: dict[str, Any] = {
        "settings": {"timeout.reconciliation": "60s"},
        "parameters": {"reposerver.parallelism.limit": "4"},
    }
    note = "platform-def.dev/configuration"

    assert data("argocd-cm", **said)["timeout.reconciliation"] == "60s"
    assert data("argocd-cmd-params-cm", **said) == {"reposerver.parallelism.limit": "4"}
    choices: list[dict[str, Any]] = [
        {},
        said,
        {"settings": said["settings"]},
        {"settings": {"kustomize.buildOptions": "--x"}},
    ]
    annotations = [
        built(ArgoCd, **config).one("Deployment", REPO_SERVER)["spec"]["template"]["metadata"]["annotations"]
        for config in choices
    ]
    assert len({each.get(note) for each in annotations[:3]}) == 3
    assert note not in annotations[3]


@pytest.mark.parametrize("key", ["url", "oidc.config", "admin.enabled"])
def test_what_has_a_knob_is_said_there(key: str) -> None:
    with pytest.raises(ValueError, match="settings: say"):
        built(ArgoCd, settings={key: "x"})


def test_keys_of_hosts_and_signers_are_those_of_the_stack() -> None:
    assert data("argocd-ssh-known-hosts-cm", knownHosts=["a ssh-ed25519 A", "b ssh-ed25519 B"]) == {
        "ssh_known_hosts": "a ssh-ed25519 A\nb ssh-ed25519 B\n"
    }
    assert data("argocd-tls-certs-cm", certificates={"git.example.com": "PEM"}) == {"git.example.com": "PEM"}
    assert data("argocd-gpg-keys-cm", gpgKeys={"4AEE18F83AFDEB23": "KEY"}) == {"4AEE18F83AFDEB23": "KEY"}
    assert data("argocd-ssh-known-hosts-cm") == {}


def test_who_may_do_what_is_the_stacks_own_policy() -> None:
    assert data("argocd-rbac-cm") == {}
    assert data("argocd-rbac-cm", policy="g, team, role:admin", defaultRole="role:readonly") == {
        "policy.csv": "g, team, role:admin",
        "policy.default": "role:readonly",
    }


def test_pages_are_for_a_port_forward_and_encrypted_unless_the_gateway_leads_there() -> None:
    assert "server.insecure" not in data("argocd-cmd-params-cm")
    assert data("argocd-cmd-params-cm", **AT_GATEWAY) == {"server.insecure": "true", "server.rootpath": "/argocd"}


def test_a_dashboard_links_to_pages_that_have_a_route() -> None:
    def links(config: dict[str, Any]) -> list[str]:
        offered = ArgoCd.offered(setting(ArgoCd, config, gateway="emissary")).capabilities
        return [each.path for each in offered if isinstance(each, WebLink)]

    assert links(AT_GATEWAY) == ["/argocd/"]
    assert links({}) == []


def routes(**config: Any) -> dict[str, Any]:
    """What Argo CD is reached by at a gateway of Istio's that asks for a login."""
    given = (
        ("door", Gateway(api="istio", name="door", namespace="doors")),
        ("who", AuthorizationService(name="who", host="who.auth.svc.cluster.local", port=4180)),
        ("argo-cd", GatewayPath(path="/argocd/api/webhook", access="public")),
    )
    provisions = tuple(Provision.of(each, by) for by, each in given)
    made = built(ArgoCd, Platform(gateway="door", ingress=INGRESS, provisions=provisions), **AT_GATEWAY, **config)
    kinds = ("VirtualService", "AuthorizationPolicy")
    return {each["metadata"]["name"]: each["spec"] for each in made.all if each["kind"] in kinds}


def test_the_address_without_the_last_slash_leads_to_the_pages() -> None:
    assert routes()["argocd-server-slash"]["http"] == [
        {"match": [{"uri": {"exact": "/argocd"}}], "redirect": {"uri": "/argocd/", "redirectCode": 302}}
    ]


def test_git_hosts_call_past_the_login_where_they_are_let_in() -> None:
    made = routes(git_webhook=True)
    asked = [rule["to"][0]["operation"] for name, spec in made.items() if "rules" in spec for rule in spec["rules"]]

    assert made["argocd-server-webhook"]["http"][0]["match"] == [{"uri": {"exact": "/argocd/api/webhook"}}]
    assert "argocd-argocd-server-webhook" not in made
    assert {"paths": ["/argocd/*"], "notPaths": ["/argocd/api/webhook"]} in asked
    assert "argocd-server-webhook" not in routes()
    offered = ArgoCd.offers(setting(ArgoCd, {**AT_GATEWAY, "gitWebhook": True})).capabilities
    assert GatewayPath(path="/argocd/api/webhook", access="public") in offered


def test_a_git_host_reaches_no_argo_cd_that_is_not_at_the_gateway() -> None:
    [said] = told(ArgoCd, {"gitWebhook": True})

    assert "components.argo-cd.gitWebhook: no Git host reaches a path of Argo CD" in said


def test_pages_for_everyone_need_a_gateway() -> None:
    [said] = told(ArgoCd, AT_GATEWAY)

    assert "components.argo-cd.access: the stack has no gateway" in said


def test_people_sign_in_without_a_secret_of_the_clients() -> None:
    oidc = {"clientId": "argo-cd", "issuer": ISSUER}
    config = load(data("argocd-cm", url="https://cd.example.com", oidc=oidc)["oidc.config"].encode())

    assert data("argocd-cm", url="https://cd.example.com")["url"] == "https://cd.example.com"
    assert config == {
        "name": "Single sign-on",
        "issuer": ISSUER,
        "clientID": "argo-cd",
        "requestedScopes": ["openid", "profile", "email", "groups"],
        "enablePKCEAuthentication": True,
    }


@pytest.mark.parametrize(
    ("config", "found"),
    [
        ({}, ""),
        (AT_GATEWAY, "https://platform.example.com/argocd"),
        ({**AT_GATEWAY, "url": "https://cd.example.com"}, "https://cd.example.com"),
    ],
    ids=["no route", "the stack's host", "said"],
)
def test_the_address_is_that_of_the_route_unless_it_is_said(config: dict[str, Any], found: str) -> None:
    assert address(setting(ArgoCd, config, ingress=INGRESS)) == found
    assert address(setting(ArgoCd, AT_GATEWAY, ingress=Ingress(host="a.example"))) == "http://a.example/argocd"


def test_the_client_secret_is_named_and_never_written() -> None:
    oidc = {
        "clientId": "argo-cd",
        "issuer": ISSUER,
        "clientSecret": {"existing": "sso", "keys": {"clientSecret": "key"}},
    }
    config = load(data("argocd-cm", url="https://cd.example.com", oidc=oidc)["oidc.config"].encode())

    assert isinstance(config, dict)
    assert config["clientSecret"] == "$sso:key"
    assert "enablePKCEAuthentication" not in config


def test_a_client_secret_that_lies_sealed_in_the_repository_is_rendered_once() -> None:
    metadata = {"name": "sso", "namespace": "argocd"}
    lies = {"apiVersion": "bitnami.com/v1alpha1", "kind": "SealedSecret", "metadata": metadata}
    spec = {"encryptedData": {"clientSecret": "QUJD" * 40}, "template": {"metadata": {"labels": PART_OF}}}
    there = platform(ciphertexts={"sso.yaml": ({**lies, "spec": spec},)}, apis=frozenset({"SealedSecret.bitnami.com"}))
    said = {"clientId": "argo-cd", "issuer": ISSUER, "clientSecret": {"sealed": "sso.yaml"}}
    objects = built(ArgoCd, there, url="https://cd.example.com", oidc=said)

    assert objects.names("SealedSecret") == ["sso"]
    assert 'clientSecret: "$sso:clientSecret"' in objects.one("ConfigMap", "argocd-cm")["data"]["oidc.config"]


@pytest.mark.parametrize("source", [{"generate": {}}, {"externalSecret": {"path": "a"}}])
def test_a_secret_without_argo_cds_label_is_refused(source: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must have Argo CD's label"):
        built(ArgoCd, oidc={"clientId": "argo-cd", "issuer": ISSUER, "clientSecret": source})


def test_signing_in_needs_who_says_who_people_are_and_where_they_come_back_to() -> None:
    neither = told(ArgoCd, {"oidc": {"clientId": "argo-cd"}})

    assert ["nothing says who people are" in each for each in neither] == [True, False]
    assert ["where to send people back" in each for each in neither] == [False, True]
    assert told(ArgoCd, {"oidc": {"clientId": "argo-cd", "issuer": ISSUER}, "url": "https://cd.example.com"}) == []


def test_the_account_admin_can_be_switched_off() -> None:
    assert "admin.enabled" not in data("argocd-cm")
    assert data("argocd-cm", admin=False)["admin.enabled"] == "false"


def test_high_availability_doubles_what_keeps_nothing_to_itself() -> None:
    objects = built(ArgoCd, platform(availability="ha"), notifications=True)

    assert {each["metadata"]["name"]: each["spec"]["replicas"] for each in objects.of("Deployment")} == {
        SERVER: 2,
        REPO_SERVER: 2,
        SETS: 2,
        NOTIFICATIONS: 1,
        REDIS: 1,
    }
    assert objects.one("ConfigMap", "argocd-cmd-params-cm")["data"] == {
        "applicationsetcontroller.enable.leader.election": "true"
    }
    variables_of_server = {each["name"]: each for each in objects.container("Deployment", SERVER)["env"]}
    assert variables_of_server["ARGOCD_API_SERVER_REPLICAS"]["value"] == "2"


def test_shards_are_pods_of_the_controller_that_know_how_many_they_are() -> None:
    objects = built(ArgoCd, shards=3)

    assert objects.one("StatefulSet")["spec"]["replicas"] == 3
    assert environment(CONTROLLER, "StatefulSet", shards=3)["ARGOCD_CONTROLLER_REPLICAS"]["value"] == "3"
    assert objects.names("PodDisruptionBudget") == [CONTROLLER]


@pytest.mark.parametrize("name", [REDIS, CONTROLLER])
def test_what_it_must_not_run_twice_cannot_be_scaled(name: str) -> None:
    with pytest.raises(ConfigError):
        built(ArgoCd, workloads={name: {"replicas": 2}})


def test_redis_and_the_repo_server_are_for_its_own_programs() -> None:
    objects = built(ArgoCd)

    def callers(name: str, port: int) -> list[str]:
        rules = objects.one("NetworkPolicy", f"{name}-network-policy")["spec"]["ingress"]
        pods = [each["from"][0] for each in rules if each["ports"][0]["port"] == port]
        return sorted(each["podSelector"]["matchLabels"]["app.kubernetes.io/name"] for each in pods)

    assert callers(REDIS, 6379) == [CONTROLLER, REPO_SERVER, SERVER]
    assert callers(REPO_SERVER, 8081) == [CONTROLLER, SETS, SERVER]
    [pages] = objects.one("NetworkPolicy", f"{SERVER}-network-policy")["spec"]["ingress"]
    assert "from" not in pages


def test_policies_are_there_as_upstream_has_them_unless_the_component_goes_without() -> None:
    programs = (CONTROLLER, SETS, REDIS, REPO_SERVER, SERVER)

    assert built(ArgoCd).names("NetworkPolicy") == sorted(f"{name}-network-policy" for name in programs)
    assert built(ArgoCd, platform(network_policies=True), network_policies=False).of("NetworkPolicy") == []


def test_pods_keep_the_restricted_level() -> None:
    objects = built(ArgoCd, notifications=True)

    assert ArgoCd.security_of(setting(ArgoCd)).level == "restricted"
    for workload in [*objects.of("Deployment"), *objects.of("StatefulSet")]:
        pod = workload["spec"]["template"]["spec"]
        for container in [*pod["containers"], *pod.get("initContainers", [])]:
            assert container["securityContext"]["runAsNonRoot"] is True
            assert container["securityContext"]["readOnlyRootFilesystem"] is True
