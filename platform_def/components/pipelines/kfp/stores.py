"""Databases and bucket, as each program gets them. One endpoint string serves them all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from platform_def.apis.core.core_v1 import EnvVar
from platform_def.capabilities import ObjectStore, SqlDatabase
from platform_def.capabilities.stores import SharedBucket
from platform_def.components.pipelines.kfp.parts import PLACEHOLDER, homes
from platform_def.constructs import Bucket, Database, Problem, SecretUse, Setting, env, yaml_file
from platform_def.constructs.bucket import BucketKey, authority_problems

if TYPE_CHECKING:
    from platform_def.components.pipelines.kfp.config import AnyKfp, KfpConfig

BUCKET, SECRET = "mlpipeline", "mlpipeline-minio-artifact"
ENGINE: Literal["mysql"] = "mysql"
"""The one that its API server speaks. It takes PostgreSQL's driver too, asks to create its database, which no user of
one may, and then writes MySQL's SQL to it (client_manager/client_manager.go:379 and 435 of its server at 2.17.0)."""
NATIVE = "mysql_native_password"
"""The one plugin of MySQL's that ML Metadata's client knows (its issue 178)."""
_WORKFLOW = "{{workflow.name}}/{{workflow.creationTimestamp.Y}}/{{workflow.creationTimestamp.m}}"
KEY = _WORKFLOW + "/{{workflow.creationTimestamp.d}}/{{pod.name}}"


@dataclass(frozen=True)
class Stores:
    """Where it keeps things."""

    runs: Database
    metadata: Database
    cache: Database | None
    bucket: Bucket
    prefix: str

    @property
    def scheme(self) -> str:
        """Of addresses of artifacts: `minio` has a key and an endpoint of its own, `s3` the cloud's identity."""
        return "minio" if self.bucket.secret else "s3"

    def secret(self, home: str) -> SecretUse | None:
        """The key in a namespace with runs: its own, or that of the programs; none with an identity of the cloud's."""
        if home == PLACEHOLDER:
            return SecretUse(f"kfp-{home}-bucket") if self.bucket.secret else None
        return self.bucket.keys.get(home, self.bucket.secret)

    def launcher(self, home: str) -> dict[str, str]:
        """The ConfigMap that drivers and launchers of a namespace read."""
        bucket, secret = self.bucket, self.secret(home)
        credentials: dict[str, Any] = {"fromEnv": secret is None}
        if secret:
            credentials["secretRef"] = {
                "secretName": secret.name,
                "accessKeyKey": secret.key("accessKey"),
                "secretKeyKey": secret.key("secretKey"),
            }
        default = {
            "endpoint": bucket.endpoint,
            "region": bucket.region,
            "disableSSL": not bucket.tls,
            "forcePathStyle": bucket.path_style,
            "credentials": credentials,
        }
        return {
            "defaultPipelineRoot": f"{self.scheme}://{bucket.bucket}/{self.prefix}/{home}/v2/artifacts",
            "providers": yaml_file({self.scheme: {"default": default}}),
        }

    def repository(self, home: str) -> dict[str, Any]:
        """Where workflows of a namespace keep artifacts and logs, for Argo's controller and executors."""
        bucket, secret = self.bucket, self.secret(home)
        made: dict[str, Any] = {
            "endpoint": bucket.endpoint,
            "bucket": bucket.bucket,
            "region": bucket.region,
            "insecure": not bucket.tls,
            "keyFormat": f"{self.prefix}/{home}/{KEY}",
        }
        if bucket.ca:
            made["caSecret"] = {"name": bucket.ca.secret, "key": bucket.ca.key}
        if secret is None:
            made["useSDKCreds"] = True
        else:
            made |= {"accessKeySecret": secret.ref("accessKey"), "secretKeySecret": secret.ref("secretKey")}
        return {"archiveLogs": True, "s3": made}

    def of_server(self) -> list[EnvVar]:
        """The API server's variables."""
        bucket = self.bucket
        names: dict[str, Any] = {
            f"DBCONFIG_MYSQLCONFIG_{variable}": what
            for variable, what in {
                "HOST": "host",
                "PORT": "port",
                "DBNAME": "database",
                "USER": "username",
                "PASSWORD": "password",
            }.items()
        }
        return [
            *env({"DBDRIVERNAME": ENGINE, "DBCONFIG_CONMAXLIFETIME": "120s"}),
            *self.runs.env(**names),
            *env(
                {
                    "OBJECTSTORECONFIG_HOST": bucket.host,
                    "OBJECTSTORECONFIG_PORT": str(bucket.port),
                    "OBJECTSTORECONFIG_SECURE": str(bucket.tls).lower(),
                    "OBJECTSTORECONFIG_REGION": bucket.region,
                    "OBJECTSTORECONFIG_BUCKETNAME": bucket.bucket,
                    # The image's own configuration has a key of a store that does not exist.
                    **(
                        {}
                        if bucket.secret
                        else {"OBJECTSTORECONFIG_ACCESSKEY": "", "OBJECTSTORECONFIG_SECRETACCESSKEY": ""}
                    ),
                }
            ),
            *bucket.env(
                access_key="OBJECTSTORECONFIG_ACCESSKEY",
                secret_key="OBJECTSTORECONFIG_SECRETACCESSKEY",  # noqa: S106 - a name
            ),
            *self._of_launchers(),
            # Beside the file of public authorities that its image has.
            *bucket.authority_env("SSL_CERT_DIR", folder=True),
        ]

    def _of_launchers(self) -> list[EnvVar]:
        """Where the server tells drivers and launchers to find the store's authority: in the namespace of their run."""
        ca = self.bucket.ca
        return env({"CABUNDLE_CONFIGMAP_NAME": ca.config_map, "CABUNDLE_KEY_NAME": ca.key}) if ca else []

    def of_ui(self) -> list[EnvVar]:
        """The interface's variables: it fetches artifacts with the programs' key, for people who may see them."""
        bucket = self.bucket
        logs = {
            "ARGO_ARCHIVE_LOGS": "true",
            "ARGO_ARCHIVE_ARTIFACTORY": self.scheme,
            "ARGO_ARCHIVE_BUCKETNAME": bucket.bucket,
            "ARGO_KEYFORMAT": f"{self.prefix}/{{{{workflow.namespace}}}}/{KEY}",
        }
        if bucket.secret is None:
            store = {"AWS_S3_ENDPOINT": bucket.host, "AWS_REGION": bucket.region, "AWS_SSL": str(bucket.tls).lower()}
            return [*env({**logs, **store}), *bucket.authority_env("NODE_EXTRA_CA_CERTS")]
        store = {
            "MINIO_HOST": bucket.host,
            "MINIO_PORT": str(bucket.port),
            "MINIO_SSL": str(bucket.tls).lower(),
            "MINIO_NAMESPACE": "",
        }
        return [
            *env({**logs, **store}),
            *bucket.env(access_key="MINIO_ACCESS_KEY", secret_key="MINIO_SECRET_KEY"),  # noqa: S106 - names
            *bucket.authority_env("NODE_EXTRA_CA_CERTS"),
        ]


