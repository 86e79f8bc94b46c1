"""SQL servers, and how a component comes to a database of its own on one."""

from __future__ import annotations

import re
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from platform_def.config.capability import Capability
from platform_def.config.model import Host, Image, Labels, Model, Name, Port, Subdomain
from platform_def.config.secrets import KeyName, SecretSource

DatabaseName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_-]{0,62}$")]


Plugin = Annotated[str, Field(pattern=r"^[a-z0-9_-]+$", max_length=64)]


class SharedDatabase(Model):
    """A database that exists already for one component."""

    database: DatabaseName | None = None
    """Its name on the server; by default the component's, with `_` for `-`."""
    credentials: SecretSource
    """Secret with the keys `username` and `password`, in the namespace of the component."""


class Administrator(Model):
    """Who may make databases and users on a server in the cluster."""

    secret: Subdomain
    """Secret in the server's namespace with the password."""
    key: KeyName = "password"
    """The password's key in it."""
    username: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_.-]*$", max_length=63)] = "root"
    """The administrator's name on the server."""


class SqlDatabase(Capability):
    """A SQL server. Who needs one gets a database, a user and a Secret of its own there, never the server's root."""

    title: ClassVar[str] = "a SQL database"

    engine: Literal["mysql", "postgresql"]
    """Which server it is."""
    version: str = ""
    """Its version, such as 8.4, where a consumer depends on it."""
    host: Host
    """Name or address under which pods reach it."""
    port: Port
    """Its port."""
    authentication: list[Plugin] = Field(default_factory=list)
    """Plugins by which its accounts may say who they are, of MySQL: `mysql_native_password`, `caching_sha2_password`;
    empty: what its version allows by default."""
    tls: Literal["off", "optional", "required"] = "off"
    """Whether connections are encrypted."""
    namespace: Name | None = None
    """Where it runs in the cluster, and where databases and users are made by a Job; None: outside, where its owner
    makes them."""
    pods: Labels = Field(default_factory=dict)
    """Labels of its pods in that namespace, for policies that let users in."""
    administrator: Administrator | None = None
    """Who makes databases and users there; without one they are made by hand and listed in `shares`."""
    image: Image | None = None
    """Image with the server's own client, for that Job."""
    shares: dict[Name, SharedDatabase] = Field(default_factory=dict)
    """Databases that exist already, by the name that their user has for them, mostly the component's."""

    def allows(self, plugin: str) -> bool:
        """Whether accounts may use a plugin of MySQL's, as far as is known; 10 and above are MariaDB's."""
        if self.engine != "mysql":
            return False
        if self.authentication:
            return plugin in self.authentication
        return plugin != "mysql_native_password" or not re.match(r"(8\.4|9)(\.|$)", self.version)
