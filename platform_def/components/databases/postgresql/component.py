"""PostgreSQL: a SQL server in the cluster, where components get a database and a user of their own each.

One pod on one volume, as mysql; for replicas use a server outside, with no other change.
"""

from __future__ import annotations

from datetime import date
from typing import Any

from platform_def.apis.core.core_v1 import Container, Probe, Volume
from platform_def.capabilities import ObjectStore, SqlDatabase
from platform_def.capabilities.secrets import needs_of
from platform_def.components.databases import certificate, exporter
from platform_def.components.databases.backup import BackupConfig, backup
from platform_def.components.databases.certificate import CERTIFICATE_FILE, KEY_FILE, ServerCertificate
from platform_def.components.databases.security import CONTEXT
from platform_def.components.databases.server import ROOT_FILE, ROOT_FOLDER, administrator, server
from platform_def.config.model import Name
from platform_def.config.secrets import GENERATED
from platform_def.constructs import (
    RESTRICTED_LEVEL,
    Alerts,
    Component,
    ComponentConfig,
    Dashboards,
    Need,
    Offers,
    Release,
    SecretSource,
    Setting,
    Upkeep,
    exec_probe,
    mounts,
    need,
    releases,
    scratch,
    secret_of,
    target_missing,
)
from platform_def.constructs.bucket import authorities_there


def _release(version: str, debian: str, ends: date) -> Release:
    return Release(
        version,
        image=f"docker.io/library/postgres:{version}-{debian}",
        images={"exporter": exporter.POSTGRESQL_IMAGE},
        exports=(exporter.POSTGRESQL,),
        upkeep=Upkeep(ends),
    )


RELEASES = releases(
    _release("17.11", "bookworm", date(2029, 11, 8)),
    _release("18.6", "trixie", date(2030, 11, 14)),
    license="PostgreSQL",
)
NAME, PORT, USERNAME = "postgresql", 5432, "postgres"
POSTGRES_USER = 999
"""User and group `postgres` of the image; started so, its entrypoint changes no owners and needs no capabilities."""
VOLUME, SOCKETS = "/data", "/var/run/postgresql"
"""Not where the image has its own: 17 and 18 differ there, and 18 refuses to start beside data of an older release."""


class PostgresqlConfig(ComponentConfig):
    """What a stack may choose about PostgreSQL."""

    releases = RELEASES

    namespace: Name = "postgresql"
    """Namespace of the server."""
    root: SecretSource = GENERATED
    """Where the Secret with the `password` of the user `postgres` comes from; read when the volume is empty, and never
    again."""
    certificate: ServerCertificate | None = None
    """Serve TLS, by a certificate of cert-manager's; `{}` has an issuer of its own. By default nothing is encrypted."""
    exporter: bool = False
    """Export metrics for Prometheus, from a container beside the server, with alerts and a dashboard."""
    backup: BackupConfig | None = None
    """Dump all databases to the stack's object store on a schedule; off by default."""


