"""JupyterHub as the stack has it, from `platform.json`; runs in the hub, from a ConfigMap.

What people may start is decided at each start, by their name and their groups as the hub knows them: a choice that is
not theirs is not in the list, and the list is what a request is held against.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import urllib.request
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

Settings = dict[str, Any]
SECONDS = 30


def configure(c: Any, settings_file: Path, secrets: Path) -> None:
    """Everything; `c` is the configuration that JupyterHub reads."""
    settings: Settings = json.loads(settings_file.read_text())
    _hub(c, settings, secrets)
    _database(c, settings["database"])
    _services(c, settings, secrets)
    if settings["login"]["kind"] == "oidc":
        _sign_in(c, settings, secrets)
    else:
        _password(c, settings, secrets)
    _spawner(c, settings)


def _hub(c: Any, settings: Settings, secrets: Path) -> None:
    c.JupyterHub.bind_url = f"http://:8000{settings['base_url']}"
    c.JupyterHub.hub_bind_url = "http://:8081"
    c.JupyterHub.hub_connect_url = settings["hub_url"]
    c.JupyterHub.cookie_secret = hashlib.sha256(_read(secrets, "cookie-secret").encode()).digest()
    c.JupyterHub.cookie_max_age_days = 1  # who leaves a group is known at the next sign-in
    c.JupyterHub.cleanup_servers = False
    c.JupyterHub.cleanup_proxy = False
    c.JupyterHub.last_activity_interval = min(60, told_often_enough(settings["idle_seconds"]))
    c.JupyterHub.concurrent_spawn_limit = 64
    c.JupyterHub.proxy_class = "jupyterhub.proxy.ConfigurableHTTPProxy"
    c.ConfigurableHTTPProxy.should_start = False
    c.ConfigurableHTTPProxy.api_url = settings["proxy_api_url"]
    c.ConfigurableHTTPProxy.auth_token = _read(secrets, "proxy-token")
    c.Authenticator.admin_users = set(settings["admins"]["names"])
    c.Authenticator.allow_existing_users = False  # a former member would stay permanently
    c.Authenticator.allow_all = _has_guests(settings)
    c.Authenticator.allowed_users = {name for place in settings["places"] for name in place["members"]}


def told_often_enough(idle_seconds: int) -> int:
    """Seconds after which the hub must hear of a server's use again, so that it ends none that is used.

    The proxy tells of requests when it is asked. Of what runs without them, such as a notebook that computes while
    its page is closed, the server itself tells, every 300 seconds give or take a tenth unless it is told otherwise,
    and tries for a minute where the hub does not answer.
    """
    return max(10, min(300, idle_seconds // 3)) if idle_seconds else 300


def _database(c: Any, database: Settings) -> None:
    if "file" in database:
        c.JupyterHub.db_url = f"sqlite:///{database['file']}"
        return
    user, password = (quote(os.environ[name], safe="") for name in ("DATABASE_USER", "DATABASE_PASSWORD"))
    mysql = database["engine"] == "mysql"
    driver = "mysql+pymysql" if mysql else "postgresql+psycopg2"
    c.JupyterHub.db_url = f"{driver}://{user}:{password}@{database['host']}:{database['port']}/{database['name']}"
    modes = {"off": "disable", "optional": "prefer", "required": "require"}
    if not mysql:
        c.JupyterHub.db_kwargs = {"connect_args": {"sslmode": modes[database["tls"]]}}
    elif database["tls"] == "required":
        c.JupyterHub.db_kwargs = {"connect_args": {"ssl": {"verify_mode": "none"}}}


def _services(c: Any, settings: Settings, secrets: Path) -> None:
    """Who reads the metrics, and who ends idle servers; each with no more rights than that."""
    services: list[Settings] = [{"name": "prometheus", "api_token": _read(secrets, "metrics-token")}]
    roles: list[Settings] = [{"name": "prometheus", "scopes": ["read:metrics"], "services": ["prometheus"]}]
    if settings["idle_seconds"]:
        command = [sys.executable, "-m", "jupyterhub_idle_culler", f"--timeout={settings['idle_seconds']}"]
        every = max(30, min(600, settings["idle_seconds"] // 2))
        services.append({"name": "idle-culler", "command": [*command, f"--cull-every={every}"]})
        scopes = ["list:users", "read:users:activity", "read:servers", "delete:servers"]
        roles.append({"name": "idle-culler", "scopes": scopes, "services": ["idle-culler"]})
    c.JupyterHub.services = services
    c.JupyterHub.load_roles = roles


def _password(c: Any, settings: Settings, secrets: Path) -> None:
    c.JupyterHub.authenticator_class = "shared-password"
    c.SharedPasswordAuthenticator.user_password = _read(secrets, "password")
    if settings["admins"]["names"]:
        c.SharedPasswordAuthenticator.admin_password = _read(secrets, "admin-password")
        c.Authenticator.post_auth_hook = admins_by_their_own_password


def admins_by_their_own_password(authenticator: Any, _handler: Any, person: Settings) -> Settings:
    """Refuses an administrator's name with everyone's password.

    JupyterHub before 5.5.3 looks for the name among the administrators as it was typed, and makes it lower case
    afterwards: `Ada` would sign in as `ada`.
    """
    if person["name"] in authenticator.admin_users and not person["admin"]:
        raise refusal(f"{person['name']} signs in with the administrators' password")
    return person


def _sign_in(c: Any, settings: Settings, secrets: Path) -> None:
    login = settings["login"]
    found = login if login["authorize_url"] and login["token_url"] else _discovered(login["issuer"])
    oauth = c.GenericOAuthenticator
    c.JupyterHub.authenticator_class = "generic-oauth"
    c.Authenticator.auto_login = True
    oauth.client_id = login["client_id"]
    oauth.client_secret = _read(secrets, "client-secret")
    oauth.oauth_callback_url = login["callback_url"]
    oauth.authorize_url = login["authorize_url"] or found["authorization_endpoint"]
    oauth.token_url = login["token_url"] or found["token_endpoint"]
    oauth.scope = login["scopes"]
    oauth.userdata_from_id_token = True  # fetched from the issuer itself
    oauth.username_claim = name_by(login["user_claim"], unverified=login["unverified_email"])
    oauth.manage_groups = True
    oauth.auth_state_groups_key = groups_by(login["groups_claim"])
    oauth.allowed_groups = {name for place in settings["places"] for name in place["groups"]}
    oauth.admin_groups = set(settings["admins"]["groups"])


def _discovered(issuer: str) -> Settings:
    """The issuer's endpoints, as it publishes them."""
    address = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
    with urllib.request.urlopen(address, timeout=SECONDS) as answer:  # noqa: S310 - the stack's own address
        found: Settings = json.loads(answer.read())
    return found


