"""The hub's own configuration: what it says to JupyterHub, and what a person may start."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from platform_def.components.notebooks.jupyterhub.files import platform_hub

PROFILE = {
    "slug": "small",
    "display_name": "Small",
    "description": "",
    "images": ["minimal"],
    "kubespawner_override": {"volumes": {"shared-memory": {"name": "shared-memory"}}, "mem_limit": 1},
}
OIDC = {
    "kind": "oidc",
    "client_id": "jupyterhub",
    "issuer": "https://id.example.com",
    "authorize_url": "https://id.example.com/auth",
    "token_url": "https://id.example.com/token",
    "callback_url": "https://ml.example.com/jupyterhub/hub/oauth_callback",
    "scopes": ["openid"],
    "user_claim": "email",
    "groups_claim": "groups",
    "unverified_email": False,
}


def place(name: str, **more: Any) -> dict[str, Any]:
    made = {"namespace": f"team-{name}", "title": name, "members": [], "groups": [], "guests": False}
    override = {"namespace": f"team-{name}", "volumes": {"data": {"name": "data"}}}
    return {**made, "kubespawner_override": override, "profiles": [PROFILE], **more}


def settings(*places: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "base_url": "/jupyterhub/",
        "hub_url": "http://hub:8081",
        "proxy_api_url": "http://proxy-api:8001",
        "database": {"file": "/srv/jupyterhub/jupyterhub.sqlite"},
        "login": OIDC,
        "admins": {"names": [], "groups": []},
        "idle_seconds": 3600,
        "spawner": {"volumes": {}},
        "images": {"minimal": {"display_name": "Python", "kubespawner_override": {"image": "i"}}},
        "places": [*places],
        **more,
    }


class Recorder:
    """Takes any attribute, as traitlets' configuration does."""

    def __getattr__(self, name: str) -> Any:
        made = Recorder()
        setattr(self, name, made)
        return made


def configured(folder: Path, told: dict[str, Any]) -> Any:
    for name in ("proxy-token", "cookie-secret", "metrics-token", "client-secret", "password", "admin-password"):
        (folder / name).write_text(f"{name}\n")
    (folder / "platform.json").write_text(json.dumps(told))
    made = Recorder()
    platform_hub.configure(made, folder / "platform.json", folder)
    return made


VISION = place("vision", members=["li@example.com"], groups=["vision"])
SPEECH = place("speech", groups=["speech"])


def slugs(told: dict[str, Any], name: str, *groups: str) -> list[str]:
    return [each["slug"] for each in platform_hub.profiles(told, name, groups)]


def test_people_start_servers_of_their_own_teams_alone() -> None:
    told = settings(VISION, SPEECH)

    assert slugs(told, "Li@example.com") == ["team-vision--small"]
    assert slugs(told, "li@example.com", "speech") == ["team-vision--small", "team-speech--small"]
    assert slugs(told, "eve@example.com", "visionaries") == []


def test_guests_are_those_of_no_team() -> None:
    told = settings(VISION, place("demo", guests=True))

    assert slugs(told, "eve@example.com") == ["team-demo--small"]
    assert slugs(told, "li@example.com") == ["team-vision--small"]


def test_a_choice_says_its_team_where_a_person_has_several() -> None:
    titles = [
        each["display_name"] for each in platform_hub.profiles(settings(VISION, SPEECH), "x", ["vision", "speech"])
    ]

    assert titles == ["vision: Small", "speech: Small"]


def test_a_choice_has_namespace_data_and_size_together() -> None:
    made = platform_hub.profiles(settings(VISION), "li@example.com", [])[0]

    assert made["kubespawner_override"]["namespace"] == "team-vision"
    assert set(made["kubespawner_override"]["volumes"]) == {"data", "shared-memory"}
    assert list(made["profile_options"]["image"]["choices"]) == ["minimal"]


def test_who_left_every_team_is_let_in_no_more(tmp_path: Path) -> None:
    made = configured(tmp_path, settings(VISION))

    assert made.Authenticator.allow_existing_users is False
    assert made.Authenticator.allow_all is False
    assert made.Authenticator.allowed_users == {"li@example.com"}
    assert made.GenericOAuthenticator.allowed_groups == {"vision"}


def test_guests_open_the_door_to_all_whom_the_issuer_knows(tmp_path: Path) -> None:
    assert configured(tmp_path, settings(place("demo", guests=True))).Authenticator.allow_all is True


def test_secrets_come_from_files_and_keep_their_value(tmp_path: Path) -> None:
    one, other = configured(tmp_path, settings(VISION)), configured(tmp_path, settings(VISION))

    assert one.ConfigurableHTTPProxy.auth_token == "proxy-token"
    assert one.JupyterHub.cookie_secret == other.JupyterHub.cookie_secret
    assert len(one.JupyterHub.cookie_secret) == 32


