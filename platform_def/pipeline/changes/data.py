"""Data that stays behind when the stack names another place for it, with the commands that move it.

A SQL dump reads the credentials from the Secret that the component has until the change is applied.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from platform_def.checks.fault import Fault
from platform_def.checks.rules.releases.facts import shown
from platform_def.config.objects import Stored
from platform_def.manifests.rendered import RenderedComponent, RenderedObject, RenderedStack
from platform_def.pipeline.output.index import Index

_LOCAL = 15432
"""A local port that no server of a workstation is likely to have."""
_FURTHER, _COMMAND = " " * 4, " " * 6
_TITLES = {"mysql": "MySQL database", "postgresql": "PostgreSQL database", "s3": "bucket"}
_DUMP = {
    "mysql": "MYSQL_PWD={password} mysqldump -h {host} -P {port} -u {user} --single-transaction --no-tablespaces",
    "postgresql": "PGPASSWORD={password} pg_dump -h {host} -p {port} -U {user} --no-owner --no-privileges",
}
_RESTORE = {
    "mysql": "mysql -h {host} -P {port} -u USER -p",
    "postgresql": "psql -h {host} -p {port} -U USER -v ON_ERROR_STOP=1",
}

Move = tuple[RenderedComponent, Stored, Stored]


def moved(stack: RenderedStack, previous: Iterable[Index]) -> list[Move]:
    """The components whose data was elsewhere, with both places."""
    before = [(name, data) for one in previous for name, facts in one.components.items() for data in _data(facts)]
    return [
        (component, old, new)
        for name, component in stack.components.items()
        for new in component.stored
        for of, old in dict.fromkeys(before)
        if (of, old.name) == (name, new.name)
        # Its database and its bucket may have one name.
        and (old.engine == "s3") == (new.engine == "s3")
        and old.place != new.place
        and component.objects
    ]


def left_behind(moves: Iterable[Move]) -> Iterator[tuple[RenderedObject, Fault]]:
    """A finding for each, with the commands where there are any."""
    for component, old, new in moves:
        stays = f"it stays in {_place(old)}, and {_place(new)} does not have it"
        text = f"the data of {component.name} does not move by itself: {stays}"
        yield shown(component), Fault("", text, _way(component.name, old, new))


def _data(facts: Mapping[str, object]) -> Iterator[Stored]:
    """What an index says of a component's data, as far as this version understands it."""
    listed: Any = facts.get("data")
    for each in listed if isinstance(listed, list) else ():
        known = isinstance(each, dict) and {"name", "engine"} <= each.keys() <= {*Stored._fields}
        if known and all(type(value) is (int if key == "port" else str) for key, value in each.items()):
            yield Stored(**each)


def _place(data: Stored) -> str:
    if data.engine == "volume":
        return f"the volume of the claim {data.database}"
    if data.engine == "resources":
        return "custom resources"
    return f"the {_TITLES[data.engine]} {data.database} at {data.host}:{data.port}"


def _way(component: str, old: Stored, new: Stored) -> str:
    if old.engine in _DUMP:
        return "\n".join(_dumped(old, new))
    if old.engine == new.engine == "s3":
        copy = f"{_COMMAND}rclone sync OLD:{old.database} NEW:{new.database}"
        return f"copy it before you merge this, with a remote of rclone for each endpoint:\n{copy}"
    return f"export from {component} what you need before you merge this: no command copies it into {_place(new)}"


def _dumped(old: Stored, new: Stored) -> Iterator[str]:
    file = f"{old.name}.sql"
    yield "dump it before you merge this, while nothing writes to it:"
    yield from _forwarded(old)
    yield f"{_COMMAND}{_filled(_DUMP[old.engine], old)} {old.database} > {file}"
    if old.engine != new.engine:
        yield f"{_FURTHER}{_place(new)} does not read such a dump: convert it, or start without the data"
        return
    when = "after the change is applied, before anyone uses it" if new.namespace else "before you merge this"
    yield f"{_FURTHER}restore it {when}, as the user whose credentials the Secret {new.secret} holds:"
    yield from _forwarded(new)
    yield f"{_COMMAND}{_filled(_RESTORE[new.engine], new)} {new.database} < {file}"


def _forwarded(data: Stored) -> Iterator[str]:
    """What brings a server inside the cluster to the workstation."""
    if data.namespace:
        service = data.host.partition(".")[0]
        yield f"{_COMMAND}kubectl -n {data.namespace} port-forward service/{service} {_LOCAL}:{data.port} &"


def _filled(command: str, data: Stored) -> str:
    host, port = ("127.0.0.1", _LOCAL) if data.namespace else (data.host, data.port)
    namespace, _, secret = data.secret.partition("/")

    def read(key: str) -> str:
        path = key.replace(".", r"\.")
        return f"\"$(kubectl -n {namespace} get secret {secret} -o jsonpath='{{.data.{path}}}' | base64 -d)\""

    return command.format(host=host, port=port, user=read(data.username), password=read(data.password))
