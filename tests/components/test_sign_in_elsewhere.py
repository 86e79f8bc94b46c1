"""Parts of sign-in find each other where the stack has them: no name of a namespace or domain is built in."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cluster.stacks import rendered_stack

STACK = """\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.35", dnsDomain: {domain}}}
networkPolicies: true
gateway: istio-ingress-gateway
ingress: {{kind: cloud, host: ml.example.com, tls: {{secret: ml}}}}
components:
  istio: {{inject: [team-vision], trustDomain: {trust}}}
  istio-cni: {{}}
  istio-ingress-gateway: {{}}
  dex:
    namespace: {dex}
    connectors: [{{id: campus, ldap: {{host: ldap.example.com, users: {{baseDn: "ou=people,dc=example,dc=com"}}}}}}]
  oauth2-proxy: {{namespace: {proxy}, passToken: true, redis: {{host: redis.example.com}}}}
  kubeflow-roles: {{}}
  landing-page: {{}}
  sealed-secrets: {{namespace: {sealing}}}
teams:
  - {{name: vision, members: [{{name: li@example.com}}], groups: [{{name: vision}}]}}
"""
OWN = {
    "domain": "cluster.local",
    "trust": "cluster.local",
    "dex": "auth",
    "proxy": "oauth2-proxy",
    "sealing": "kube-system",
}
ELSEWHERE = {
    "domain": "lab.internal",
    "trust": "ml.example.org",
    "dex": "identity",
    "proxy": "entrance",
    "sealing": "sealing",
}


def written(root: Path, names: dict[str, str]) -> list[str]:
    """The objects of a stack of these names, each as text, without CRDs, which describe their fields.

    What they refer to is there, or the run would have ended.
    """
    stack = rendered_stack(root, STACK.format(**names), name="people")
    made = [item.manifest for each in stack.components.values() for item in each.objects]
    return [json.dumps(each) for each in made if each["kind"] != "CustomResourceDefinition"]


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> str:
    """All objects of the stack whose names are others."""
    return "\n".join(written(tmp_path_factory.mktemp("moved"), ELSEWHERE))


BUILT_IN = (r"cluster\.local", r'"namespace": "(auth|oauth2-proxy)"', r"\b(dex\.auth|oauth2-proxy\.oauth2-proxy)\b")


@pytest.mark.parametrize("literal", BUILT_IN)
def test_nothing_says_a_name_that_the_stack_has_changed(moved: str, literal: str) -> None:
    assert re.findall(rf".{{0,80}}{literal}.{{0,40}}", moved) == []


@pytest.mark.parametrize(
    "said",
    [
        "http://dex.identity.svc.lab.internal:5556/dex/token",
        "oauth2-proxy.entrance.svc.lab.internal",
        "ml.example.org/ns/istio-system/sa/istio-ingressgateway-service-account",
    ],
)
def test_each_finds_the_others_there(moved: str, said: str) -> None:
    assert said in moved


def test_the_usual_names_would_be_found(tmp_path: Path) -> None:
    text = "\n".join(written(tmp_path, OWN))

    assert [literal for literal in BUILT_IN if not re.search(literal, text)] == []
