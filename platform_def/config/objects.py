"""What is said of objects beside their content: their part in delivery, who else writes them, what pods make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

Part = Literal["crds", "classes", "main", "after"]

PARTS: tuple[Part, ...] = ("crds", "classes", "main", "after")
"""In the order of delivery."""

CRD = "CustomResourceDefinition"
CLASSES = frozenset({"RuntimeClass", "PriorityClass"})
"""Kinds of the cluster that pods of other components name before anything else of their own component is there."""


def part_of(kind: str) -> Part:
    """`crds` for definitions, which nothing else may wait behind; `classes`, likewise; `main` for all other kinds."""
    if kind in CLASSES:
        return "classes"
    return "crds" if kind == CRD else "main"


@dataclass(frozen=True)
class Drift:
    """A field that something in the cluster writes: a delivery engine must neither report nor undo it."""

    api_version: str
    kind: str
    name: str
    """Empty for every object of the kind."""
    pointers: tuple[str, ...]
    """JSON pointers of the fields, such as `/webhooks/0/clientConfig/caBundle`."""
    by: str = ""
    """Field manager that writes them, where it is known."""


class Stored(NamedTuple):
    """Data that a component keeps, and where: it stays there when the stack names another place."""

    name: str
    """What stacks call it: the name under `shares`, or the component's."""
    engine: Literal["mysql", "postgresql", "s3", "volume", "resources"]
    """What keeps it: a SQL server, an object store, a volume of the component's own, custom resources."""
    host: str = ""
    """Host of the server."""
    port: int = 0
    """Its port."""
    database: str = ""
    """The database, bucket or claim there."""
    namespace: str = ""
    """Namespace of the server; empty outside the cluster."""
    secret: str = ""
    """Secret with its user's credentials, `namespace/name`."""
    username: str = ""
    """The key of the user's name in it."""
    password: str = ""
    """The key of the password in it."""

    @property
    def place(self) -> tuple[str, ...]:
        """What tells it from data elsewhere."""
        return (self.engine, self.host, str(self.port), self.database)


class Made(NamedTuple):
    """An object that is made at run time, by a controller or by a component's own pods."""

    group: str
    kind: str
    namespace: str
    """Empty for an object of the cluster."""
    name: str
