"""Who checks tokens of ServiceAccounts: oauth2-proxy for what the gateway asks it, and the proxies of teams' pods in a mesh. No
RequestAuthentication is at the gateway, where it would refuse what other programs send in `Authorization`.

Issuers and audiences follow from `cluster.serviceAccountTokens` alone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.cluster.stacks import rendered_stack

STACK = """\
apiVersion: platform-def/v1
cluster:
  kubernetes: "1.35"
  serviceAccountTokens: {issuer: "https://ISSUER", audiences: AUDIENCES, keys: inline, jwks: {keys: [{kid: one, "n": AQAB, e: AQAB}]}}
gateway: istio-ingress-gateway
ingress: {kind: cloud, host: ml.example.com, tls: {secret: ml}}
components:
  istio: {inject: [team-vision]}
  istio-cni: {}
  istio-ingress-gateway: {}
  dex: {connectors: [{id: campus, ldap: {host: ldap.example.com, users: {baseDn: "ou=people,dc=example,dc=com"}}}]}
  oauth2-proxy: {passToken: true, redis: {host: redis.example.com}}
  kubeflow-roles: {}
  cert-manager: {provided: true}
  landing-page: {}
teams:
  - {name: vision, members: [{name: li@example.com}], groups: [{name: vision}]}
  - {name: speech, members: [{name: ada@example.com}], groups: [{name: speech}]}
"""
ISSUERS = ("tokens.one.example.com", "tokens.two.example.net")
AUDIENCES = (["ml.example.com", "batch"], ["entrance"])


def written(root: Path, issuer: str, audiences: Sequence[str]) -> list[dict[str, Any]]:
    """The objects of a stack whose cluster issues tokens so, without CRDs."""
    text = STACK.replace("ISSUER", issuer).replace("AUDIENCES", json.dumps([*audiences]))
    made = rendered_stack(root, text, name="tokens")
    every = (item.manifest for each in made.components.values() for item in each.objects)
    return [each for each in every if each["kind"] != "CustomResourceDefinition"]


def test_tokens_are_checked_by_who_is_asked_and_at_pods_of_teams_in_the_mesh_alone(tmp_path: Path) -> None:
    found = written(tmp_path, ISSUERS[0], AUDIENCES[0])
    checked = [each for each in found if each["kind"] == "RequestAuthentication"]
    (asked,) = (each for each in found if each["kind"] == "ConfigMap" and "oauth2_proxy.cfg" in each["data"])

    assert [(each["metadata"]["namespace"], each["metadata"]["name"]) for each in checked] == [
        ("team-vision", "members")
    ]
    rules = {each["issuer"]: each for each in checked[0]["spec"]["jwtRules"]}
    assert rules[f"https://{ISSUERS[0]}"]["audiences"] == AUDIENCES[0]
    assert "selector" not in checked[0]["spec"]
    issuers = [f"https://{ISSUERS[0]}={audience}" for audience in AUDIENCES[0]]
    assert f"extra_jwt_issuers = {json.dumps(issuers)}" in asked["data"]["oauth2_proxy.cfg"]


def test_issuer_and_audiences_follow_from_the_one_value_everywhere(tmp_path: Path) -> None:
    first, second = (
        written(tmp_path / issuer, issuer, audiences) for issuer, audiences in zip(ISSUERS, AUDIENCES, strict=True)
    )
    names = {ISSUERS[0]: ISSUERS[1]}

    def told(found: list[dict[str, Any]], issuer: str) -> set[tuple[str, str]]:
        return {(each["kind"], each["metadata"]["name"]) for each in found if issuer in json.dumps(each)}

    for old, new in names.items():
        assert told(first, old) == told(second, new) != set()
        assert told(second, old) == told(first, new) == set()
