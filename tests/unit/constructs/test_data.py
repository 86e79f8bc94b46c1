"""Databases and buckets of a component's own, where no stack is needed to ask."""

from __future__ import annotations

import json
from typing import Any

import pytest

from platform_def.capabilities import ObjectStore, SqlDatabase
from platform_def.config.capability import Capability, Provision
from platform_def.config.platform import Platform
from platform_def.constructs import Bucket, Database
from platform_def.constructs.bucket import BucketKey
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
        (("administrator",), "without `administrator`, so the database my-notes cannot be created there"),
        (("image",), "without `image`, so the database my-notes cannot be created there"),
        (("administrator", "image"), "without `administrator` and `image`, so the database"),
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


@pytest.mark.parametrize(
    ("version", "listed", "allowed"),
    [
        ("8.0", [], True),
        ("8.4.11", [], False),
        ("8.4", ["mysql_native_password"], True),
        ("9.1", [], False),
        ("10.11", [], True),
        ("", [], True),
        ("", ["caching_sha2_password"], False),
    ],
)
def test_a_version_of_mysql_says_whether_old_clients_come_in(version: str, listed: list[str], allowed: bool) -> None:
    server = SqlDatabase.from_file(MYSQL | {"version": version, "authentication": listed})

    assert server.allows("mysql_native_password") is allowed


def test_a_user_says_who_it_is_by_the_plugin_that_its_client_knows() -> None:
    there = server(**WITH_JOB, version="8.0")
    made = objects(lambda scope: Database(scope, "my-notes", plugin="mysql_native_password"), platform=there)
    programs = [
        each["spec"]["template"]["spec"]["containers"][0]["command"][-1]
        for (kind, _), each in made.items()
        if kind == "Job"
    ]

    assert any("IDENTIFIED /*!80000 WITH mysql_native_password */ BY" in each for each in programs)


def test_a_server_that_refuses_the_plugin_is_told() -> None:
    with pytest.raises(ConfigError, match=r"a mysql 9\.1 whose accounts cannot use mysql_native_password"):
        objects(
            lambda scope: Database(scope, "my-notes", plugin="mysql_native_password"),
            platform=server(**WITH_JOB, version="9.1"),
        )


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


IN_CLUSTER = {"namespace": "seaweedfs", "administrator": {"secret": "boss", "keys": {"accessKey": "id"}}}


def test_a_store_with_an_administrator_gets_a_job_that_makes_bucket_and_keys() -> None:
    keys = [BucketKey("my-notes-vision", "team-vision", "vision/")]
    made = objects(lambda scope: Bucket(scope, "my-notes", keys=keys), platform=store(**IN_CLUSTER))
    (job,) = (
        each
        for (kind, _), each in made.items()
        if kind == "Job" and each["spec"]["template"]["spec"]["containers"][0]["name"] == "bucket"
    )
    plan = json.loads(made["ConfigMap", "my-notes-bucket"]["data"]["plan.json"])
    generated = json.loads(made["ConfigMap", "my-notes-vision-bucket-generator"]["data"]["plan.json"])
    volumes = {each["name"]: each for each in job["spec"]["template"]["spec"]["volumes"]}

    assert plan["users"] == [{"name": "my-notes", "prefix": ""}, {"name": "my-notes-vision", "prefix": "vision/"}]
    assert {
        each["mountPath"]: each["name"] for each in job["spec"]["template"]["spec"]["containers"][0]["volumeMounts"]
    } == {
        "/maker": "maker",
        **{f"/run/secrets/{name}": name for name in ("administrator", "my-notes", "my-notes-vision")},
    }
    assert job["metadata"]["namespace"] == "seaweedfs"
    assert generated["namespaces"] == ["team-vision", "seaweedfs"]
    assert volumes["administrator"]["secret"]["items"][0] == {"key": "id", "path": "accessKey"}
    assert volumes["my-notes-vision"]["secret"]["secretName"] == "my-notes-vision-bucket"


def test_a_key_that_only_reads_is_planned_so() -> None:
    keys = [BucketKey("my-notes-vision", "team-vision", writes=False)]
    made = objects(lambda scope: Bucket(scope, "my-notes", keys=keys), platform=store(**IN_CLUSTER))
    plan = json.loads(made["ConfigMap", "my-notes-bucket"]["data"]["plan.json"])

    assert plan["users"] == [
        {"name": "my-notes", "prefix": ""},
        {"name": "my-notes-vision", "prefix": "", "writes": False},
    ]


def test_who_has_a_key_reaches_the_store_where_policies_shut_it() -> None:
    shut = store(**IN_CLUSTER, pods={"app": "s3"}).with_facts(network_policies=True)
    keys = [BucketKey("my-notes-vision", "team-vision", "vision/")]
    made = objects(lambda scope: Bucket(scope, "my-notes", keys=keys), platform=shut)
    policy = made["NetworkPolicy", "my-notes-bucket"]["spec"]
    namespaces = [
        each["from"][0]["namespaceSelector"]["matchLabels"]["kubernetes.io/metadata.name"] for each in policy["ingress"]
    ]

    assert policy["podSelector"] == {"matchLabels": {"app": "s3"}}
    assert namespaces[-1] == "team-vision"
    assert "seaweedfs" in namespaces


def test_a_store_with_an_administrator_takes_credentials_that_the_stack_names() -> None:
    found = bucket(store(**IN_CLUSTER, buckets={"my-notes": {"credentials": {"existing": "mine"}}}))

    assert found.secret is not None
    assert found.secret.name == "mine"


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
