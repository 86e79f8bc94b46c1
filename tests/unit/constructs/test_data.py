"""Databases and buckets of a component's own, where no stack is needed to ask."""

from __future__ import annotations

import json
from typing import Any

import pytest

from platform_def.capabilities import ObjectStore, SqlDatabase
from platform_def.config.capability import Capability, Provision
from platform_def.config.platform import Platform
from platform_def.constructs import Bucket, Database
from platform_def.constructs.database import database_need
from platform_def.errors import ConfigError
from tests.unit.constructs.samples import objects

MYSQL = {"engine": "mysql", "host": "db", "port": 3306}
WITH_JOB = MYSQL | {"namespace": "data", "administrator": {"secret": "root"}, "image": "example.com/mysql:1"}


def on(value: Capability, **facts: Any) -> Platform:
    return Platform(provisions=(Provision.of(value, "giver"),), **facts)


def server(**fields: Any) -> Platform:
    return on(SqlDatabase.from_file(fields))


def store(**fields: Any) -> Platform:
    return on(ObjectStore.from_file({"host": "s3.example.com", **fields}))


def refused(platform: Platform, kind: Any = Database) -> str:
    with pytest.raises(ConfigError) as caught:
        objects(lambda scope: kind(scope, "my-notes"), platform=platform)
    return str(caught.value)


def test_any_server_serves_who_names_no_engine() -> None:
    assert database_need().where == {}
    assert database_need("mysql", order="any").where == {"engine": ("mysql",)}
    assert (database_need(order="any").order, database_need().order) == ("any", "before")


@pytest.mark.parametrize(
    ("left_out", "said"),
    [
        (("namespace",), "a SQL server outside the cluster, and nothing says which database on it is that of my-notes"),
        (("administrator",), "without `administrator`, so nobody can make the database my-notes there"),
        (("image",), "without `image`, so nobody can make the database my-notes there"),
        (("administrator", "image"), "without `administrator` and `image`, so nobody"),
    ],
)
def test_a_server_on_which_nobody_can_make_a_database_is_told(left_out: tuple[str, ...], said: str) -> None:
    told = refused(server(**{key: value for key, value in WITH_JOB.items() if key not in left_out}))

    assert "components.sample: giver gives a SQL server" in told
    assert said in told
    assert "`shares: {my-notes: {database: my_notes, credentials: {existing: …}}}`" in told


def test_a_name_that_needs_quotes_is_a_mistake_in_the_component() -> None:
    with pytest.raises(ValueError, match="'My' is no plain name of at most 32 characters"):
        objects(lambda scope: Database(scope, "notes", database="My"), platform=server(**WITH_JOB))


def test_a_job_in_the_servers_namespace_makes_database_and_user() -> None:
    made = objects(lambda scope: Database(scope, "my-notes"), platform=server(**WITH_JOB))
    jobs = {
        each["spec"]["template"]["spec"]["containers"][0]["name"]: each
        for (kind, _), each in made.items()
        if kind == "Job"
    }
    pod = jobs["database"]["spec"]["template"]["spec"]
    [container] = pod["containers"]

    plan = json.loads(made["ConfigMap", "my-notes-database-generator"]["data"]["plan.json"])

    assert (plan["values"], plan["passwords"]) == ({"username": "my_notes"}, {"password": 32})
    assert set(jobs) == {"database", "generator"}
    assert jobs["database"]["metadata"]["namespace"] == "data"
    assert {"name": "DATABASE", "value": "my_notes"} in container["env"]
    assert container["resources"]["requests"]["memory"] == "32Mi"
    assert pod["securityContext"]["fsGroup"] == 65534


def test_a_store_in_the_cluster_needs_credentials() -> None:
    told = refused(store(namespace="minio"), Bucket)

    assert "giver gives an object store in the cluster, and nothing says how my-notes gets into it" in told
    assert "add `credentials: …`, or `buckets: {my-notes: {credentials: …}}`, to its `objectStore`" in told


def test_a_store_knows_no_generated_key() -> None:
    told = refused(store(credentials={"generate": {}}), Bucket)

    assert "does not know a generated key" in told
    assert "`existing: …`" in told


def bucket(platform: Platform, **options: Any) -> Bucket:
    found: list[Bucket] = []
    objects(lambda scope: found.append(Bucket(scope, "my-notes", **options)), platform=platform)
    return found[0]


def test_outside_an_identity_may_serve() -> None:
    found = bucket(store())

    assert found.secret is None
    assert found.env(access_key="A", secret_key="B") == []
    assert (found.bucket, found.url) == ("my-notes", "https://s3.example.com:443")


def test_a_bucket_that_is_there_brings_its_name_and_credentials() -> None:
    share = {"my-notes": {"bucket": "prod", "credentials": {"existing": "keys", "keys": {"accessKey": "id"}}}}
    found = bucket(store(tls=False, port=9000, credentials={"existing": "all"}, buckets=share))

    assert (found.bucket, found.url) == ("prod", "http://s3.example.com:9000")
    assert [each["valueFrom"]["secretKeyRef"] for each in found.env(access_key="A", secret_key="B")] == [
        {"name": "keys", "key": "id"},
        {"name": "keys", "key": "secretKey"},
    ]


def test_a_secret_for_a_bucket_is_called_after_it_unless_it_has_a_name() -> None:
    given = store(credentials={"externalSecret": {"store": "vault", "path": "a/b"}})
    platform = given.with_facts(apis=frozenset({"ExternalSecret.external-secrets.io"}))

    assert [use.name for use in (bucket(platform).secret, bucket(platform, secret="mine").secret) if use] == [
        "my-notes-bucket",
        "mine",
    ]
