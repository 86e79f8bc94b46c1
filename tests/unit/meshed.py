"""A stack whose gateway is Istio's and whose people sign in: what Kubeflow's web applications and controllers need."""

from __future__ import annotations

from typing import Any

from platform_def.capabilities import AccessManagement, AuthorizationService, CertificateIssuer, Gateway, Identity, Mesh
from platform_def.config.capability import EXTERNAL, Capability, Provision
from platform_def.config.cluster import Ingress, Tls
from platform_def.config.platform import Platform
from platform_def.constructs import Setting
from platform_def.constructs.component import AnyComponent
from tests.unit.built import Objects

GATEWAY = Gateway(api="istio", name="ml", namespace="front", account="front", pods={"app": "front"})
EMISSARY = Gateway(api="emissary", name="emissary", namespace="emissary")
MESH = Mesh(api="istio", trust_domain="ml.example.com", root_namespace="istio-system", namespaces=("team-vision",))
KFAM = AccessManagement(host="profiles-kfam.kubeflow.svc.cluster.local")
ASKED = AuthorizationService(name="oauth2-proxy", host="oauth2-proxy.example.com", port=80)
INGRESS = Ingress(kind="cloud", host="ml.example.com", tls=Tls(secret="tls"))
HTTP = Ingress(kind="cloud", host="ml.example.com")
APIS = frozenset({"Notebook.kubeflow.org", "PVCViewer.kubeflow.org", "Tensorboard.tensorboard.kubeflow.org"})


def meshed(
    *more: Capability,
    gateway: Gateway = GATEWAY,
    mesh: Mesh = MESH,
    asked: bool = True,
    access: AccessManagement | None = KFAM,
    **facts: Any,
) -> Platform:
    """The facts of such a stack."""
    people = (Identity(issuer="https://id.example.com"), *((ASKED,) if asked else ()), *((access,) if access else ()))
    given = (mesh, CertificateIssuer(), *people, *more)
    provisions = (*(Provision.of(each, EXTERNAL) for each in given), Provision.of(gateway, "front"))
    return Platform(gateway="front", provisions=provisions, **{"ingress": INGRESS, "apis": APIS, **facts})


def problems(component: type[AnyComponent], platform: Platform, **config: Any) -> list[str]:
    """What a component says against the stack."""
    chosen = component.config_model().from_file(config)
    return [each.text for each in component.problems(Setting(component.slug, chosen, platform))]


def variables(made: Objects, container: str = "") -> dict[str, Any]:
    """Variables of the Deployment's container."""
    return {each["name"]: each.get("value") for each in made.container("Deployment", container=container)["env"]}
