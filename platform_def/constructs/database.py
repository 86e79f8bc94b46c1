"""A database of a component's own on the SQL server that the stack has for it, in the cluster or outside."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from platform_def.apis.core.core_v1 import Container, EnvVar, PodSpec
from platform_def.capabilities import SqlDatabase
from platform_def.capabilities.databases import Administrator, SharedDatabase
from platform_def.config.capability import Given, Need, need
from platform_def.config.objects import Stored
from platform_def.config.secrets import GENERATED, SecretSource
from platform_def.constructs.component import Piece, Scope
from platform_def.constructs.database_programs import program
from platform_def.constructs.network_policy import NetworkPolicy, from_pods
from platform_def.constructs.secrets import UNPRIVILEGED, SecretUse, secret_of
from platform_def.constructs.security import RESTRICTED
from platform_def.constructs.workloads.jobs import Job
from platform_def.errors import ConfigError

Engine = Literal["mysql", "postgresql"]
KEYS = ("username", "password")
_PLAIN = re.compile(r"[a-z][a-z0-9_]{0,31}")
"""Names of databases and users that need no quotes anywhere; MySQL ends users' names at 32 characters."""


def database_need(*engines: Engine, order: Literal["before", "any"] = "before") -> Need[SqlDatabase]:
    """What a component with a `Database` declares in `needs`: a server of one of these engines."""
    return need(SqlDatabase, order=order, engine=engines) if engines else need(SqlDatabase, order=order)


