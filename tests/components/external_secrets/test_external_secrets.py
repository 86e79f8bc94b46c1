"""External Secrets: its stores, its webhook's certificate, and what it gives to others."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.capabilities import CertificateIssuer
from platform_def.capabilities.secrets import SecretStore
from platform_def.components.secrets.external_secrets.component import ExternalSecrets
from tests.unit.built import built, setting, told

VAULT: dict[str, Any] = {"vault": {"server": "https://vault.example.com", "auth": {}}}


def store_of(config: dict[str, Any]) -> list[str]:
    offers = ExternalSecrets.offers(setting(ExternalSecrets, config))
    return [each.store for each in offers.capabilities if isinstance(each, SecretStore)]


@pytest.mark.parametrize(
    ("config", "given"),
    [
        ({}, []),
        ({"stores": {"vault": VAULT}}, ["vault"]),
        ({"stores": {"vault": VAULT, "other": VAULT}}, []),
        ({"stores": {"vault": VAULT, "other": VAULT}, "defaultStore": "other"}, ["other"]),
    ],
    ids=["none", "the only one", "two", "the chosen one"],
)
def test_secrets_that_name_no_store_are_kept_in_the_default_one(config: dict[str, Any], given: list[str]) -> None:
    assert store_of(config) == given


def test_a_default_store_that_is_not_there_is_a_problem() -> None:
    (text,) = told(ExternalSecrets, {"stores": {"vault": VAULT}, "defaultStore": "volt"})

    assert "'volt' is not among `stores`" in text


def test_stores_come_after_the_webhook_that_admits_them() -> None:
    made = built(ExternalSecrets, stores={"vault": VAULT})

    assert made.one("ClusterSecretStore")["spec"] == {"provider": VAULT}
    assert made.part("ClusterSecretStore") == "after"


def test_cert_manager_takes_the_place_of_the_certificate_controller() -> None:
    own, signed = built(ExternalSecrets), built(ExternalSecrets, certificates="cert-manager")

    assert "external-secrets-cert-controller" in own.names("Deployment")
    assert "external-secrets-cert-controller" not in signed.names("Deployment")
    assert signed.one("Certificate")["spec"]["secretName"] == "external-secrets-webhook"
    for name in ("secretstore-validate", "externalsecret-validate"):
        note = signed.one("ValidatingWebhookConfiguration", name)["metadata"]["annotations"]
        assert note == {"cert-manager.io/inject-ca-from": "external-secrets/external-secrets-webhook"}
    needs = ExternalSecrets.needs_of(setting(ExternalSecrets, {"certificates": "cert-manager"}))
    assert [each.capability for each in needs] == [CertificateIssuer]


def test_the_certificate_controller_writes_the_two_configurations_and_no_other() -> None:
    rules = built(ExternalSecrets).rules("ClusterRole", "external-secrets-cert-controller")
    named = {name for rule in rules if "patch" in rule["verbs"] for name in rule.get("resourceNames", [])}

    assert {"secretstore-validate", "externalsecret-validate", "external-secrets-webhook"} <= named