def test_the_password_lets_in_without_an_issuer(tmp_path: Path) -> None:
    login = {"login": {"kind": "password"}, "admins": {"names": ["ada"], "groups": []}}
    made = configured(tmp_path, settings(place("demo", guests=True), **login))

    assert made.JupyterHub.authenticator_class == "shared-password"
    assert made.SharedPasswordAuthenticator.user_password == "password"
    assert made.SharedPasswordAuthenticator.admin_password == "admin-password"
    assert made.Authenticator.post_auth_hook is platform_hub.admins_by_their_own_password


def test_an_administrators_name_is_refused_with_everyones_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform_hub, "refusal", ValueError)
    hub = SimpleNamespace(admin_users={"ada"})
    admin, other = {"name": "ada", "admin": True}, {"name": "li", "admin": False}

    assert platform_hub.admins_by_their_own_password(hub, None, admin) is admin
    assert platform_hub.admins_by_their_own_password(hub, None, other) is other
    with pytest.raises(ValueError, match="ada signs in with the administrators' password"):
        platform_hub.admins_by_their_own_password(hub, None, {"name": "ada", "admin": False})


def test_idle_servers_are_ended_by_a_service_with_few_rights(tmp_path: Path) -> None:
    made = configured(tmp_path, settings(VISION))
    culler = next(each for each in made.JupyterHub.services if each["name"] == "idle-culler")
    role = next(each for each in made.JupyterHub.load_roles if each["name"] == "idle-culler")

    assert "--timeout=3600" in culler["command"]
    assert "delete:servers" in role["scopes"]
    assert not any(scope.startswith("admin") for scope in role["scopes"])


def test_nobody_ends_servers_where_none_is_asked_to(tmp_path: Path) -> None:
    made = configured(tmp_path, settings(VISION, idle_seconds=0))

    assert [each["name"] for each in made.JupyterHub.services] == ["prometheus"]


@pytest.mark.parametrize(
    ("idle", "server", "proxy"),
    [(60, 20, 20), (120, 40, 40), (600, 200, 60), (900, 300, 60), (43200, 300, 60), (0, 300, 60)],
)
def test_the_hub_hears_of_use_before_it_would_end_a_server(tmp_path: Path, idle: int, server: int, proxy: int) -> None:
    """A server that computes without requests tells by itself, with a tenth of jitter."""
    told = settings(VISION, idle_seconds=idle, spawner={"environment": {"PIP_INDEX_URL": "https://pip.example.com"}})
    made = configured(tmp_path, told)

    assert made.KubeSpawner.environment == {
        "PIP_INDEX_URL": "https://pip.example.com",
        "JUPYTERHUB_ACTIVITY_INTERVAL": str(server),
    }
    assert made.JupyterHub.last_activity_interval == proxy
    assert not idle or 1.1 * server + proxy < idle


@pytest.mark.parametrize(
    ("engine", "tls", "url", "options"),
    [
        ("mysql", "optional", "mysql+pymysql://u:p%2Fw@db:1/hub", None),
        ("mysql", "required", "mysql+pymysql://u:p%2Fw@db:1/hub", {"ssl": {"verify_mode": "none"}}),
        ("postgresql", "required", "postgresql+psycopg2://u:p%2Fw@db:1/hub", {"sslmode": "require"}),
        ("postgresql", "off", "postgresql+psycopg2://u:p%2Fw@db:1/hub", {"sslmode": "disable"}),
    ],
)
def test_the_database_is_reached_as_the_stack_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str, tls: str, url: str, options: Any
) -> None:
    monkeypatch.setenv("DATABASE_USER", "u")
    monkeypatch.setenv("DATABASE_PASSWORD", "p/w")
    database = {"engine": engine, "host": "db", "port": 1, "name": "hub", "tls": tls}
    made = configured(tmp_path, settings(VISION, database=database)).JupyterHub

    assert made.db_url == url
    assert vars(made).get("db_kwargs") == ({"connect_args": options} if options else None)


def test_the_name_is_a_claim_of_the_token() -> None:
    name = platform_hub.name_by("preferred_username", unverified=False)

    assert name({"preferred_username": "li", "email_verified": False}) == "li"


def test_an_address_that_nobody_verified_is_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform_hub, "refusal", ValueError)
    name, trusting = (platform_hub.name_by("email", unverified=each) for each in (False, True))

    with pytest.raises(ValueError, match="not verified"):
        name({"email": "li@example.com", "email_verified": False})
    with pytest.raises(ValueError, match="says no 'email'"):
        name({})
    assert trusting({"email": "li@example.com", "email_verified": False}) == "li@example.com"


def test_a_token_without_groups_has_none() -> None:
    groups = platform_hub.groups_by("groups")

    assert groups({"oauth_user": {"groups": None}}) == []
    assert groups({"oauth_user": {"groups": ["vision"]}}) == ["vision"]


def test_a_person_without_a_team_is_refused_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform_hub, "refusal", ValueError)
    made = configured(tmp_path, settings(VISION))
    spawner: Any = Recorder()
    spawner.user.name, spawner.user.groups = "eve", []

    with pytest.raises(ValueError, match="No team of yours"):
        made.KubeSpawner.profile_list(spawner)
