"""Serving certificates of webhooks."""

from __future__ import annotations

from platform_def.config.component import ComponentConfig
from platform_def.config.platform import Platform
from platform_def.constructs.certificate import ServingCertificate
from platform_def.constructs.component import Component
from platform_def.constructs.render import render
from platform_def.constructs.resource import Manifest


class Katib(Component[ComponentConfig]):
    """A component with one certificate."""

    slug = "katib"

    def build(self) -> None:
        """Upstream's names where they differ from the construct's."""
        self.plain = ServingCertificate(self, "katib-webhook-cert", services=["katib-controller"])
        self.other = ServingCertificate(self, "serving", services=["a", "b"], secret="kept-here", issuer="signer")


def built() -> tuple[Katib, dict[str, Manifest]]:
    made: list[Katib] = []

    def make(scope: object) -> Katib:
        config = ComponentConfig(namespace="kubeflow")
        made.append(Katib(scope, config=config, platform=Platform(dns_domain="cluster.test")))  # type: ignore[arg-type]
        return made[0]

    objects = render(make).objects
    return made[0], {f"{item.manifest['kind']}/{item.manifest['metadata']['name']}": item.manifest for item in objects}


def test_a_certificate_is_for_the_name_that_the_api_server_calls() -> None:
    _, objects = built()

    assert objects["Certificate/katib-webhook-cert"]["spec"] == {
        "secretName": "katib-webhook-cert",
        "dnsNames": ["katib-controller.kubeflow.svc", "katib-controller.kubeflow.svc.cluster.test"],
        "issuerRef": {"kind": "Issuer", "name": "katib-webhook-cert-issuer"},
    }
    assert objects["Issuer/katib-webhook-cert-issuer"]["spec"] == {"selfSigned": {}}


def test_names_can_be_upstreams() -> None:
    katib, objects = built()

    assert katib.other.secret == "kept-here"
    assert objects["Certificate/serving"]["spec"]["secretName"] == "kept-here"
    assert objects["Certificate/serving"]["spec"]["issuerRef"]["name"] == "signer"


def test_the_injector_is_told_the_certificate() -> None:
    katib, _ = built()

    assert katib.plain.ca_from == "cert-manager.io/inject-ca-from=kubeflow/katib-webhook-cert"
    assert katib.plain.annotations == {"cert-manager.io/inject-ca-from": "kubeflow/katib-webhook-cert"}