class Database(Piece):
    """A database, a user of its own and the Secret with its credentials, never the server's root.

    On a server in the cluster a Job makes them, as often as its name changes and without harm; outside, the stack lists
    what the server's owner made. `host`, `port`, `engine`, `database` and `secret` are what pods are configured with.
    """

    def __init__(
        self,
        scope: Scope,
        name: str,
        *,
        engine: Engine | Sequence[Engine] = ("mysql", "postgresql"),
        secret: str = "",
        database: str = "",
        credentials: SecretSource = GENERATED,
        plugin: str = "",
    ):
        """`engine`: which servers serve. `name` is what stacks call it under `shares`; the database and its user are
        called so too, with `_` for `-`, and the Secret `<name>-database`, with the keys `username` and `password`.
        `plugin` is the one of MySQL's by which the user must say who it is, for clients that know no other."""
        super().__init__(scope, name)
        self.name, self.plugin = name, plugin
        engines: tuple[Engine, ...] = (engine,) if isinstance(engine, str) else tuple(engine)
        self.given: Given[SqlDatabase] = self.component.one(database_need(*engines))
        server = self.given.value
        self.engine: Engine = server.engine
        self.host, self.port, self.tls = server.host, server.port, server.tls
        self.database = database or name.replace("-", "_")
        secret = secret or f"{name}-database"
        share = server.shares.get(name)
        self.secret: SecretUse = self._shared(share, secret) if share else self._made(server, secret, credentials)
        user, password = (self.secret.key(key) for key in KEYS)
        where = (self.host, self.port, self.database, server.namespace or "")
        found = f"{self.component.namespace}/{self.secret.name}"
        self.component.stores(Stored(name, self.engine, *where, found, user, password))

    def env(self, **variables: Literal["host", "port", "database", "username", "password"]) -> list[EnvVar]:
        """Variables of a container: `env(DB_USER="username", DB_PASSWORD="password")`."""
        plain = {"host": self.host, "port": str(self.port), "database": self.database}
        return [
            {"name": variable, "value": plain[what]} if what in plain else self.secret.env(variable, what)
            for variable, what in variables.items()
        ]

    def _shared(self, share: SharedDatabase, secret: str) -> SecretUse:
        """A database that exists already."""
        if share.credentials.generate:
            text = f"shares.{self.name}.credentials: a generated password is not known to the server"
            raise ConfigError(
                self._who(text), hint="name the Secret that its owner gave: `existing: …`, or another source"
            )
        self.database = share.database or self.database
        return secret_of(self, secret, share.credentials, keys=KEYS)

    def _made(self, server: SqlDatabase, secret: str, credentials: SecretSource) -> SecretUse:
        """One that a Job makes, in the server's namespace, where the administrator's Secret is."""
        if not (server.namespace and server.administrator and server.image):
            raise ConfigError(self._who(self._missing(server)), hint=self._remedy(server))
        if self.plugin and not server.allows(self.plugin):
            raise ConfigError(
                self._who(self._refused(server)), hint=f"serve {self.plugin} there, or use another server"
            )
        if not _PLAIN.fullmatch(self.database):
            raise ValueError(f"{self.path}: '{self.database}' is no plain name of at most 32 characters")
        homes = (self.component.namespace, server.namespace)
        values = {"username": self.database}
        found = secret_of(self, secret, credentials, keys=KEYS, namespaces=homes, values=values)
        pod = _maker(server, self.database, server.administrator, found, self.plugin)
        role = f"{self.component.roles.role_of(self.name)}-database"
        Job(self, f"{self.name}-database", role=role, pod=pod, namespace=server.namespace, hashed=True)
        if server.pods and self.owner.platform.network_policies:
            self._let_in(server, server.namespace)
        return found

    def _let_in(self, server: SqlDatabase, home: str) -> None:
        """The component's pods and its Job reach the server, which its own policy shuts to all others."""
        own = {"app.kubernetes.io/instance": self.component.name}
        openings = [from_pods(own, server.port, namespace=each) for each in sorted({self.component.namespace, home})]
        NetworkPolicy(self, f"{self.name}-database", openings=openings, pods=server.pods, namespace=home)

    def _who(self, text: str) -> str:
        return f"components.{self.component.name}: {text}"

    def _refused(self, server: SqlDatabase) -> str:
        return f"{self.given.by} gives a {server.engine} {server.version} whose accounts cannot use {self.plugin}"

    def _missing(self, server: SqlDatabase) -> str:
        gives = f"{self.given.by} gives a SQL server"
        if server.namespace is None:
            return f"{gives} outside the cluster, and nothing says which database on it is that of {self.name}"
        lacking = [name for name in ("administrator", "image") if getattr(server, name) is None]
        return f"{gives} without `{'` and `'.join(lacking)}`, so the database {self.name} cannot be created there"

    def _remedy(self, server: SqlDatabase) -> str:
        shares = f"`shares: {{{self.name}: {{database: {self.database}, credentials: {{existing: …}}}}}}`"
        if server.namespace is None:
            return f"have one made there and add {shares} to its `sqlDatabase`"
        return f"add them to its `sqlDatabase`, or {shares} for one that exists"


def _maker(server: SqlDatabase, database: str, administrator: Administrator, user: SecretUse, plugin: str) -> PodSpec:
    """The server's own client, with a program that may run any number of times."""
    root = SecretUse(administrator.secret, {"password": administrator.key})
    env: dict[str, str] = {
        "HOST": server.host,
        "PORT": str(server.port),
        "ADMINISTRATOR": administrator.username,
        "DATABASE": database,
        "TLS": server.tls,
    }
    container: Container = {
        "name": "database",
        "image": server.image or "",
        "command": [*program(server.engine, plugin)],
        "env": [{"name": name, "value": value} for name, value in env.items()],
        "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "256Mi"}},
        "securityContext": RESTRICTED,
        "volumeMounts": [
            {"name": "administrator", "mountPath": "/run/secrets/administrator", "readOnly": True},
            {"name": "user", "mountPath": "/run/secrets/user", "readOnly": True},
            {"name": "tmp", "mountPath": "/tmp"},  # noqa: S108 - a volume of the pod's own
        ],
    }
    return {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "securityContext": UNPRIVILEGED,
        "containers": [container],
        "volumes": [
            root.volume("administrator", "password"),
            user.volume("user", *KEYS),
            {"name": "tmp", "emptyDir": {"medium": "Memory", "sizeLimit": "1Mi"}},
        ],
    }
