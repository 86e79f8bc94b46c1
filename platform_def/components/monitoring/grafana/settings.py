"""Grafana's files: grafana.ini, its data sources, and where it looks for dashboards. None holds a secret."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from platform_def.capabilities import AlertRouter, Identity, Metrics
from platform_def.components.monitoring.grafana.config import GrafanaConfig, GrafanaOidc
from platform_def.constructs import Setting, yaml_file
from platform_def.constructs.component import AnyComponent

PATH = "/grafana/"
DASHBOARDS = "/dashboards"
"""The folder that the reader of ConfigMaps fills."""
Sections = Mapping[str, Mapping[str, object]]


def address(at: Setting[Any]) -> str:
    """Where people reach the pages; empty where the stack does not say."""
    ingress = at.platform.ingress
    if at.config.access == "administrators" or not ingress.host:
        return ""
    return f"{ingress.scheme}://{ingress.host}{PATH}"


def ini(component: AnyComponent) -> str:
    """grafana.ini: what differs from Grafana's defaults."""
    config: GrafanaConfig = component.config
    served, known = config.access != "administrators", address(component.setting)
    root: dict[str, object] = {"root_url": known or f"%(protocol)s://%(domain)s{PATH}", "serve_from_sub_path": True}
    sections: dict[str, dict[str, object]] = {
        "server": root if served else {},
        # No call to grafana.com: versions, statistics, plugins, pictures of people.
        "analytics": {"reporting_enabled": False, "check_for_updates": False, "check_for_plugin_updates": False},
        "plugins": {"preinstall_disabled": True, "plugin_admin_enabled": False},
        "security": {"disable_gravatar": True, "cookie_secure": known.startswith("https"), "cookie_samesite": "lax"},
        "news": {"news_feed_enabled": False},
        "snapshots": {"external_enabled": False},
        "users": {"allow_sign_up": False, "auto_assign_org_role": config.role},
        "log": {"mode": "console"},
        "unified_alerting": {"enabled": False},  # alerts are Prometheus' and Alertmanager's
    }
    sections |= _sign_in(component)
    return "\n".join(
        f"[{name}]\n" + "".join(f"{key} = {_text(value)}\n" for key, value in section.items())
        for name, section in sorted(sections.items())
        if section
    )


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _sign_in(component: AnyComponent) -> dict[str, dict[str, object]]:
    config: GrafanaConfig = component.config
    if config.access == "people":
        identity = component.one(Identity).value
        proxy = {
            "enabled": True,
            "header_name": identity.user_header,
            "header_property": "username",
            "auto_sign_up": True,
            "enable_login_token": False,
        }
        return {"auth.proxy": proxy, "auth": {"disable_login_form": True}}
    return {"auth.generic_oauth": _oauth(component.setting, config.oidc)} if config.oidc else {}


def issuer(at: Setting[Any], oidc: GrafanaOidc) -> str:
    """The provider's address: the client's own, or that of the stack's identity provider; empty: not known."""
    given = None if oidc.issuer else at.maybe(Identity)
    return str(oidc.issuer or (given.value.issuer if given else "")).rstrip("/")


def _oauth(at: Setting[Any], oidc: GrafanaOidc) -> dict[str, object]:
    base = issuer(at, oidc)
    made: dict[str, object] = {
        "enabled": True,
        "name": "Single sign-on",
        "client_id": oidc.client_id,
        "scopes": " ".join(oidc.scopes),
        "auth_url": f"{base}{oidc.authorize_path}",
        "token_url": f"{base}{oidc.token_path}",
        "api_url": f"{base}{oidc.userinfo_path}",
        "use_pkce": True,
        "allow_sign_up": True,
        "login_attribute_path": "email",
        "groups_attribute_path": "groups",
    }
    if oidc.admins or oidc.editors:
        made["role_attribute_path"] = roles(oidc, at.config.role)
    return made


def roles(oidc: GrafanaOidc, other: str) -> str:
    """Who may do what, in the language of Grafana's setting (JMESPath)."""
    parts = [
        f"contains(groups[*], '{group}') && '{role}'"
        for role, groups in (("Admin", oidc.admins), ("Editor", oidc.editors))
        for group in groups
    ]
    return " || ".join([*parts, f"'{other}'"])


def sources(component: AnyComponent) -> str:
    """Where metrics and alerts are asked for."""
    found: list[dict[str, object]] = []
    metrics = component.maybe(Metrics)
    if metrics and metrics.value.address:
        more = {"timeInterval": "30s", "httpMethod": "POST"}
        found.append(_source("prometheus", "Prometheus", str(metrics.value.address), more, default=True))
    router = component.maybe(AlertRouter)
    if router and router.value.address:
        found.append(
            _source("alertmanager", "Alertmanager", str(router.value.address), {"implementation": "prometheus"})
        )
    return yaml_file({"apiVersion": 1, "prune": True, "datasources": found})


def _source(kind: str, name: str, url: str, more: Mapping[str, object], *, default: bool = False) -> dict[str, object]:
    return {
        "name": name,
        "uid": kind,
        "type": kind,
        "access": "proxy",
        "url": url.rstrip("/"),
        "isDefault": default,
        "editable": False,
        "jsonData": {**more},
    }


def providers() -> str:
    """That dashboards are the files of a folder; people cannot change these, only copies."""
    provider = {
        "name": "platform",
        "type": "file",
        "disableDeletion": False,
        "allowUiUpdates": False,
        "updateIntervalSeconds": 30,
        "options": {"path": DASHBOARDS, "foldersFromFilesStructure": True},
    }
    return yaml_file({"apiVersion": 1, "providers": [provider]})
