"""oauth2-proxy: has people sign in at the stack's identity provider before a request passes the gateway.

The gateway asks it about each request. Its answer names the person in the header that applications read; a browser
without a session is sent to the issuer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

from platform_def.apis.core.core_v1 import Container, PodSpec, Volume, VolumeMount
from platform_def.capabilities import AuthorizationService, CertificateIssuer, GatewayPath, Identity, OidcClient
from platform_def.capabilities.secrets import needs_of
from platform_def.components.people.oauth2_proxy import files, machines
from platform_def.components.people.oauth2_proxy.config import Oauth2ProxyConfig
from platform_def.components.people.oauth2_proxy.files import FOLDER
from platform_def.components.people.oauth2_proxy.releases import BOARD, FACTS, NAME, RULES
from platform_def.config.secrets import CaSource
from platform_def.constructs import (
    RESTRICTED_LEVEL,
    Alerts,
    Component,
    Dashboards,
    ExistingObject,
    Health,
    Need,
    Offers,
    Operator,
    PodSettings,
    Problem,
    Route,
    SecretUse,
    Setting,
    config_map,
    env,
    mounts,
    need,
    port,
    restart_on_change,
    secret_name,
    secret_of,
    yaml_file,
)
from platform_def.constructs.route import gateway_of

CLIENT, COOKIE, REDIS = "oauth2-proxy-client", "oauth2-proxy-cookie", "oauth2-proxy-redis"
SETTINGS, STRUCTURED = "oauth2_proxy.cfg", "structured.yaml"
IDENTITY = need(Identity, order="any")
SIGNED = need(CertificateIssuer)


class Oauth2Proxy(Component[Oauth2ProxyConfig]):
    """The proxy with its secrets, its Service and its route."""

    pod_security = RESTRICTED_LEVEL
    gives = (AuthorizationService, OidcClient, GatewayPath)

    @classmethod
    def needs_of(cls, at: Setting[Oauth2ProxyConfig]) -> tuple[Need[Any], ...]:
        """An identity provider, who keeps its Secrets, and who signs for the keys that the stack names."""
        config, tokens = at.config, at.platform.service_account_tokens
        signed = (SIGNED,) if tokens and tokens.keys == "inline" else ()
        sources = (config.client_secret, config.cookie_secret, config.redis.password if config.redis else None)
        return (IDENTITY, *signed, *dict.fromkeys(each for source in sources for each in needs_of(source)))

    @classmethod
    def offers(cls, at: Setting[Oauth2ProxyConfig]) -> Offers:
        """Whom gateways ask, what it adds to requests, and itself as a client of the issuer."""
        identity, config = at.one(IDENTITY).value, at.config
        token = "authorization" if config.pass_token else ""
        asked = AuthorizationService(
            name=NAME,
            host=f"{NAME}.{config.namespace}.svc.{at.platform.dns_domain}",
            port=80,
            sees=("accept", "authorization", "cookie"),
            adds=tuple(each.lower() for each in (identity.user_header, identity.groups_header, token) if each),
        )
        addresses, place = at.platform.ingress.all_addresses(), identity.clients_namespace
        own = GatewayPath(path=f"{files.PREFIX}/", access="public")
        client = OidcClient(
            id=config.client_id,
            name="Platform",
            redirect_uris=[f"{each}{files.PREFIX}/callback" for each in addresses],
            secret=secret_name(config.client_secret, CLIENT, at.platform),
            secret_key=config.client_secret.key("client-secret"),
        )
        authorities = (config.ca, config.redis.ca if config.redis else None)
        existing = tuple(ExistingObject("ConfigMap", each.config_map, config.namespace) for each in authorities if each)
        return Offers(capabilities=(asked, own, *((client,) if place else ())), existing=existing)

    @classmethod
    def problems(cls, at: Setting[Oauth2ProxyConfig]) -> Iterator[Problem]:
        """No address that browsers could return to; a secret that an issuer outside does not know."""
        here, knob = ("components", at.name), f"components.{at.name}"
        if gateway_of(at.platform) is None:
            text = f"{knob}: the stack has no gateway that could ask it"
            yield Problem(text, hint="add one and name it under `gateway:`", at=here)
        elif at.platform.ingress.host is None:
            text = f"{knob}: the stack has no host to which browsers return after they signed in"
            yield Problem(text, hint="write `ingress: {host: …}`", at=here)
        given = at.maybe(IDENTITY)
        if given and not given.value.clients_namespace and at.config.client_secret.generate:
            text = (
                f"{knob}.clientSecret: {given.value.issuer} is outside the stack and does not know a generated secret"
            )
            hint = (
                f"register the client {at.config.client_id} there, and name its Secret: `clientSecret: {{existing: …}}`"
            )
            yield Problem(text, hint=hint, at=(*here, "clientSecret"))
        yield from machines.problems(at)

    def build(self) -> None:
        """Everything that has people sign in."""
        identity, config = self.one(IDENTITY).value, self.config
        machine = machines.Machines(self.platform.service_account_tokens)
        address = self.platform.ingress.address() or "http://localhost"  # without a host there is a problem
        homes = tuple(dict.fromkeys(filter(None, (self.namespace, identity.clients_namespace))))
        client = secret_of(self, CLIENT, config.client_secret, keys=("client-secret",), namespaces=homes)
        cookie = secret_of(self, COOKIE, config.cookie_secret, keys=("cookie-secret",))
        text = {
            SETTINGS: files.settings(
                config,
                address=address,
                several=bool(self.platform.ingress.further_hosts),
                api_routes=[*self._api_routes()],
                issuers=machine.issuers(),
            ),
            STRUCTURED: yaml_file(files.structured(config, identity, authorities=machine.authorities())),
            **machine.files(config),
        }
        config_map(self, NAME, text)
        volumes: list[Volume] = [
            {"name": "files", "configMap": {"name": NAME}},
            client.volume("client", "client-secret"),
            cookie.volume("cookie", "cookie-secret"),
            *_authority("issuer-ca", config.ca),
            *_authority("redis-ca", config.redis.ca if config.redis else None),
            *machine.volumes(),
        ]
        beside = machine.pod(self.release.image)
        machine.make(self)
        Operator(
            self,
            NAME,
            container=self._container([each["name"] for each in volumes if each["name"] != "keys"]),
            replicas=2,
            ha_replicas=2,
            health=Health("http", live="/ping", ready="/ready"),
            metrics=port("metrics", files.METRICS),
            ports=[port("http", 80, files.HTTP)],
            facts=FACTS,
            pod=PodSettings(
                cast(
                    PodSpec,
                    {
                        **beside,
                        "automountServiceAccountToken": False,
                        "enableServiceLinks": False,
                        "securityContext": {"fsGroup": FACTS.user, **machine.sysctls()},  # reads the mounted Secrets
                        "volumes": volumes,
                    },
                ),
                annotations=restart_on_change(*text.values()),
            ),
        )
        Route(self, NAME, path=f"{files.PREFIX}/", service=NAME, port=80, auth="public")
        Dashboards(self, [BOARD], tables=Alerts(self, RULES).tables)

    def _api_routes(self) -> Iterator[str]:
        """Paths of programs, which get 401 in place of a page to sign in."""
        for given in self.platform.all(GatewayPath):
            if given.value.access == "api":
                end = "" if given.value.path.endswith("/") else "$"
                yield f"^{re.escape(given.value.path)}{end}"

    def _container(self, volumes: list[str]) -> Container:
        variables = {files.EVERYONE_VARIABLE: files.EVERYONE}
        redis = self.config.redis
        password: SecretUse | None = None
        if redis and redis.password:
            password = secret_of(self, REDIS, redis.password, keys=("password",))
        secrets = [password.env("OAUTH2_PROXY_REDIS_PASSWORD", "password")] if password else []
        folders: list[VolumeMount] = mounts({each: f"{FOLDER}/{each}" for each in volumes}, read_only=True)
        return {
            "name": NAME,
            "image": self.release.image,
            "args": [f"--config={FOLDER}/files/{SETTINGS}", f"--alpha-config={FOLDER}/files/{STRUCTURED}"],
            "env": [*env(variables), *secrets],
            "ports": [
                {"name": "http", "containerPort": files.HTTP, "protocol": "TCP"},
                {"name": "metrics", "containerPort": files.METRICS, "protocol": "TCP"},
            ],
            "volumeMounts": folders,
            "resources": {"requests": {"cpu": "20m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        }


def _authority(name: str, ca: CaSource | None) -> list[Volume]:
    if ca is None:
        return []
    items: list[dict[str, str]] = [{"key": ca.key, "path": "ca.crt"}]
    return [{"name": name, "configMap": {"name": ca.config_map, "items": items}}]  # type: ignore[typeddict-item]
