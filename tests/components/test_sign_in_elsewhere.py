"""Parts of sign-in find each other where the stack has them, at every gateway: no name of a namespace or domain is built in."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cluster.stacks import rendered_stack

STACK = """\
apiVersion: platform-def/v1
cluster:
  kubernetes: "1.36"
  dnsDomain: {domain}
  serviceAccountTokens: {{issuer: "https://issuer.example.com", audiences: [ml.example.com]}}
networkPolicies: true
gateway: GATEWAY
ingress: {{kind: cloud, host: ml.example.com, tls: {{secret: ml}}}}
components:
GATEWAYS  dex:
    namespace: {dex}
    connectors: [{{id: campus, ldap: {{host: ldap.example.com, users: {{baseDn: "ou=people,dc=example,dc=com"}}}}}}]
  oauth2-proxy: {{namespace: {proxy}, passToken: true, redis: {{host: redis.example.com}}}}
  kubeflow-roles: {{}}
  landing-page: {{namespace: {page}}}
  jupyterhub: {{namespace: {hub}}}
  sealed-secrets: {{namespace: {sealing}}}
teams:
  - name: vision
    namespace: {team}
    members: [{{name: li@example.com}}, {{name: ada@example.com, quota: {{cpu: "8"}}}}]
    groups: [{{name: vision}}]
"""
MESH = (
    "  istio: {{namespace: {mesh}, inject: [{team}, {team}-ada], trustDomain: {trust}}}\n"
    "  istio-cni: {{}}\n"
    "  istio-ingress-gateway: {{namespace: {door}API}}\n"
)
GATEWAYS = {
    "istio": ("istio-ingress-gateway", MESH.replace("API", "")),
    "gateway-api": ("istio-ingress-gateway", MESH.replace("API", ", api: gateway-api") + "  gateway-api: {{}}\n"),
    "emissary": ("emissary", '  emissary: {{release: "3.10.0", namespace: {door}}}\n'),
}
USUAL = {
    "domain": "cluster.local",
    "trust": "cluster.local",
    "mesh": "istio-system",
    "door": "istio-system",
    "dex": "auth",
    "proxy": "oauth2-proxy",
    "page": "landing-page",
    "hub": "jupyterhub",
    "team": "team-vision",
    "sealing": "kube-system",
}
OTHERS = {
    "domain": "lab.internal",
    "trust": "ml.example.org",
    "mesh": "meshes",
    "door": "doorway",
    "dex": "identity",
    "proxy": "entrance",
    "page": "pages",
    "hub": "servers",
    "team": "seeing",
    "sealing": "sealing",
}
BUILT_IN = (
    r"cluster\.local",
    r'"namespace": "(auth|oauth2-proxy|istio-system|emissary|landing-page|jupyterhub|team-vision)"',
    r"\b(dex\.auth|oauth2-proxy\.oauth2-proxy|hub\.jupyterhub|proxy-public\.jupyterhub|landing-page\.landing-page)\b",
    r"/ns/(auth|oauth2-proxy|istio-system|emissary|team-vision)",
    r"\bteam-vision\b",
)
OF_MESH = (r"/ns/(auth|oauth2-proxy|istio-system|emissary|team-vision)",)
"""What only a stack with a mesh says."""
SAID = {
    "istio": (
        "http://dex.identity.svc.lab.internal:5556/dex/token",
        "oauth2-proxy.entrance.svc.lab.internal",
        "ml.example.org/ns/doorway/sa/istio-ingressgateway-service-account",
        "http://hub.servers.svc.lab.internal",
        "system:serviceaccount:seeing:*",
    ),
    "gateway-api": (
        "http://dex.identity.svc.lab.internal:5556/dex/token",
        "oauth2-proxy.entrance.svc.lab.internal",
        "ml.example.org/ns/doorway/sa/istio-ingressgateway-service-account",
        "http://hub.servers.svc.lab.internal",
    ),
    "emissary": (
        "http://dex.identity.svc.lab.internal:5556/dex/token",
        "oauth2-proxy.entrance.svc.lab.internal",
        "http://hub.servers.svc.lab.internal",
    ),
}


def written(root: Path, gateway: str, names: dict[str, str]) -> str:
    """The objects of a stack of these names as text, without CRDs, which describe their fields.

    What they refer to is there, or the run would have ended.
    """
    name, components = GATEWAYS[gateway]
    text = STACK.replace("GATEWAYS", components).replace("GATEWAY", name).format(**names)
    stack = rendered_stack(root, text, name="people")
    made = [item.manifest for each in stack.components.values() for item in each.objects]
    return "\n".join(json.dumps(each) for each in made if each["kind"] != "CustomResourceDefinition")


@pytest.fixture(scope="module", params=[*GATEWAYS])
def moved(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A gateway, and all objects of the stack whose names are others."""
    return request.param, written(tmp_path_factory.mktemp("moved"), request.param, OTHERS)


def test_nothing_says_a_name_that_the_stack_has_changed(moved: tuple[str, str]) -> None:
    _, text = moved

    assert {each: found for each in BUILT_IN if (found := re.findall(rf".{{0,80}}{each}.{{0,40}}", text))} == {}


def test_each_finds_the_others_there(moved: tuple[str, str]) -> None:
    gateway, text = moved

    assert [each for each in SAID[gateway] if each not in text] == []


@pytest.mark.parametrize("gateway", GATEWAYS)
def test_the_usual_names_would_be_found(tmp_path: Path, gateway: str) -> None:
    text = written(tmp_path, gateway, USUAL if gateway != "emissary" else {**USUAL, "door": "emissary"})
    missing = [each for each in BUILT_IN if not re.search(each, text)]

    assert missing == ([*OF_MESH] if gateway == "emissary" else [])
