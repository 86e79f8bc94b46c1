"""LeaderWorkerSet: its certificate, its configuration, gangs, and what its webhooks look at."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from platform_def.capabilities import CertificateIssuer, GangScheduler
from platform_def.components.training.lws.component import Lws
from platform_def.config.capability import Provision
from platform_def.config.platform import Platform
from tests.unit.built import Objects, built, grants, setting

ROLE = "lws-manager-role"


def configuration(made: Objects) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(made.one("ConfigMap")["data"]["controller_manager_config.yaml"])
    return found


def test_it_makes_its_own_certificate_with_the_rights_for_that() -> None:
    made = built(Lws)

    assert configuration(made)["internalCertManagement"] == {
        "enable": True,
        "webhookServiceName": "lws-webhook-service",
        "webhookSecretName": "lws-webhook-server-cert",
    }
    assert "update" in grants(made.rules("ClusterRole", ROLE), "", "secrets")


def test_with_cert_manager_it_has_neither_the_work_nor_the_rights() -> None:
    made = built(Lws, certificates="cert-manager")

    assert configuration(made)["internalCertManagement"] == {"enable": False}
    assert grants(made.rules("ClusterRole", ROLE), "", "secrets") == set()
    assert made.one("Certificate")["spec"]["secretName"] == "lws-webhook-server-cert"
    assert [each.capability for each in Lws.needs_of(setting(Lws, {"certificates": "cert-manager"}))] == [
        CertificateIssuer
    ]


def test_pods_of_other_owners_do_not_wait_for_its_webhooks() -> None:
    hooks = [
        hook
        for kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
        for hook in built(Lws).one(kind)["webhooks"]
        if any("pods" in rule["resources"] for rule in hook["rules"])
    ]

    assert len(hooks) == 2
    for hook in hooks:
        (expression,) = hook["objectSelector"]["matchExpressions"]
        assert expression == {"key": "leaderworkerset.sigs.k8s.io/name", "operator": "Exists"}


@pytest.mark.parametrize(
    ("chosen", "provider"), [(None, None), ("volcano", "volcano"), ("none", None)], ids=["nobody", "volcano", "none"]
)
def test_groups_start_together_where_volcano_is_asked_for(chosen: str | None, provider: str | None) -> None:
    made = built(Lws, gangScheduler=chosen)
    rights = grants(made.rules("ClusterRole", ROLE), "scheduling.volcano.sh", "podgroups")

    told = configuration(made).get("gangSchedulingManagement")
    assert told == ({"schedulerProvider": provider} if provider else None)
    assert rights == ({"create", "get", "list", "watch"} if provider else set())


def test_the_stacks_volcano_is_taken_without_a_word() -> None:
    gang = GangScheduler(implementation="volcano", scheduler="volcano")

    made = built(Lws, Platform(provisions=(Provision.of(gang, "volcano"),)))

    assert configuration(made)["gangSchedulingManagement"] == {"schedulerProvider": "volcano"}


def test_its_two_services_lead_to_the_ports_that_it_opens() -> None:
    made = built(Lws)
    ports = {each["metadata"]["name"]: each["spec"]["ports"][0]["targetPort"] for each in made.of("Service")}

    assert ports == {"lws-controller-manager-metrics-service": 8443, "lws-webhook-service": 9443}
    assert configuration(made)["leaderElection"] == {"leaderElect": True, "resourceName": "b8b2488c.x-k8s.io"}
