"""cert-manager's CA injector and webhook, as a stack renders them: the one writes authorities, the other judges.

Real: both programs at 1.21.2, from packages of upstream's module, with the rendered flags, accounts, rights and webhook
configurations; certificates, APIs and conversions are those of Kueue's component, which does not run. Played: what the
controller issues (`test_certificates.py` runs it), and the way from the Service to the webhook.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cluster import rights
from tests.cluster.certificates import (
    AUTHORITY,
    CHOSEN,
    INJECT_FROM,
    INJECT_FROM_SECRET,
    WEBHOOK,
    CertManager,
    asked,
    certificates_of,
    start_cert_manager,
)
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.control_plane import ControlPlane
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of, rendered_stack

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
components:
  cert-manager: {issuers: {house: {authority: {commonName: ML platform}}}}
  kueue: {certificates: cert-manager, visibility: true}
"""
HOME = "cert-manager"
CA = f"{HOME}/cert-manager-webhook-ca"
KINDS = {
    "MutatingWebhookConfiguration": "admissionregistration.k8s.io",
    "ValidatingWebhookConfiguration": "admissionregistration.k8s.io",
    "CustomResourceDefinition": "apiextensions.k8s.io",
    "APIService": "apiregistration.k8s.io",
}
"""Kinds that trust an authority, with their API groups."""


@pytest.fixture(scope="module")
def running(
    binaries: Mapping[str, Path], programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[CertManager]:
    """The cluster with both programs, and the certificates of the stack."""
    folder = tmp_path_factory.mktemp("cert-manager")
    stack = rendered_stack(folder / "repository", STACK, name="certificates")
    objects = [item.manifest for each in stack.components.values() for item in each.objects]
    wanted = {name: programs[name] for name, _ in CHOSEN.values()}
    with ControlPlane(binaries, data=snapshot(binaries, crds_of(objects))) as control_plane:
        with control_plane.explaining():
            made = start_cert_manager(control_plane, wanted, objects)
        for each in certificates_of(objects):
            made.play(each, folder / each["metadata"]["name"])
        yield made


@pytest.fixture
def certs(running: CertManager, request: pytest.FixtureRequest) -> Iterator[CertManager]:
    """The shared cluster; neither program was refused anything that a test did not take from it."""
    show_logs(request, running.control_plane)
    yield running
    refused = [*running.webhook.forbidden(), *running.injector.forbidden()]
    for each in (running.webhook, running.injector):
        each.log.write_text("")

    assert refused == []


def asking(certs: CertManager, kind: str) -> Manifest:
    """An object of a kind that asks for the authority of a certificate."""
    return next(each for each in certs.annotated(INJECT_FROM) if each["kind"] == kind)


def remove_authority(certs: CertManager) -> None:
    """Take the webhook's authority away."""
    home, _, name = CA.partition("/")
    reply = certs.control_plane.api.request("DELETE", f"/api/v1/namespaces/{home}/secrets/{name}")
    assert reply.status == 200, reply.message


def test_the_webhooks_own_authority_is_trusted(certs: CertManager) -> None:
    found = certs.annotated(INJECT_FROM_SECRET)

    assert {each["kind"] for each in found} == {"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}
    assert {certs.source(each) for each in found} == {CA}
    assert [each["kind"] for each in found if not certs.trusts(each)] == []


def test_whatever_names_a_certificate_trusts_its_authority(certs: CertManager) -> None:
    found = certs.annotated(INJECT_FROM)
    certs.wait(lambda: all(certs.trusts(each) for each in found), "all trust their authority")

    assert {each["kind"] for each in found} == {*KINDS}


def test_an_authority_that_changes_is_trusted_beside_the_former(certs: CertManager) -> None:
    found, former = certs.annotated(INJECT_FROM_SECRET), certs.secret(CA)[AUTHORITY]
    remove_authority(certs)
    certs.wait(lambda: certs.secret(CA).get(AUTHORITY, former) != former, "the webhook has made another")
    certs.wait(lambda: all(certs.trusts(each) for each in found), "it is trusted")

    assert all(former in each for one in found for each in certs.injected(one))
    api = certs.control_plane.api
    certs.wait(lambda: not any(api.refusals([asked("any")])), "the webhook judges with it")


@pytest.mark.parametrize("kind", KINDS)
def test_a_certificate_that_changes_is_trusted_anew(certs: CertManager, kind: str, tmp_path: Path) -> None:
    one = asking(certs, kind)
    home, _, name = certs.source(one).partition("/")
    (issued,) = (
        each
        for each in certificates_of(certs.objects)
        if (each["metadata"]["namespace"], each["spec"]["secretName"]) == (home, name)
    )
    former = certs.secret(f"{home}/{name}")[AUTHORITY]
    certs.play(issued, tmp_path / "anew")

    assert certs.secret(f"{home}/{name}")[AUTHORITY] != former
    certs.wait(lambda: certs.trusts(one), "the new authority is trusted")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"dnsNames": []}, "at least one of"),
        ({"duration": "1m"}, "certificate duration must be greater than"),
        ({"renewBefore": "3000h"}, "must be greater than renewBefore"),
        ({"issuerRef": {"kind": "Authority", "name": "house"}}, "must be one of Issuer or ClusterIssuer"),
    ],
    ids=["names", "duration", "renewal", "issuer"],
)
def test_a_wrong_certificate_is_refused_by_the_webhook(
    certs: CertManager, changed: Mapping[str, Any], said: str
) -> None:
    refusal = certs.control_plane.api.apply(asked("wrong", **changed), dry_run=True).refusal

    assert 'admission webhook "webhook.cert-manager.io" denied the request' in refusal
    assert said in refusal


