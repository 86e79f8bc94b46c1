"""The hub's file of settings: what the stack says, as data that the programs in `files` read when the hub starts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from platform_def.capabilities import Identity
from platform_def.components.notebooks.jupyterhub.config import JupyterhubConfig
from platform_def.components.notebooks.jupyterhub.profiles import ProfileChoice, choices, offered_to, profile_of
from platform_def.components.notebooks.jupyterhub.releases import API, HUB, SCHEDULER
from platform_def.config.capability import need
from platform_def.config.platform import Platform
from platform_def.config.teams import Team
from platform_def.constructs import RESTRICTED, Database, Setting
from platform_def.constructs.dataset import Reading
from platform_def.jobs.parameters import DATASETS_FOLDER
from platform_def.jobs.pod import INJECT

if TYPE_CHECKING:
    from platform_def.components.notebooks.jupyterhub.config import AnyJupyterhub

PATH, HUB_PORT, API_PORT, PROXY_PORT = "/jupyterhub/", 8081, 8001, 8000
IDENTITY = need(Identity, order="any", optional=True)
"""Its absence is an error that says what to write instead."""
WORKING = ("edit", "admin")
"""Roles of members who may start servers; viewers only look."""


def text(component: AnyJupyterhub, database: Database | None) -> str:
    """The file."""
    config, platform = component.config, component.platform
    told: dict[str, Any] = {
        "base_url": PATH,
        "hub_url": f"http://{component.service_host(HUB)}:{HUB_PORT}",
        "proxy_api_url": f"http://{component.service_host(API)}:{API_PORT}",
        "database": _database(database),
        "login": login(component.setting),
        "admins": {"names": [each.lower() for each in config.admins], "groups": [*config.admin_groups]},
        "idle_seconds": config.idle_seconds,
        "spawner": _spawner(component),
        "images": _images(component),
        "places": [*_places(config, platform)],
    }
    return json.dumps(told, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _database(database: Database | None) -> dict[str, Any]:
    if database is None:
        return {"file": "/srv/jupyterhub/jupyterhub.sqlite"}
    return {
        "engine": database.engine,
        "host": database.host,
        "port": database.port,
        "name": database.database,
        "tls": database.tls,
    }


def login(at: Setting[JupyterhubConfig]) -> dict[str, Any]:
    """How people sign in: at the identity provider, or by the shared password."""
    config = at.config
    if config.access != "people":
        return {"kind": "password"}
    identity = at.one(IDENTITY).value
    groups = ["groups"] if identity.clients_namespace else []
    address = at.platform.ingress.address() or "http://localhost"  # without a host there is a problem
    return {
        "kind": "oidc",
        "client_id": config.client_id,
        "issuer": identity.issuer,
        "authorize_url": identity.authorization_url or "",
        "token_url": identity.token_url or "",
        "callback_url": callback(address),
        "scopes": [*config.scopes] or ["openid", "email", "profile", *groups],
        "user_claim": identity.user_claim,
        "groups_claim": identity.groups_claim,
        "unverified_email": config.unverified_email,
    }


def callback(address: str) -> str:
    """Where browsers return to after they signed in."""
    return f"{address}{PATH}hub/oauth_callback"


def _spawner(component: AnyJupyterhub) -> dict[str, Any]:
    """What all servers have."""
    config, platform = component.config, component.platform
    who = f"components.{component.name}.home"
    storage = home_storage(config, platform, who)
    index = platform.package_indexes.get("pip")
    context = {key: value for key, value in RESTRICTED.items() if key != "readOnlyRootFilesystem"}
    return {
        "cmd": ["jupyterhub-singleuser"],
        "start_timeout": 900,  # images for GPUs have several gigabytes
        "http_timeout": 60,
        "delete_pvc": False,
        "storage_pvc_ensure": True,
        "storage_capacity": config.home.size,
        **({"storage_class": storage[0]} if storage[0] else {}),
        "storage_access_modes": [storage[1]],
        "pvc_name_template": "home-{username}",
        "image_pull_policy": "IfNotPresent",
        "automount_service_account_token": False,
        "container_security_context": context,
        "pod_security_context": {"fsGroupChangePolicy": "OnRootMismatch"},
        "environment": {"PIP_INDEX_URL": index} if index else {},
        "volumes": {"home": {"name": "home", "persistentVolumeClaim": {"claimName": "{pvc_name}"}}},
        "volume_mounts": {},
        "extra_annotations": {INJECT: "false"},
        "extra_labels": {INJECT: "false"},
        "extra_pod_config": {"enableServiceLinks": False},
        **({"scheduler_name": SCHEDULER} if config.user_scheduler else {}),
    }


def home_storage(config: JupyterhubConfig, platform: Platform, who: str) -> tuple[str, str]:
    """Class of the homes, empty for the cluster's default, and how claims are mounted: by many nodes where they can be.

    Raises ConfigError where the stack has no such entry.
    """
    if config.home.storage is None:
        return "", "ReadWriteOnce"
    chosen = platform.storage_for(config.home.storage, mode="ReadWriteOnce", who=who)
    if chosen is None:
        return "", "ReadWriteOnce"
    return chosen.class_name, "ReadWriteMany" if "ReadWriteMany" in chosen.entry.modes else "ReadWriteOnce"


def _images(component: AnyJupyterhub) -> dict[str, Any]:
    """What a server has of its image: the user, and the home folder that the volume is mounted at."""
    made = {}
    for name, each in component.config.notebooks.items():
        runs = each.runs()
        made[name] = {
            "display_name": each.title or name,
            "kubespawner_override": {
                "image": component.image(each.image),
                "uid": runs.user,
                "gid": runs.group,
                "fs_gid": runs.group,
                "working_dir": runs.home,
                "environment": {"HOME": runs.home},
                "volume_mounts": {"home": {"name": "home", "mountPath": runs.home}},
            },
        }
    return made


def images_of(choice: ProfileChoice, config: JupyterhubConfig) -> list[str]:
    """Images that fit a choice: those that it names, else all of its kind, or all where there are none of it."""
    if choice.wanted.images:
        return [*choice.wanted.images]
    fitting = sorted(name for name, each in config.notebooks.items() if each.cuda == choice.cuda)
    return fitting or sorted(config.notebooks)


def _places(config: JupyterhubConfig, platform: Platform) -> Iterator[Mapping[str, Any]]:
    """Each namespace in which people may start servers: who they are, and what they find there."""
    every = choices(config, platform)
    for team in platform.teams:
        for home in (team, *team.rooms):
            offered = [each for each in every if offered_to(each, home, config, platform)]
            groups = [each.name for each in home.groups if each.role in WORKING]
            yield {
                "namespace": home.home,
                "title": team.name if home is team else f"{team.name}, own quota",
                "members": sorted(each.name.lower() for each in home.members if each.role in WORKING),
                "groups": sorted(groups),
                "guests": home is team and team.name == config.guests,
                "kubespawner_override": {"namespace": home.home, **_data(home)},
                "profiles": [profile_of(each, home, images_of(each, config), platform) for each in offered],
            }


def _data(team: Team) -> dict[str, Any]:
    """The team's data, to read alone."""
    volumes: dict[str, Any] = {}
    mounts: dict[str, Any] = {}
    for name, dataset in team.datasets.items():
        reading = Reading(name, dataset, volume=f"data-{name}")
        volumes |= {each["name"]: each for each in reading.volumes()}
        mounts[reading.volume] = {"name": reading.volume, "mountPath": f"{DATASETS_FOLDER}/{name}", "readOnly": True}
    return {"volumes": volumes, "volume_mounts": mounts} if volumes else {}
