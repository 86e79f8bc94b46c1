"""Sealed Secrets: one controller, its keys, and who may ask for the public one."""

from __future__ import annotations

from platform_def.components.secrets.sealed_secrets.component import SealedSecrets
from tests.unit.built import built, grants


def test_one_pod_alone_runs_for_each_would_make_a_key() -> None:
    made = built(SealedSecrets)

    assert made.one("Deployment")["spec"]["replicas"] == 1
    assert made.names("PodDisruptionBudget") == []


def test_whoever_is_logged_in_may_ask_for_the_public_key_and_for_nothing_else() -> None:
    made = built(SealedSecrets)
    rules = made.rules("Role", "sealed-secrets-service-proxier")

    (subject,) = made.one("RoleBinding", "sealed-secrets-service-proxier")["subjects"]
    assert subject["name"] == "system:authenticated"
    assert {resource for rule in rules for resource in rule["resources"]} == {"services", "services/proxy"}
    assert all(rule["resourceNames"] for rule in rules)


def test_days_of_a_key_become_hours_of_the_flag() -> None:
    assert "--key-renew-period=720h" in built(SealedSecrets).arguments("Deployment")
    assert "--key-renew-period=0h" in built(SealedSecrets, keyRenewDays=0).arguments("Deployment")


def test_it_reads_secrets_everywhere_and_makes_its_keys_in_its_own_namespace() -> None:
    made = built(SealedSecrets, namespace="sealing")

    assert "list" in grants(made.rules("ClusterRole", "secrets-unsealer"), "", "secrets")
    assert made.one("Role", "sealed-secrets-key-admin")["metadata"]["namespace"] == "sealing"
