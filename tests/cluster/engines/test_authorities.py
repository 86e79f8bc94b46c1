"""A webhook's authority that cert-manager writes: waited for while it is missing, left alone, and whole when it changes.

Real: cert-manager's webhook and its CA injector, with the rendered flags, accounts and rights.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cluster.certificates import INJECT_FROM_SECRET, CertManager, run_cert_manager
from tests.cluster.client import Api, Manifest
from tests.cluster.engines.conftest import EmptyCluster
from tests.cluster.engines.either import FORMS, GATED
from tests.cluster.engines.repository import SAMPLE
from tests.cluster.engines.story import handed_over

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.thorough,
    pytest.mark.own_network,
]

HOME = "cert-manager"
PROGRAMS = ("cert-manager", "cert-manager-cainjector", "cert-manager-webhook")
STACK = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36"}}
delivery: {{engine: ENGINE, repository: "{SAMPLE}"}}
components:
  cert-manager: {{selfSignedIssuer: self-signed, workloads: {{cert-manager: {{replicas: 1}}}}}}
"""
ISSUER: Manifest = {
    "apiVersion": "cert-manager.io/v1",
    "kind": "ClusterIssuer",
    "metadata": {"name": "self-signed"},
}
WAITS = {
    "argocd": "failed calling webhook",
    GATED: "cert-manager-after waits for cert-manager-main",
    "flux": "dependency 'flux-system/cert-manager-main' is not ready",
}
"""What each engine says while a part that needs the webhook is held back, or refused."""


@pytest.mark.parametrize("engine", FORMS)
def test_a_webhooks_authority_is_waited_for_and_then_belongs_to_who_writes_it(
    engine: str, empty_cluster: EmptyCluster, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    start = lambda cluster: FORMS[engine](cluster, programs)  # noqa: E731 - it is passed on
    text = STACK.replace("ENGINE", engine)
    with handed_over(empty_cluster, "trusted", tmp_path, start, text=text, real=(HOME,)) as there:
        api, repository = there.api, there.repository
        there.engine.until(lambda: all(available(api, each) for each in PROGRAMS), seconds=300, what="all runs")
        there.engine.until(lambda: WAITS[engine] in there.engine.told(), seconds=60, what="it is waited for")
        assert api.read(ISSUER).status == 404

        certificates = run_cert_manager(there.control_plane, programs, repository.manifests(HOME))
        there.engine.wait(repository, repository.revision)
        assert trusted(certificates)

        # The authority is another one while a commit is synced.
        for replicas in (2, 3):
            revision = repository.change(f"replicas: {replicas - 1}", f"replicas: {replicas}")
            there.engine.look()
            lose(certificates)
            there.engine.wait(repository, revision)
            there.engine.until(lambda: trusted(certificates), seconds=60, what="the new authority is there")

        before = generations(certificates)
        there.engine.look_again(repository)
        assert trusted(certificates)
        assert generations(certificates) == before
        assert certificates.injector.forbidden() == []


def available(api: Api, name: str) -> bool:
    """Whether a Deployment of cert-manager's has its pods."""
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": HOME}}
    found = api.read(deployment)
    return found.status == 200 and bool((found.body.get("status") or {}).get("availableReplicas"))


def trusted(certificates: CertManager) -> bool:
    """Whether all webhooks have the authority that their server has now."""
    return all(map(certificates.trusts, certificates.annotated(INJECT_FROM_SECRET)))


def lose(certificates: CertManager) -> None:
    """Delete the authority; the webhook then makes another one."""
    one, *_ = certificates.annotated(INJECT_FROM_SECRET)
    home, _, name = certificates.source(one).partition("/")
    old = certificates.secret(f"{home}/{name}")
    certificates.remove({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": home}})
    certificates.wait(lambda: certificates.secret(f"{home}/{name}") not in ({}, old), "another authority is made")


def generations(certificates: CertManager) -> list[int]:
    """What moves when somebody writes a configuration."""
    found = certificates.annotated(INJECT_FROM_SECRET)
    return [int(certificates.control_plane.api.read(each).body["metadata"]["generation"]) for each in found]
