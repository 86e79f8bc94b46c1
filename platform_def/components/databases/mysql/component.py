"""MySQL: a SQL server in the cluster, where components get a database and a user of their own each.

One pod on one volume: for replicas use a server outside, with no other change.
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
    SecretUse,
    Setting,
    Upkeep,
    Withdrawn,
    exec_probe,
    need,
    releases,
    secret_of,
    target_missing,
)
from platform_def.constructs.bucket import authorities_there

# 8.0 has had its last release, and 8.3 was never one for years: 8.4 is what is maintained.
RELEASES = releases(
    Release(
        "8.4.11",
        image="docker.io/library/mysql:8.4.11",
        license="GPL-2.0-only",
        images={"exporter": exporter.MYSQL_IMAGE},
        exports=(exporter.MYSQL,),
        upkeep=Upkeep(date(2029, 4, 30)),
    )
)
WITHDRAWN = (Withdrawn("8.4.10", instead="8.4.11", changes="the image alone", upkeep=Upkeep(date(2029, 4, 30))),)

NAME = "mysql"
PORT = 3306
MYSQL_USER = 999
"""User and group `mysql` of the image; started so, its entrypoint changes no owners and needs no capabilities."""
NATIVE = "mysql_native_password"
PLUGINS = ("caching_sha2_password", "sha256_password")
"""By which accounts of 8.4 may say who they are; 9.0 has no native one."""
VOLUME = "/var/lib/mysql"


class MysqlConfig(ComponentConfig):
    """What a stack may choose about MySQL."""

    releases = RELEASES
    withdrawn = WITHDRAWN

    namespace: Name = "mysql"
    """Namespace of the server."""
    root: SecretSource = GENERATED
    """Where the Secret with root's `password` comes from; read when the volume is empty, and never again."""
    native_password: bool = False
    """Serve accounts of the plugin `mysql_native_password` too, for clients that know no other, such as ML Metadata."""
    certificate: ServerCertificate | None = None
    """Serve TLS by a certificate of cert-manager's; `{}` has an issuer of its own. By default the server makes one that
    no client can check."""
    exporter: bool = False
    """Export metrics for Prometheus, from a container beside the server, with alerts and a dashboard."""
    backup: BackupConfig | None = None
    """Dump all databases to the stack's object store on a schedule; off by default."""


class Mysql(Component[MysqlConfig]):
    """A StatefulSet of one pod with its volume, its Services and the Secret of root."""

    several = True
    pod_security = RESTRICTED_LEVEL
    gives = (SqlDatabase,)

    @classmethod
    def needs_of(cls, at: Setting[MysqlConfig]) -> tuple[Need[Any], ...]:
        """What its Secret of root comes from, and who makes the certificate."""
        stores = (need(ObjectStore, order="any"),) if at.config.backup else ()
        return (*needs_of(at.config.root), *certificate.needs_of(at.config.certificate), *stores)

    @classmethod
    def offers(cls, at: Setting[MysqlConfig]) -> Offers:
        """The server, and who may make databases there."""
        config, release = at.config, cls.release_of(at.config)
        given = SqlDatabase(
            engine="mysql",
            version=release.version,
            host=f"{at.name}.{config.namespace}.svc.{at.platform.dns_domain}",
            port=PORT,
            tls="optional",
            namespace=config.namespace,
            pods={"app.kubernetes.io/name": at.name, "app.kubernetes.io/instance": at.name},
            authentication=[*PLUGINS, *([NATIVE] if config.native_password else [])],
            administrator=administrator(config.root, f"{at.name}-root", at.platform),
            image=release.image,
        )
        there = authorities_there(at, config.namespace) if config.backup else ()
        return Offers(capabilities=(given,), existing=(*there, *certificate.existing(config.certificate)))

    def build(self) -> None:
        """Everything of one server."""
        root = secret_of(self, self.named(f"{NAME}-root"), self.config.root, keys=("password",))
        # Dirty pages take their time; a server that was killed repairs itself at the next start, slowly.
        server(
            self,
            self.named(NAME),
            self.container(),
            number=PORT,
            user=MYSQL_USER,
            grace=120,
            root=root,
            volumes=self.certified(),
            backed_up=self.config.backup is not None,
            exporting=self.exporting(root) if self.config.exporter else None,
        )
        if self.config.exporter:
            rules = Alerts(self, (target_missing(self.named(NAME), name="Mysql"), *exporter.MYSQL_ALERTS))
            Dashboards(self, [exporter.MYSQL_BOARD], tables=rules.tables)
        if self.config.backup:
            backup(
                self,
                self.named(NAME),
                self.config.backup,
                engine="mysql",
                image=self.release.image,
                user=MYSQL_USER,
                root=root,
            )

    def certified(self) -> list[Volume]:
        """The volume with its certificate, where it has one of cert-manager's."""
        chosen = self.config.certificate
        return [certificate.certified(self, self.named(NAME), chosen)] if chosen else []

    def exporting(self, root: SecretUse) -> exporter.Exporting:
        """What exports its metrics."""
        return exporter.mysql(self.release.images["exporter"], root.env("MYSQLD_EXPORTER_PASSWORD", "password"))

    def container(self) -> Container:
        """The server."""
        return {
            "name": "mysql",
            "image": self.release.image,
            "args": self.arguments(),
            "env": [
                # Jobs that make databases come over the network; without a database of its own there is no other user.
                {"name": "MYSQL_ROOT_HOST", "value": "%"},
                {"name": "MYSQL_ROOT_PASSWORD_FILE", "value": ROOT_FILE},
            ],
            "ports": [{"name": "mysql", "containerPort": PORT}],
            # A container that is killed while it fills its empty volume leaves a server without a root password that
            # never gets one: the probe must not give up before a slow disk is done.
            "startupProbe": _alive(period=5, failures=240),
            "livenessProbe": _alive(period=10, failures=6),
            "readinessProbe": _alive(period=5, failures=3),
            # Buffer pool 128 MiB, performance schema some 200 MiB, and connections.
            "resources": {"requests": {"cpu": "100m", "memory": "640Mi"}, "limits": {"memory": "1Gi"}},
            "securityContext": CONTEXT,
            "volumeMounts": [
                {"name": "data", "mountPath": VOLUME},
                {"name": "root", "mountPath": ROOT_FOLDER, "readOnly": True},
                *(certificate.mounted() if self.config.certificate else []),
            ],
        }

    def arguments(self) -> list[str]:
        """What differs from the server's own defaults."""
        return [
            # Below the mount: a fresh ext4 volume holds `lost+found`, and a folder that is not empty is refused.
            f"--datadir={VOLUME}/datadir",
            # A single server has no replica to send it to, and thirty days of it fill the disk.
            "--disable-log-bin",
            "--mysqlx=OFF",
            # Its default is a share of the node's memory, whatever the container's limit.
            "--temptable-max-ram=67108864",
            *(["--mysql-native-password=ON"] if self.config.native_password else []),
            *([f"--ssl-cert={CERTIFICATE_FILE}", f"--ssl-key={KEY_FILE}"] if self.config.certificate else []),
        ]


def _alive(*, period: int, failures: int) -> Probe:
    """By TCP, which no server serves while it fills its volume; a refusal without a password is an answer too."""
    command = ("mysqladmin", "ping", "--host=127.0.0.1", "--connect-timeout=5")
    return exec_probe(*command, period=period, timeout=10, failures=failures)
