"""Secrets that are made in the cluster: their rules and their program against a real API server."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from platform_def.capabilities import SqlDatabase
from platform_def.capabilities.databases import Administrator
from platform_def.config.capability import Provision
from platform_def.config.platform import Platform
from platform_def.constructs.render import render
from tests.cluster.control_plane import ControlPlane
from tests.cluster.generators import generate
from tests.unit.constructs.data_user import Notes, NotesConfig

pytestmark = pytest.mark.cluster

HOMES = ("notes", "mysql")
SERVER = SqlDatabase(
    engine="mysql",
    host="mysql.mysql.svc",
    port=3306,
    namespace="mysql",
    administrator=Administrator(secret="mysql-root"),
    image="docker.io/library/mysql:8.4.11",
    pods={"app.kubernetes.io/name": "mysql"},
)


@pytest.fixture(scope="module")
def objects() -> list[dict[str, Any]]:
    """A component with a database on a server in another namespace."""
    platform = Platform(provisions=(Provision.of(SERVER, "mysql"),), network_policies=True)
    made = render(lambda scope: Notes(scope, config=NotesConfig(), platform=platform, name="notes"))
    return [item.manifest for item in made.objects]


@pytest.fixture(scope="module")
def served(cluster: ControlPlane, objects: list[dict[str, Any]]) -> Iterator[ControlPlane]:
    """An API server with its objects."""
    for home in HOMES:
        assert cluster.api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": home}}).stored
    refused = [str(each) for each in cluster.api.apply_all(objects) if each.stored is None]
    assert not refused
    yield cluster
    for home in HOMES:
        cluster.api.request("DELETE", f"/api/v1/namespaces/{home}/secrets/notes-database")


def stored(cluster: ControlPlane, home: str) -> dict[str, str]:
    reply = cluster.api.get(f"/api/v1/namespaces/{home}/secrets/notes-database")
    assert reply.status == 200, reply.message
    return {key: base64.b64decode(value).decode() for key, value in reply.body["data"].items()}


def test_it_is_made_in_every_namespace_once(served: ControlPlane, objects: list[dict[str, Any]]) -> None:
    first = generate(served, objects, "first")
    made = stored(served, "notes")
    second = generate(served, objects, "second")

    assert first.count("made Secret") == 2
    assert "made Secret" not in second
    assert made == stored(served, "notes") == stored(served, "mysql")
    assert made["username"] == "notes"
    assert made["password"] not in first + second


def test_its_account_may_do_that_and_no_more(served: ControlPlane) -> None:
    def may(verb: str, home: str, name: str = "") -> bool:
        attributes = {"verb": verb, "resource": "secrets", "namespace": home, **({"name": name} if name else {})}
        user = "system:serviceaccount:notes:notes-database-generator"
        spec = {"user": user, "resourceAttributes": attributes}
        path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
        body = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": spec}
        reply = served.api.request("POST", path, json.loads(json.dumps(body)))
        return bool(reply.body["status"]["allowed"])

    assert all(may("create", home) and may("get", home, "notes-database") for home in HOMES)
    assert not any(may(verb, "mysql", "notes-database") for verb in ("update", "patch", "delete"))
    assert not any(may("get", home, "mysql-root") or may("list", home) for home in HOMES)
    assert not may("create", "default")


def test_the_program_is_the_one_that_is_delivered(objects: list[dict[str, Any]]) -> None:
    from platform_def.constructs import secret_generator

    (files,) = (item["data"] for item in objects if item["kind"] == "ConfigMap")

    assert files["generate.py"] == Path(secret_generator.__file__).read_text()
