"""cert-manager, as a stack renders it, issues certificates, approves requests for them, and has them trusted.

Real: controller, CA injector and webhook of 1.21.2, from packages of upstream's module, with the rendered flags, accounts,
rights and webhook configurations; certificates and what trusts them are those of Kueue's component, which does not run.
Played: the way from the Service to the webhook. ACME and other authorities beyond the cluster are not asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from platform_def.components.gateways.cert_manager.metrics import EXPORTED
from tests.cluster import rights
from tests.cluster.certificates import (
    AUTHORITY,
    CHOSEN,
    CONTAINERS,
    CONTROLLER,
    INJECT_FROM,
    METRICS,
    CertManager,
    Member,
    asked,
    certificates_of,
    start_cert_manager,
)
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.control_plane import ControlPlane
from tests.cluster.fed import unfed
from tests.cluster.scrape import faults, page_at
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of, rendered_stack

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
components:
  cert-manager: {selfSignedIssuer: own, issuers: {house: {authority: {commonName: ML platform}}}}
  kueue: {certificates: cert-manager, visibility: true}
"""
REQUESTS = "/apis/cert-manager.io/v1/namespaces/default/certificaterequests"
FILES = {"ca.crt", "tls.crt", "tls.key"}
Issuing = tuple[CertManager, Member]


@pytest.fixture(scope="module")
def running(
    binaries: Mapping[str, Path], programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Issuing]:
    """The cluster with all three programs; the third of them is the controller."""
    stack = rendered_stack(tmp_path_factory.mktemp("certificates"), STACK, name="certificates")
    objects = [item.manifest for each in stack.components.values() for item in each.objects]
    wanted = {name: programs[name] for name, _ in CHOSEN.values()}
    wanted |= {CONTAINERS[CONTROLLER]: programs[CONTAINERS[CONTROLLER]]}
    with ControlPlane(binaries, data=snapshot(binaries, crds_of(objects))) as control_plane:
        with control_plane.explaining():
            certs = start_cert_manager(control_plane, wanted, objects)
            controller = Member(control_plane, objects, CONTROLLER, CONTAINERS[CONTROLLER])
            controller.run(wanted)
        yield certs, controller


@pytest.fixture
def issuing(running: Issuing, request: pytest.FixtureRequest) -> Iterator[Issuing]:
    """The shared cluster; no program was refused anything that a test did not take from it."""
    certs, controller = running
    show_logs(request, certs.control_plane)
    yield running
    while certs.made:
        certs.remove(certs.made.pop())
    members = (certs.webhook, certs.injector, controller)
    refused = {each.name: each.forbidden() for each in members}
    for each in members:
        each.log.write_text("")

    assert refused == {each.name: [] for each in members}


def test_all_certificates_of_the_stack_are_issued_and_trusted(issuing: Issuing) -> None:
    certs, _ = issuing
    issued, trusting = certificates_of(certs.objects), certs.annotated(INJECT_FROM)
    certs.wait(lambda: all(certs.ready(each) for each in issued), "all certificates are ready")

    assert [each["metadata"]["name"] for each in issued][:1] == ["house-authority"]
    certs.wait(lambda: all(certs.trusts(each) for each in trusting), "they are trusted")


def test_the_controller_says_when_certificates_end_as_its_table_has_it(
    issuing: Issuing, programs: Mapping[str, Path]
) -> None:
    certs, _ = issuing
    issued = certificates_of(certs.objects)
    certs.wait(lambda: all(certs.ready(each) for each in issued), "all certificates are ready")
    page = page_at(certs.control_plane, METRICS[CONTROLLER])

    assert faults(page, [EXPORTED], program=programs[CONTAINERS[CONTROLLER]]) == []
    assert unfed("cert-manager", {"cert-manager": [page]}, engine=programs["prometheus-engine"]) == []
    found = {each["name"] for each in page.samples["certmanager_certificate_renewal_timestamp_seconds"]}
    assert found >= {each["metadata"]["name"] for each in issued}


def test_a_certificate_that_is_lost_is_issued_and_trusted_anew(issuing: Issuing) -> None:
    certs, _ = issuing
    trusting = next(each for each in certs.annotated(INJECT_FROM) if each["kind"] == "APIService")
    certs.wait(lambda: certs.trusts(trusting), "it is trusted")
    place = certs.source(trusting)
    home, _, name = place.partition("/")
    former = certs.secret(place)[AUTHORITY]
    assert certs.control_plane.api.request("DELETE", f"/api/v1/namespaces/{home}/secrets/{name}").status == 200
    certs.wait(lambda: certs.secret(place).get(AUTHORITY, former) != former, "it is issued anew")

    certs.wait(lambda: certs.trusts(trusting), "it is trusted")


@pytest.mark.parametrize("issuer", ["house", "own"])
def test_a_stacks_issuer_signs_what_a_person_asks_for(issuing: Issuing, issuer: str) -> None:
    certs, _ = issuing
    certificate = certs.make(asked(f"by-{issuer}", issuer=issuer))
    certs.wait(lambda: certs.ready(certificate), "the certificate is ready")
    found = certs.control_plane.api.get(REQUESTS).body["items"]
    (request,) = (each for each in found if each["metadata"]["ownerReferences"][0]["name"] == f"by-{issuer}")

    assert set(certs.secret(f"default/by-{issuer}")) == FILES
    assert request["spec"]["username"] == "system:serviceaccount:cert-manager:cert-manager"


def test_an_ingress_that_names_an_issuer_gets_a_certificate(issuing: Issuing) -> None:
    certs, _ = issuing
    host, backend = "shop.example.com", {"service": {"name": "shop", "port": {"number": 80}}}
    rule = {"host": host, "http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": backend}]}}
    ingress: Manifest = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {
            "name": "shop",
            "namespace": "default",
            "annotations": {"cert-manager.io/cluster-issuer": "house"},
        },
        "spec": {"tls": [{"hosts": [host], "secretName": "shop"}], "rules": [rule]},
    }
    certs.make(ingress)
    certs.wait(lambda: certs.ready(asked("shop")), "it has a certificate")
    certs.made.append(asked("shop"))

    assert set(certs.secret("default/shop")) == FILES


def test_without_the_right_to_ask_who_may_approve_nothing_is_signed(issuing: Issuing) -> None:
    certs, controller = issuing
    right = ("authorization.k8s.io", "subjectaccessreviews", "create")
    with rights.withheld(certs.webhook, right, role="cert-manager-webhook:subjectaccessreviews"):
        certificate = certs.make(asked("unapproved"))
        assert "subjectaccessreviews" in certs.webhook.refusal()
        assert not certs.ready(certificate)

    certs.wait(lambda: certs.ready(certificate), "with the right it is signed")
    for each in (certs.webhook, controller):
        each.log.write_text("")


@pytest.mark.parametrize("resource", ["certificates", "certificaterequests"])
def test_without_a_right_of_the_controller_no_certificate_is_ready(issuing: Issuing, resource: str) -> None:
    certs, controller = issuing
    right = ("cert-manager.io", f"{resource}/status", "patch update")
    with rights.withheld(controller, right, role="cert-manager-controller-certificates"):
        certificate = certs.make(asked(f"no-{resource}"))
        assert resource in controller.refusal()
        assert not certs.ready(certificate)

    certs.wait(lambda: certs.ready(certificate), "with the right it is ready")
    controller.log.write_text("")
