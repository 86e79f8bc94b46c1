"""Flux: which programs run, with which flags and rights, and who may reach and write what."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.components.delivery.flux.component import Flux
from platform_def.components.delivery.flux.words import ENGINE
from platform_def.constructs import ConfigError
from tests.unit.built import built, grants, platform, setting

SOURCE, KUSTOMIZE, HELM, NOTIFICATION = (
    f"{name}-controller" for name in ("source", "kustomize", "helm", "notification")
)
ALL: dict[str, Any] = {"helm": True, "notifications": True}


def test_what_fetches_and_what_applies_run_and_the_others_on_demand() -> None:
    assert built(Flux).names("Deployment") == [KUSTOMIZE, SOURCE]
    assert built(Flux, **ALL).names("Deployment") == [HELM, KUSTOMIZE, NOTIFICATION, SOURCE]


def test_the_release_by_default_is_the_newest_whose_order_was_seen() -> None:
    assert Flux.config_model().releases[0].version == ENGINE.proven[0]


def test_it_serves_the_kinds_of_the_programs_that_run() -> None:
    few, more = (Flux.offered(setting(Flux, choice)).apis for choice in ({}, {"helm": True}))

    assert "Kustomization.kustomize.toolkit.fluxcd.io" in few
    assert "GitRepository.source.toolkit.fluxcd.io" in few
    assert set(more) - set(few) == {"HelmRelease.helm.toolkit.fluxcd.io"}
    assert len(built(Flux).of("CustomResourceDefinition")) == len(few)


def test_what_applies_has_the_flags_that_dist_needs() -> None:
    objects = built(Flux)

    assert [flag for flag in ENGINE.flags if flag not in objects.arguments("Deployment", KUSTOMIZE)] == []
    assert [flag for flag in ENGINE.flags if flag in objects.arguments("Deployment", SOURCE)] == []


def test_events_are_sent_only_where_somebody_takes_them() -> None:
    flag = "--events-addr=http://notification-controller.flux-system.svc.cluster.local./"

    assert not any("--events-addr" in each for each in built(Flux).arguments("Deployment", SOURCE))
    assert flag in built(Flux, **ALL).arguments("Deployment", SOURCE)
    assert flag not in built(Flux, **ALL).arguments("Deployment", NOTIFICATION)


def test_files_are_served_under_the_name_that_the_cluster_knows() -> None:
    objects = built(Flux, platform(dns_domain="gpu.example.com"), namespace="gitops")
    address = "--storage-adv-addr=source-controller.gitops.svc.gpu.example.com."

    assert address in objects.arguments("Deployment", SOURCE)
    assert objects.one("Service", SOURCE)["spec"]["ports"][0]["port"] == 80
    assert objects.container("Deployment", SOURCE)["readinessProbe"]["httpGet"] == {"path": "/", "port": "http"}


def test_what_fetches_says_itself_that_it_leads_from_2_10_on() -> None:
    probe = built(Flux, release="2.10.0").container("Deployment", SOURCE)["readinessProbe"]

    assert probe["httpGet"] == {"path": "/readyz", "port": "healthz"}


def test_only_what_applies_has_every_right() -> None:
    objects = built(Flux, **ALL)
    bound = {
        each["subjects"][0]["name"]: each["roleRef"]["name"]
        for each in objects.of("ClusterRoleBinding")
        if each["roleRef"]["kind"] == "ClusterRole"
    }

    assert bound == {
        SOURCE: "flux-source-controller",
        KUSTOMIZE: "cluster-admin",
        HELM: "cluster-admin",
        NOTIFICATION: "flux-notification-controller",
    }
    source = objects.rules("ClusterRole", "flux-source-controller")
    assert grants(source, "", "secrets") == {"get", "list", "watch"}
    assert "update" in grants(source, "source.toolkit.fluxcd.io", "gitrepositories/status")
    assert not grants(source, "kustomize.toolkit.fluxcd.io", "kustomizations")


@pytest.mark.parametrize(("release", "verbs"), [("2.9.5", {"create"}), ("2.10.0", set())])
@pytest.mark.parametrize("name", [SOURCE, NOTIFICATION])
def test_tokens_of_any_account_are_made_up_to_2_9(name: str, release: str, verbs: set[str]) -> None:
    rules = built(Flux, release=release, **ALL).rules("ClusterRole", f"flux-{name}")

    assert grants(rules, "", "serviceaccounts/token") == verbs
    assert grants(rules, "", "serviceaccounts") == {"get", "list", "watch"}


@pytest.mark.parametrize(("release", "served"), [("2.9.5", ["v1beta3"]), ("2.10.0", ["v1", "v1beta3"])])
def test_alerts_have_two_versions_from_2_10_on(release: str, served: list[str]) -> None:
    found = built(Flux, release=release, **ALL).one("CustomResourceDefinition", "alerts.notification.toolkit.fluxcd.io")

    assert [each["name"] for each in found["spec"]["versions"]] == served
    assert [each["name"] for each in found["spec"]["versions"] if each["storage"]] == served[:1]


def test_webhooks_may_have_every_kind_looked_at_and_change_nothing_else() -> None:
    rules = built(Flux, **ALL).rules("ClusterRole", "flux-notification-controller")

    assert grants(rules, "source.toolkit.fluxcd.io", "gitrepositories") == {"get", "list", "patch", "update", "watch"}
    assert not grants(rules, "source.toolkit.fluxcd.io", "gitrepositories/status")


@pytest.mark.parametrize("name", [SOURCE, KUSTOMIZE])
def test_leases_are_of_its_own_namespace(name: str) -> None:
    objects = built(Flux)

    assert grants(objects.rules("Role", name), "coordination.k8s.io", "leases") >= {"create", "update"}
    assert "--enable-leader-election" in objects.arguments("Deployment", name)


def test_who_edits_a_namespace_sees_what_is_applied_and_cannot_write_it() -> None:
    objects = built(Flux, **ALL)
    taken_in = [
        each["metadata"]["name"]
        for each in objects.of("ClusterRole")
        if any("aggregate-to" in label for label in each["metadata"]["labels"])
    ]

    assert taken_in == ["flux-view"]
    view = grants(objects.rules("ClusterRole", "flux-view"), "kustomize.toolkit.fluxcd.io", "kustomizations")
    assert view == {"get", "list", "watch"}


def test_a_second_pod_only_where_the_first_holds_nothing() -> None:
    objects = built(Flux, platform(availability="ha"), **ALL)

    assert {each["metadata"]["name"]: each["spec"]["replicas"] for each in objects.of("Deployment")} == {
        SOURCE: 1,
        KUSTOMIZE: 2,
        HELM: 2,
        NOTIFICATION: 1,
    }
    assert objects.one("Deployment", SOURCE)["spec"]["strategy"] == {"type": "Recreate"}


def test_fetched_files_and_events_are_for_its_own_namespace() -> None:
    objects = built(Flux, **ALL)

    for name, others in ((SOURCE, [8080]), (NOTIFICATION, [8080, 9292])):
        own, cluster = objects.one("NetworkPolicy", name)["spec"]["ingress"]
        assert ([each["port"] for each in own["ports"]], own["from"]) == ([9090], [{"podSelector": {}}])
        assert ([each["port"] for each in cluster["ports"]], cluster["from"]) == (others, [{"namespaceSelector": {}}])


def test_policies_are_there_as_upstream_has_them_unless_the_component_goes_without() -> None:
    policies = built(Flux).of("NetworkPolicy")

    assert [each["metadata"]["name"] for each in policies] == [SOURCE, KUSTOMIZE]
    assert all(each["spec"]["egress"] == [{}] for each in policies)
    assert built(Flux, platform(network_policies=True), network_policies=False).of("NetworkPolicy") == []


def test_pods_keep_the_restricted_level() -> None:
    assert Flux.security_of(setting(Flux)).level == "restricted"
    for name in (SOURCE, KUSTOMIZE):
        context = built(Flux).container("Deployment", name)["securityContext"]
        assert (context["runAsNonRoot"], context["readOnlyRootFilesystem"]) == (True, True)


def test_what_it_must_not_run_twice_cannot_be_scaled() -> None:
    with pytest.raises(ConfigError):
        built(Flux, workloads={SOURCE: {"replicas": 2}})


@pytest.mark.parametrize(("release", "image"), [("2.9.5", "v1.9.5"), ("2.10.0", "v1.10.1")])
def test_a_release_is_its_programs(release: str, image: str) -> None:
    container = built(Flux, release=release).container("Deployment", KUSTOMIZE)

    assert container["image"] == f"ghcr.io/fluxcd/kustomize-controller:{image}"
