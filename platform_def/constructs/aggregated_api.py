"""An API that a controller serves behind the cluster's API server: how requests reach it, and whom it trusts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from platform_def.apis.core.apiregistration_v1 import API_SERVICE, APIServiceSpec
from platform_def.apis.core.core_v1 import ServicePort
from platform_def.config.objects import Drift
from platform_def.constructs.component import Piece
from platform_def.constructs.endpoints import MountedCertificate
from platform_def.constructs.rbac import Account
from platform_def.constructs.resource import Resource


@dataclass(frozen=True, kw_only=True)
class AggregatedApi:
    """An API group that the API server passes on to a controller."""

    group: str
    versions: Sequence[str]
    port: ServicePort
    """Port of the Service."""
    service: str = ""
    """A Service of its own; by default the controller's."""
    binding: str
    """RoleBinding in kube-system by which the controller learns how the API server identifies itself."""
    certificate: MountedCertificate | None = None
    """The certificate of this server only."""
    ca_from: str = ""
    """Where the certificate is another's, the annotation `key=value` for cert-manager's injector."""
    writes_ca: bool = False
    """The controller writes its certificate authority into the APIServices. Where it does not, and cert-manager injects
    none, the API server does not verify the certificate."""

    def serve(self, scope: Piece, account: Account, *, service: str) -> None:
        """Let the controller know its caller, and register each version."""
        account.read_authentication(binding=self.binding)
        ca_from = self.certificate.make(scope, service) if self.certificate else self.ca_from
        key, _, value = ca_from.partition("=")
        for version in self.versions:
            name = f"{version}.{self.group}"
            spec: APIServiceSpec = {
                "group": self.group,
                "version": version,
                "groupPriorityMinimum": 100,
                "versionPriority": 100,
                "service": {"name": service, "namespace": scope.component.namespace},
            }
            if value or self.writes_ca:
                scope.component.mutated(Drift("apiregistration.k8s.io/v1", "APIService", name, ("/spec/caBundle",)))
            else:
                spec["insecureSkipTLSVerify"] = True
            annotations = {key: value} if value else None
            Resource(scope, API_SERVICE, name, spec=spec, annotations=annotations, part="after")
