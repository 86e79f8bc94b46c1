"""What JupyterHub and KubeSpawner make of the hub's files: unknown settings, and every server that people may start.

Reads {files, secrets, people} from stdin and writes {strange, hub, people} to stdout. Real: the loader of configuration
files, JupyterHub's and the authenticator's own validation, KubeSpawner's choice of a profile, its pods and claims. No hub
runs: people are names and groups, and nothing asks an API server.
"""

import asyncio
import json
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import kubespawner.spawner
from jupyterhub.app import JupyterHub
from jupyterhub.auth import Authenticator
from jupyterhub.proxy import ConfigurableHTTPProxy
from kubespawner import KubeSpawner
from traitlets.config.loader import PyFileConfigLoader

kubespawner.spawner.load_config = lambda **_: None
kubespawner.spawner.shared_client = lambda *_: None


def main():
    told = json.load(sys.stdin)
    with tempfile.TemporaryDirectory() as base:
        folder, secrets = Path(base) / "platform", Path(base) / "platform-secrets"
        for place, files in ((folder, told["files"]), (secrets, told["secrets"])):
            place.mkdir()
            for name, text in files.items():
                (place / name).write_text(text)
        config = PyFileConfigLoader("jupyterhub_config.py", path=str(folder)).load_config()
    hub = JupyterHub(config=config)
    authenticator = hub.authenticator_class(config=config)
    classes = (JupyterHub, Authenticator, type(authenticator), hub.spawner_class, ConfigurableHTTPProxy)
    known = {each.__name__: set(each.class_traits(config=True)) for each in classes}
    made = {
        "strange": [
            f"{name}.{trait}" for name, traits in config.items() for trait in traits if trait not in known.get(name, ())
        ],
        "hub": {
            "base_url": hub.base_url,
            "connect_url": hub.hub_connect_url,
            "db_url": hub.db_url,
            "authenticator": type(authenticator).__name__,
            "services": [each["name"] for each in hub.services],
        },
        "people": {each["name"]: asyncio.run(person(config, authenticator, each)) for each in told["people"]},
    }
    json.dump(made, sys.stdout)


async def person(config, authenticator, who):
    model = {"name": authenticator.normalize_username(who["name"]), "admin": None, "groups": who["groups"]}
    allowed = bool(await asyncio.ensure_future(checked(authenticator, model)))
    try:
        profiles = spawner(config, who).profile_list(spawner(config, who))
    except Exception as error:
        return {"allowed": allowed, "refused": str(error), "servers": []}
    servers = []
    for profile in profiles:
        for options in every(profile["profile_options"]):
            servers.append(await server(spawner(config, who), profile["slug"], options))
    return {"allowed": allowed, "refused": "", "servers": servers}


async def checked(authenticator, model):
    found = authenticator.check_allowed(model["name"], {**model, "auth_state": {}})
    return await found if asyncio.iscoroutine(found) else found


def every(options):
    """All choices of a profile's options together."""
    chosen = [{}]
    for name, option in options.items():
        chosen = [{**each, name: choice} for each in chosen for choice in option["choices"]]
    return chosen


def spawner(config, who):
    user = SimpleNamespace(
        name=who["name"], id=1, url="/", groups=[SimpleNamespace(name=each) for each in who["groups"]]
    )
    hub = SimpleNamespace(public_host="", url="", base_url="/", api_url="http://hub:8081/hub/api")
    return KubeSpawner(config=config, user=user, hub=hub, _mock=True)


async def server(made, profile, options):
    made.user_options = {"profile": profile, **options}
    await made.load_user_options()
    made.get_env = lambda: made._expand_env(made.environment)  # what the hub adds needs a running one
    pod, claim = await made.get_pod_manifest(), made.get_pvc_manifest()
    return {
        "profile": profile,
        "options": options,
        "namespace": made.namespace,
        "pod": sanitized(pod),
        "claim": sanitized(claim),
    }


def sanitized(thing):
    if isinstance(thing, dict):
        return {key: sanitized(value) for key, value in thing.items() if value is not None}
    if isinstance(thing, (list, tuple)):
        return [sanitized(each) for each in thing]
    if hasattr(thing, "attribute_map"):
        values = ((name, getattr(thing, field)) for field, name in thing.attribute_map.items())
        return {name: sanitized(value) for name, value in values if value is not None}
    return thing


main()
