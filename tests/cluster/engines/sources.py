"""A small platform of the user's own, for tests of where an engine reads it from, and what a person hands the engine."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane
from tests.cluster.engines.commands import kubectl_lines, run
from tests.cluster.samples import crd

_FILE = re.compile(r"--from-file=(\S+?)=FILE")
_CREATE = re.compile(r"^(.* )create secret \S+ (\S+) .*$")
WIDGET: Manifest = {
    "apiVersion": "test.example.com/v1",
    "kind": "Widget",
    "metadata": {"name": "one", "namespace": "users"},
}


def stack(delivery: str) -> str:
    """The text of its stack; `delivery` is what stands between the braces."""
    return f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36"}}
delivery: {{{delivery}}}
components:
  widgets: {{path: apps/widgets, namespace: widgets}}
  users: {{path: apps/users, namespace: users}}
"""


def platform(colour: str = "") -> Mapping[str, Sequence[Manifest]]:
    """A definition, its operator and an object; with a colour all three are of a later release."""
    later = {"colour": {"type": "string"}} if colour else {}
    container = {
        "name": "operator",
        "image": f"registry.example.com/operator:1.{len(later)}.0",
        "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}},
    }
    labels = {"app": "widgets"}
    operator = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "widgets", "namespace": "widgets"},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }
    widget = WIDGET | {"spec": {"size": 1, **({"colour": colour} if colour else {})}}
    return {"widgets": (crd("Widget", {"size": {"type": "integer"}, **later}), operator), "users": (widget,)}


def hand(control_plane: ControlPlane, text: str, folder: Path, values: Mapping[str, str]) -> None:
    """Make the Secrets that a bootstrap text asks for, by its own commands, anew where they are there already.

    A file that it asks for holds the value of that key; a key that nobody has a value for is a KeyError.
    """
    commands = [line for line in kubectl_lines(text) if " secret " in line]
    for key in {key for line in commands for key in _FILE.findall(line)}:
        (folder / key).write_text(values[key])
    old = [_CREATE.sub(r"\1delete secret --ignore-not-found \2", line) for line in commands if " create " in line]
    made = [_FILE.sub(rf"--from-file=\1={folder}/\1", line) for line in commands]
    run(control_plane, [*old, *made], folder=folder)