def name_by(claim: str, *, unverified: bool) -> Callable[[Settings], str]:
    """Who a person is by a claim of the token; an address that the issuer calls unverified is nobody's."""

    def name(user: Settings) -> str:
        if claim == "email" and not unverified and user.get("email_verified") is False:
            raise refusal(f"{user.get('email')} is not verified: confirm the address where you sign in")
        if not user.get(claim):
            raise refusal(f"the identity provider says no '{claim}' of you")
        return str(user[claim])

    return name


def groups_by(claim: str) -> Callable[[Settings], list[str]]:
    """Groups of a claim; none where the token has none."""

    def groups(state: Settings) -> list[str]:
        return [str(each) for each in state["oauth_user"].get(claim) or []]

    return groups


def _spawner(c: Any, settings: Settings) -> None:
    c.JupyterHub.spawner_class = "kubespawner.KubeSpawner"
    for name, value in settings["spawner"].items():
        setattr(c.KubeSpawner, name, value)
    often = {"JUPYTERHUB_ACTIVITY_INTERVAL": str(told_often_enough(settings["idle_seconds"]))}
    c.KubeSpawner.environment = {**settings["spawner"].get("environment", {}), **often}

    def offered(spawner: Any) -> list[Settings]:
        found = profiles(settings, spawner.user.name, [group.name for group in spawner.user.groups])
        if not found:  # without a profile a server would start as nobody meant it
            raise refusal("No team of yours may start servers: ask the platform team to add you to one.")
        return found

    c.KubeSpawner.profile_list = offered


def refusal(text: str) -> Exception:
    """What the browser shows as an answer 403."""
    from tornado.web import HTTPError  # type: ignore[import-not-found]  # JupyterHub's own

    made: Exception = HTTPError(403, "%s", text)
    return made


def places_of(settings: Settings, name: str, groups: Iterable[str]) -> list[Settings]:
    """Namespaces in which a person may start servers: those of their teams, else those that guests have."""
    known = set(groups)
    own = [each for each in settings["places"] if name.lower() in each["members"] or known & set(each["groups"])]
    return own or [each for each in settings["places"] if each["guests"]]


def profiles(settings: Settings, name: str, groups: Iterable[str]) -> list[Settings]:
    """What a person may start, as KubeSpawner takes it."""
    places = places_of(settings, name, groups)
    return [_profile(settings, place, each, alone=len(places) == 1) for place in places for each in place["profiles"]]


def _profile(settings: Settings, place: Settings, profile: Settings, *, alone: bool) -> Settings:
    title = profile["display_name"] if alone else f"{place['title']}: {profile['display_name']}"
    images = {name: settings["images"][name] for name in profile["images"]}
    options = {"image": {"display_name": "Image", "choices": images}, **profile.get("profile_options", {})}
    return {
        "slug": f"{place['namespace']}--{profile['slug']}",
        "display_name": title,
        "description": profile["description"],
        "kubespawner_override": merged(place["kubespawner_override"], profile["kubespawner_override"]),
        "profile_options": options,
    }


def merged(one: Settings, other: Settings) -> Settings:
    """Both, map by map; the second wins."""
    made = dict(one)
    for key, value in other.items():
        both = isinstance(value, dict) and isinstance(made.get(key), dict)
        made[key] = merged(made[key], value) if both else value
    return made


def _has_guests(settings: Settings) -> bool:
    return any(place["guests"] for place in settings["places"])


def _read(secrets: Path, name: str) -> str:
    return (secrets / name).read_text().strip()
