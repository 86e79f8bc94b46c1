"""Tokens of ServiceAccounts at the gateway: where oauth2-proxy finds the keys of the cluster's issuer.

It fetches keys at the issuer's own address, and has no setting for another. Keys that the stack names are therefore
served in the pod itself, by a second oauth2-proxy under the issuer's name.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from platform_def.apis.cert_manager.v1 import CERTIFICATE, ISSUER, CertificateSpec
from platform_def.apis.core.core_v1 import Container, HostAlias, PodSpec, Volume
from platform_def.apis.core.rbac_v1 import CLUSTER_ROLE_BINDING
from platform_def.components.people.oauth2_proxy.config import Oauth2ProxyConfig
from platform_def.components.people.oauth2_proxy.files import CLIENT_FILE, COOKIE_FILE, FOLDER
from platform_def.components.people.oauth2_proxy.releases import FACTS, NAME
from platform_def.config.access.tokens import ServiceAccountTokens
from platform_def.constructs import Component, Problem, Resource, Setting, config_map, mounts, secured

KEYS, CLUSTER_CA = "oauth2-proxy-keys", "cluster-ca"
SETTINGS, DOCUMENT = "keys.cfg", "jwks.json"
PATH = f".well-known/{DOCUMENT}"
"""Where oauth2-proxy looks for keys at an issuer that answers no question about itself."""
VALID_HOURS = 87600
"""Ten years: both containers read the certificate when they start."""
UNPRIVILEGED = "net.ipv4.ip_unprivileged_port_start"


@dataclass(frozen=True)
class Machines:
    """What the tokens add to oauth2-proxy."""

    tokens: ServiceAccountTokens | None

    @property
    def _inline(self) -> ServiceAccountTokens | None:
        return self.tokens if self.tokens and self.tokens.keys == "inline" else None

    def issuers(self) -> list[str]:
        """The issuer with each audience."""
        return [f"{self.tokens.issuer}={each}" for each in self.tokens.audiences] if self.tokens else []

    def authorities(self) -> list[str]:
        """Files of authorities that signed the certificate of who has the keys."""
        folders = {"cluster": CLUSTER_CA, "inline": "keys-certificate"}
        name = folders.get(self.tokens.keys) if self.tokens else None
        return [f"{FOLDER}/{name}/ca.crt"] if name else []

    def volumes(self) -> list[Volume]:
        """Volumes of both containers."""
        if self._inline:
            names = [("ca.crt", "ca.crt"), ("tls.crt", "tls.crt"), ("tls.key", "tls.key")]
            items: Any = [{"key": key, "path": path} for key, path in names]
            document: Any = [{"key": DOCUMENT, "path": PATH}]
            return [
                {"name": "keys", "configMap": {"name": KEYS, "items": document}},
                {"name": "keys-certificate", "secret": {"secretName": KEYS, "items": items}},
            ]
        if self.tokens and self.tokens.keys == "cluster":
            published: Any = [{"key": "ca.crt", "path": "ca.crt"}]
            return [{"name": CLUSTER_CA, "configMap": {"name": "kube-root-ca.crt", "items": published}}]
        return []

    def files(self, config: Oauth2ProxyConfig) -> Mapping[str, str]:
        """The settings of the container that serves the keys."""
        return {SETTINGS: _settings(config, self._inline)} if self._inline else {}

    def pod(self, image: str) -> PodSpec:
        """What the pod has beside the proxy: who serves the keys, under the issuer's name."""
        if self._inline is None:
            return {"containers": []}
        alias: HostAlias = {"ip": "127.0.0.1", "hostnames": [self._inline.host]}
        return {"containers": [_server(image)], "hostAliases": [alias]}

    def sysctls(self) -> Mapping[str, object]:
        """The issuer's port may be below 1024, where only root listens unless the pod says otherwise."""
        return {"sysctls": [{"name": UNPRIVILEGED, "value": "0"}]} if self._inline else {}

    def make(self, component: Component[Any]) -> None:
        """Objects beside the pod."""
        if self._inline and self._inline.jwks:
            config_map(component, KEYS, {DOCUMENT: self._inline.jwks.document()})  # read at each request
            _certificate(component, self._inline)
        elif self.tokens and self.tokens.keys == "cluster":
            _open_discovery(component)


def problems(at: Setting[Oauth2ProxyConfig]) -> Iterator[Problem]:
    """Settings under which no ServiceAccount could pass."""
    if at.platform.service_account_tokens is None:
        return
    here, knob = ("components", at.name), f"components.{at.name}"
    if not at.config.bearer_tokens:
        text = f"{knob}.bearerTokens: no token passes, and the stack has `cluster.serviceAccountTokens`"
        yield Problem(text, hint="leave one of them out", at=(*here, "bearerTokens"))
    if at.config.email_domains:
        text = f"{knob}.emailDomains: a ServiceAccount has no e-mail address, so its token would not pass"
        yield Problem(text, hint="leave them out, or `cluster.serviceAccountTokens`", at=(*here, "emailDomains"))


def _settings(config: Oauth2ProxyConfig, tokens: ServiceAccountTokens) -> str:
    """TOML: one path is answered, with a file. Nothing else passes, and no issuer is ever asked."""
    lines: dict[str, object] = {
        "http_address": "-",
        "https_address": f"127.0.0.1:{urlsplit(tokens.issuer).port or 443}",
        "tls_cert_file": f"{FOLDER}/keys-certificate/tls.crt",
        "tls_key_file": f"{FOLDER}/keys-certificate/tls.key",
        "upstreams": [f"file://{FOLDER}/keys#/"],
        "skip_auth_routes": [rf"GET=^/\.well-known/{DOCUMENT.replace('.', chr(92) + '.')}$"],
        "provider": "oidc",
        "oidc_issuer_url": tokens.issuer,
        "skip_oidc_discovery": True,
        "login_url": tokens.issuer,
        "redeem_url": tokens.issuer,
        "oidc_jwks_url": f"{tokens.issuer}/{PATH}",
        "client_id": config.client_id,
        "client_secret_file": CLIENT_FILE,
        "cookie_secret_file": COOKIE_FILE,
        "email_domains": ["*"],
    }
    return "".join(f"{key} = {json.dumps(value)}\n" for key, value in lines.items())


def _server(image: str) -> Container:
    volumes = ("files", "client", "cookie", "keys", "keys-certificate")
    return {
        "name": "keys",
        "image": image,
        "args": [f"--config={FOLDER}/files/{SETTINGS}"],
        "securityContext": secured(FACTS),
        "volumeMounts": mounts({each: f"{FOLDER}/{each}" for each in volumes}, read_only=True),
        "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "128Mi"}},
    }


def _certificate(component: Component[Any], tokens: ServiceAccountTokens) -> None:
    """Signed by itself, for the issuer's name: only this pod believes it."""
    spec: CertificateSpec = {
        "secretName": KEYS,
        "dnsNames": [tokens.host],
        "issuerRef": {"kind": "Issuer", "name": KEYS},
        "duration": f"{VALID_HOURS}h",
    }
    Resource(component, ISSUER, KEYS, spec={"selfSigned": {}})
    Resource(component, CERTIFICATE, KEYS, spec=spec)


def _open_discovery(component: Component[Any]) -> None:
    """The API server's public keys may be read without a login: oauth2-proxy shows none."""
    Resource(
        component,
        CLUSTER_ROLE_BINDING,
        f"{NAME}-issuer-discovery",
        fields={
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": "ClusterRole",
                "name": "system:service-account-issuer-discovery",
            },
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "system:unauthenticated"}],
        },
    )
