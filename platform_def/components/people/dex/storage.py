"""Where Dex keeps sessions and keys: two pods must see the same, so neither memory nor a file will do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from platform_def.apis.core.core_v1 import EnvVar, Volume, VolumeMount
from platform_def.config.objects import Stored
from platform_def.constructs import Database

if TYPE_CHECKING:
    from platform_def.components.people.dex.config import AnyDex

FOLDER, FILE = "/etc/dex/database", "ca.crt"
MODES = {
    "mysql": {"off": "false", "optional": "skip-verify", "required": "true"},
    "postgresql": {"off": "disable", "optional": "require", "required": "verify-full"},
}
"""How connections are encrypted, by engine: `optional` does not ask who the server is."""


@dataclass
class Storage:
    """The file's section, and what the pod gets for it."""

    configuration: dict[str, object]
    env: list[EnvVar] = field(default_factory=list)
    volumes: list[Volume] = field(default_factory=list)
    mounts: list[VolumeMount] = field(default_factory=list)


def storage(dex: AnyDex) -> Storage:
    """Custom resources, or a database of its own on the stack's server."""
    if dex.config.storage == "kubernetes":
        dex.stores(Stored("dex", "resources"))
        return Storage({"type": "kubernetes", "config": {"inCluster": True}})
    database, ca = Database(dex, "dex"), dex.config.database_ca
    ssl: dict[str, object] = {"mode": MODES[database.engine][database.tls]}
    env = database.env(DATABASE_USER="username", DATABASE_PASSWORD="password")  # noqa: S106 - which key each holds
    made = Storage({}, env=env)
    if ca:
        ssl["caFile"] = f"{FOLDER}/{FILE}"
        items: list[dict[str, str]] = [{"key": ca.key, "path": FILE}]
        made.volumes.append({"name": "database-ca", "configMap": {"name": ca.config_map, "items": items}})  # type: ignore[typeddict-item]
        made.mounts.append({"name": "database-ca", "mountPath": FOLDER, "readOnly": True})
    config = {
        "host": database.host,
        "port": database.port,
        "database": database.database,
        "user": "$DATABASE_USER",
        "password": "$DATABASE_PASSWORD",
        "ssl": ssl,
    }
    made.configuration = {"type": "mysql" if database.engine == "mysql" else "postgres", "config": config}
    return made