class Postgresql(Component[PostgresqlConfig]):
    """A StatefulSet of one pod with its volume, its Services and the Secret of the superuser."""

    several = True
    pod_security = RESTRICTED_LEVEL
    gives = (SqlDatabase,)

    @classmethod
    def needs_of(cls, at: Setting[PostgresqlConfig]) -> tuple[Need[Any], ...]:
        """What keeps the superuser's Secret, and who makes the certificate."""
        stores = (need(ObjectStore, order="any"),) if at.config.backup else ()
        return (*needs_of(at.config.root), *certificate.needs_of(at.config.certificate), *stores)

    @classmethod
    def offers(cls, at: Setting[PostgresqlConfig]) -> Offers:
        """The server, and who may make databases there."""
        config, release = at.config, cls.release_of(at.config)
        given = SqlDatabase(
            engine="postgresql",
            version=release.version,
            host=f"{at.name}.{config.namespace}.svc.{at.platform.dns_domain}",
            port=PORT,
            authentication=["scram-sha-256"],
            tls="optional" if config.certificate else "off",
            namespace=config.namespace,
            pods={"app.kubernetes.io/name": at.name, "app.kubernetes.io/instance": at.name},
            administrator=administrator(config.root, f"{at.name}-root", at.platform, USERNAME),
            image=release.image,
        )
        there = authorities_there(at, config.namespace) if config.backup else ()
        return Offers(capabilities=(given,), existing=(*there, *certificate.existing(config.certificate)))

    def build(self) -> None:
        """Everything of one server."""
        root = secret_of(self, self.named(f"{NAME}-root"), self.config.root, keys=("password",))
        # A fast shutdown ends sessions and writes a checkpoint.
        server(
            self,
            self.named(NAME),
            self.container(),
            number=PORT,
            user=POSTGRES_USER,
            grace=120,
            root=root,
            volumes=[*scratch("sockets", "tmp"), *self.certified()],
            backed_up=self.config.backup is not None,
            exporting=self.exporting() if self.config.exporter else None,
        )
        if self.config.exporter:
            rules = Alerts(self, (target_missing(self.named(NAME), name="Postgresql"), *exporter.POSTGRESQL_ALERTS))
            Dashboards(self, [exporter.POSTGRESQL_BOARD], tables=rules.tables)
        if self.config.backup:
            backup(
                self,
                self.named(NAME),
                self.config.backup,
                engine="postgresql",
                image=self.release.image,
                user=POSTGRES_USER,
                root=root,
            )

    def certified(self) -> list[Volume]:
        """The volume with its certificate, where it has one."""
        chosen = self.config.certificate
        return [certificate.certified(self, self.named(NAME), chosen)] if chosen else []

    def exporting(self) -> exporter.Exporting:
        """What exports its metrics."""
        (folder,) = mounts({"root": ROOT_FOLDER}, read_only=True)
        return exporter.postgresql(self.release.images["exporter"], folder, ROOT_FILE)

    def container(self) -> Container:
        """The server."""
        encrypted = ("ssl=on", f"ssl_cert_file={CERTIFICATE_FILE}", f"ssl_key_file={KEY_FILE}")
        made: Container = {
            "name": "postgresql",
            "image": self.release.image,
            "env": [
                # Below the mount: a fresh ext4 volume holds `lost+found`, and a folder that is not empty is refused.
                # The same folder for all releases, so that one which cannot read it says so.
                {"name": "PGDATA", "value": f"{VOLUME}/pgdata"},
                {"name": "POSTGRES_PASSWORD_FILE", "value": ROOT_FILE},
                {"name": "POSTGRES_INITDB_ARGS", "value": "--data-checksums --encoding=UTF8"},
            ],
            "ports": [{"name": "postgresql", "containerPort": PORT}],
            # What fills an empty volume listens only on the socket, and must not be killed before it is done.
            "startupProbe": _alive(period=5, failures=240),
            "livenessProbe": _alive(period=10, failures=6),
            "readinessProbe": _alive(period=5, failures=3),
            # Shared buffers 128 MiB, and some 10 for each connection that works.
            "resources": {"requests": {"cpu": "100m", "memory": "256Mi"}, "limits": {"memory": "1Gi"}},
            "securityContext": CONTEXT,
            "volumeMounts": [
                *mounts({"data": VOLUME, "sockets": SOCKETS, "tmp": "/tmp"}),  # noqa: S108 - in the container
                *mounts({"root": ROOT_FOLDER}, read_only=True),
            ],
        }
        if self.config.certificate:
            made["args"] = [word for each in encrypted for word in ("-c", each)]
            made["volumeMounts"] += certificate.mounted()
        return made


def _alive(*, period: int, failures: int) -> Probe:
    """By TCP, which no server serves while it fills its volume."""
    command = ("pg_isready", "--quiet", "--host=127.0.0.1", f"--username={USERNAME}", "--timeout=5")
    return exec_probe(*command, period=period, timeout=10, failures=failures)
