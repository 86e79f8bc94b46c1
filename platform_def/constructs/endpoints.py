"""What a controller serves and reads beside its own work: protected metrics, a configuration file, certificates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from platform_def.apis.core.core_v1 import ServicePort
from platform_def.apis.core.rbac_v1 import CLUSTER_ROLE
from platform_def.capabilities import CertificateIssuer
from platform_def.config.capability import Need, need
from platform_def.config.component import ComponentConfig
from platform_def.constructs.certificate import ServingCertificate
from platform_def.constructs.component import Scope
from platform_def.constructs.config_map import config_map, restart_on_change, yaml_file
from platform_def.constructs.rbac import Account, allow, allow_urls
from platform_def.constructs.resource import Resource
from platform_def.constructs.service import Service
from platform_def.constructs.volumes import Mounted, mounted

ASKS_WHO_READS = (
    allow("authentication.k8s.io", "tokenreviews", verbs="create"),
    allow("authorization.k8s.io", "subjectaccessreviews", verbs="create"),
)
"""Rights of a program that asks the API server whether a reader of its metrics may read them."""


class CertificateChoice(ComponentConfig):
    """The choice of who makes the certificates of a controller's servers; for the configuration of a component."""

    certificates: Literal["own", "cert-manager"] = "own"
    """Who makes the certificates of its servers: the controller itself, or cert-manager."""

    @property
    def certificate_needs(self) -> tuple[Need[Any], ...]:
        """cert-manager, where it makes the certificates: for `needs_of`."""
        return (need(CertificateIssuer),) if self.certificates == "cert-manager" else ()


@dataclass(frozen=True, kw_only=True)
class MountedCertificate:
    """A serving certificate, and where the program reads it."""

    name: str
    """Name of the Certificate."""
    secret: str
    """Secret that holds it."""
    folder: str
    """Where it is mounted."""
    volume: str
    """Name of the volume."""
    signed: bool = True
    """cert-manager signs it; otherwise the program makes one at each start, in an empty folder."""

    def make(self, scope: Scope, service: str) -> str:
        """Have it signed for a Service; the annotation `key=value` by which its callers come to trust it."""
        if not self.signed:
            return ""
        return ServingCertificate(scope, self.name, services=[service], secret=self.secret).ca_from

    @property
    def mounted(self) -> Mounted:
        """The folder."""
        return mounted(self.volume, self.folder, secret=self.secret if self.signed else "")


@dataclass(frozen=True, kw_only=True)
class MetricsEndpoint:
    """Metrics of a controller, and who may read them."""

    port: ServicePort
    """Port of the Service."""
    service: str = ""
    """A Service of their own; by default the controller's."""
    role: str = ""
    """ClusterRole by which the controller asks; by default the controller's name with `-metrics-auth`."""
    reader: str = ""
    """ClusterRole that lets an account read them; by default the controller's name with `-metrics-reader`."""
    certificate: MountedCertificate | None = None
    """Their certificate where cert-manager signs it; None: the program makes one at each start."""
    protected: bool = True
    """The controller asks the API server who may read; otherwise they are open to all pods of the cluster."""
    https: bool | None = None
    """They are served over HTTPS; by default where they are protected."""
    honor_labels: bool = False
    """Its series say themselves which pod and namespace they are about."""

    def grant(self, scope: Scope, account: Account) -> None:
        """Let the controller ask, and make the role for who reads."""
        if not self.protected:
            return
        account.allow(ASKS_WHO_READS, role=self.role or f"{account.name}-metrics-auth")
        reader = self.reader or f"{account.name}-metrics-reader"
        Resource(scope, CLUSTER_ROLE, reader, fields={"rules": [allow_urls("/metrics", verbs="get")]})

    def serve(self, scope: Scope, service: Service) -> None:
        """Scrape the Service, and have its certificate signed."""
        secure = self.protected if self.https is None else self.https
        scheme: Literal["http", "https"] = "https" if secure else "http"
        service.monitor(self.port["name"], scheme=scheme, token=self.protected, honor_labels=self.honor_labels)
        if self.certificate:
            self.certificate.make(scope, service.name)


@dataclass(frozen=True, kw_only=True)
class ConfigFile:
    """A configuration file in a ConfigMap; the pods restart when it changes."""

    name: str
    """Name of the ConfigMap."""
    content: Mapping[str, object] | Sequence[object]
    """What the file says; None is left out."""
    file: str = "controller_manager_config.yaml"
    """The file's name; it is mounted below the root."""
    volume: str = "manager-config"
    """Name of the volume."""

    @property
    def text(self) -> str:
        """The file."""
        return yaml_file(self.content)

    def make(self, scope: Scope) -> dict[str, str]:
        """Make the ConfigMap; the annotations of pods that restart when it changes."""
        config_map(scope, self.name, {self.file: self.text})
        return restart_on_change(self.text)

    @property
    def mounted(self) -> Mounted:
        """The file."""
        return mounted(self.volume, f"/{self.file}", config_map=self.name, file=self.file)
