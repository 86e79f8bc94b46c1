"""The two files of oauth2-proxy: its settings, and the structured ones that say what it adds to its answers.

It answers the gateway's question and passes nothing on: the one upstream is the answer itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from platform_def.capabilities import Identity
from platform_def.components.people.oauth2_proxy.config import Oauth2ProxyConfig

PREFIX, HTTP, METRICS = "/oauth2", 4180, 44180
FOLDER = "/etc/oauth2_proxy"
CLIENT_FILE, COOKIE_FILE = f"{FOLDER}/client/client-secret", f"{FOLDER}/cookie/cookie-secret"
CA_FILE, REDIS_CA_FILE = f"{FOLDER}/issuer-ca/ca.crt", f"{FOLDER}/redis-ca/ca.crt"
EVERYONE, EVERYONE_VARIABLE = "system:authenticated", "EVERYONES_GROUP"
"""The group of all who signed in, as Kubernetes calls it, and the variable that holds it.

It leads the list of groups so that the header is never absent: what a client sends under that name would pass."""


def settings(
    config: Oauth2ProxyConfig, *, address: str, several: bool, api_routes: list[str], issuers: list[str]
) -> str:
    """The file of settings, TOML: of what it holds JSON writes the same.

    Where the gateway has `several` hosts, oauth2-proxy takes the host of each request for the callback, when no
    `redirect_url` names one. Cookies name no domain, so a session is of the host that made it. `issuers` are further
    ones whose tokens pass, each with its audience.
    """
    lines: dict[str, object] = {
        "proxy_prefix": PREFIX,
        **({} if several else {"redirect_url": f"{address}{PREFIX}/callback"}),
        "reverse_proxy": True,
        "trusted_proxy_ips": [*config.trusted_proxies],
        "email_domains": [*config.email_domains] or ["*"],
        "skip_provider_button": True,
        "silence_ping_logging": True,
        "cookie_name": "platform_session",
        "cookie_secret_file": COOKIE_FILE,
        "cookie_secure": address.startswith("https:"),
        "cookie_httponly": True,
        "cookie_samesite": "lax",
        "cookie_expire": f"{config.session_hours}h",
        "skip_jwt_bearer_tokens": config.bearer_tokens,
    }
    if config.refresh_minutes:
        lines["cookie_refresh"] = f"{config.refresh_minutes}m"
    if api_routes:
        lines["api_routes"] = api_routes
    if issuers:
        lines["extra_jwt_issuers"] = issuers
    lines |= _session(config)
    return "".join(f"{key} = {json.dumps(value)}\n" for key, value in lines.items())


def _session(config: Oauth2ProxyConfig) -> dict[str, object]:
    redis = config.redis
    if redis is None:
        # Without tokens the cookie is small.
        return {"session_store_type": "cookie", "session_cookie_minimal": True}
    scheme = "rediss" if redis.tls else "redis"
    ca = {"redis_ca_path": REDIS_CA_FILE} if redis.ca else {}
    return {
        "session_store_type": "redis",
        "redis_connection_url": f"{scheme}://{redis.host}:{redis.port}",
        **ca,
    }


def structured(config: Oauth2ProxyConfig, identity: Identity, *, authorities: Sequence[str]) -> dict[str, object]:
    """The structured file: the issuer, and the headers of an answer that lets a request pass.

    `authorities` are files of private ones, by which it trusts other servers than the issuer.
    """
    answer = {"id": "answer", "path": "/", "static": True, "staticCode": 200}
    return {
        "server": {"bindAddress": f"0.0.0.0:{HTTP}"},
        "metricsServer": {"bindAddress": f"0.0.0.0:{METRICS}"},
        "upstreamConfig": {"upstreams": [answer]},
        "injectResponseHeaders": _headers(config, identity),
        "providers": [_provider(config, identity, authorities)],
    }


def _headers(config: Oauth2ProxyConfig, identity: Identity) -> list[dict[str, object]]:
    user: dict[str, str] = {"claim": "email"}
    if identity.user_prefix:
        user["prefix"] = identity.user_prefix
    made: list[dict[str, object]] = [{"name": identity.user_header, "values": [{"claimSource": user}]}]
    if identity.groups_header:
        values: list[Mapping[str, object]] = [
            {"secretSource": {"fromEnv": EVERYONE_VARIABLE}},
            {"claimSource": {"claim": "groups"}},
        ]
        made.append({"name": identity.groups_header, "values": values})
    if config.pass_token:
        token = {"claimSource": {"claim": "id_token", "prefix": "Bearer "}}
        made.append({"name": "authorization", "values": [token]})
    return made


def scopes(config: Oauth2ProxyConfig, identity: Identity) -> list[str]:
    """What it asks the issuer for."""
    groups = ["groups"] if identity.clients_namespace else []
    offline = ["offline_access"] if config.refresh_minutes else []
    return [*config.scopes] or ["openid", "email", "profile", *groups, *offline]


def _provider(config: Oauth2ProxyConfig, identity: Identity, authorities: Sequence[str]) -> dict[str, object]:
    known = bool(identity.authorization_url and identity.token_url and identity.keys_url)
    oidc: dict[str, object] = {
        "issuerURL": identity.issuer,
        "emailClaim": identity.user_claim,
        "groupsClaim": identity.groups_claim,
        "audienceClaims": ["aud"],
        "insecureAllowUnverifiedEmail": config.unverified_email,
    }
    made: dict[str, object] = {
        "id": "identity",
        "provider": "oidc",
        "clientID": config.client_id,
        "clientSecretFile": CLIENT_FILE,
        "scope": " ".join(scopes(config, identity)),
        "code_challenge_method": "S256",
        "oidcConfig": oidc,
    }
    if known:
        oidc |= {"skipDiscovery": True, "jwksURL": identity.keys_url}
        made |= {"loginURL": identity.authorization_url, "redeemURL": identity.token_url}
    trusted = [*([CA_FILE] if config.ca else []), *authorities]
    if trusted:
        made |= {"caFiles": trusted, "useSystemTrustStore": True}
    return made