def stores(component: AnyKfp) -> Stores:
    """A database and a user for each program that keeps one, and a bucket with a key for each namespace with runs."""
    config = component.config
    keys = [
        BucketKey(f"{component.slug}-{home}", home, f"{config.artifact_prefix}/{home}/")
        for home in homes(component)
        if home != component.namespace
    ]
    cached = v1(config)
    return Stores(
        runs=Database(component, "kfp", engine=ENGINE, database="mlpipeline"),
        metadata=Database(component, "kfp-metadata", engine=ENGINE, database="metadb", plugin=NATIVE),
        cache=Database(component, "kfp-cache", engine=ENGINE, database="cachedb") if cached else None,
        bucket=Bucket(component, "kfp", bucket=BUCKET, secret=SECRET, keys=keys),
        prefix=config.artifact_prefix,
    )


def root_of(at: Setting[KfpConfig]) -> str:
    """Where launchers keep artifacts, but for the namespace; empty where nothing gives a store yet."""
    given = at.maybe(ObjectStore)
    if given is None:
        return ""
    store = given.value
    share = store.buckets.get("kfp", SharedBucket())
    by_key = bool(store.namespace or share.credentials or store.credentials)
    return f"{'minio' if by_key else 's3'}://{share.bucket or BUCKET}/{at.config.artifact_prefix}/"


def v1(config: KfpConfig) -> bool:
    """Whether anybody may run pipelines of the v1 SDK."""
    return not config.block_v1_pipelines or bool(config.v1_namespaces)


def store_problems(at: Setting[KfpConfig]) -> Iterator[Problem]:
    """Servers that its programs cannot use."""
    given = at.maybe(SqlDatabase)
    if given and given.value.engine == ENGINE and not given.value.allows(NATIVE):
        yield Problem(
            f"components.{at.name}: {given.by} gives a MySQL {given.value.version} whose accounts cannot use "
            f"{NATIVE}, and ML Metadata knows no other way in",
            hint="write `nativePassword: true` of mysql 8.4, say so under `authentication:` of one outside, or use "
            "MariaDB",
        )
    if given and given.value.tls == "required":
        yield Problem(
            f"components.{at.name}: {given.by} gives a SQL server that wants encrypted connections, and ML Metadata "
            "and the cache server make none",
            hint="let it take plain connections from the cluster too (`tls: optional`), or use one in the cluster",
        )
    yield from authority_problems(at)


DATABASE_ARGUMENTS: Mapping[str, str] = {
    "mysql_config_host": "$(DB_HOST)",
    "mysql_config_port": "$(DB_PORT)",
    "mysql_config_database": "$(DB_NAME)",
    "mysql_config_user": "$(DB_USER)",
    "mysql_config_password": "$(DB_PASSWORD)",
}
"""ML Metadata's flags, by the variables that its container has."""