@pytest.mark.parametrize("kind", KINDS)
def test_without_the_right_to_change_it_nothing_is_injected(certs: CertManager, kind: str) -> None:
    one, injector, resource = asking(certs, kind), certs.injector, f"{kind.lower()}s"
    certs.wait(lambda: certs.trusts(one), "it is trusted")
    with rights.withheld(injector, (KINDS[kind], resource, "patch")):
        certs.forget(one)
        assert resource in injector.refusal()
        assert not certs.trusts(one)

    certs.wait(lambda: certs.trusts(one), "with the right it is trusted")
    injector.log.write_text("")


def test_without_the_right_to_read_secrets_nothing_is_injected(certs: CertManager) -> None:
    one, injector, api = asking(certs, "APIService"), certs.injector, certs.control_plane.api
    certs.wait(lambda: certs.trusts(one), "it is trusted")
    with rights.withheld(injector, ("", "secrets", "get")):
        certs.forget(one)
        assert "secrets" in injector.refusal()
        assert not certs.trusts(one)

    # It asks again when the object or the Secret changes, and not before.
    touched = {"metadata": {"annotations": {"example.com/touched": "true"}}}
    assert api.request("PATCH", api.path(one) or "", touched, content="application/merge-patch+json").status == 200
    certs.wait(lambda: certs.trusts(one), "with the right it is trusted")
    injector.log.write_text("")


def test_without_the_right_to_make_its_secret_the_webhook_has_no_authority(certs: CertManager) -> None:
    webhook, found = certs.webhook, certs.annotated(INJECT_FROM_SECRET)
    with rights.withheld(webhook, ("", "secrets", "create"), role=f"{WEBHOOK}:dynamic-serving", kind="Role"):
        remove_authority(certs)
        assert "secrets" in webhook.refusal()
        assert not certs.secret(CA)

    certs.wait(lambda: all(certs.trusts(each) for each in found), "with the right it has one")
    webhook.log.write_text("")


def test_the_webhook_ends_at_a_flag_that_is_misspelt(certs: CertManager, programs: Mapping[str, Path]) -> None:
    binary, word = CHOSEN[WEBHOOK]
    flags = certs.webhook.flags
    for index, each in enumerate(flags):
        name, _, value = each.partition("=")
        argv = [str(programs[binary]), word, *flags[:index], f"{name}x={value}", *flags[index + 1 :]]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)

        assert done.returncode == 1, each
        assert f"unknown flag: {name}x" in done.stderr
