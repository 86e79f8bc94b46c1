"""SeaweedFS: an object store in the cluster, where each component gets a bucket and a key of its own."""

from __future__ import annotations

from typing import Any

from platform_def.apis.core.core_v1 import SERVICE, PodSpec, ServiceSpec
from platform_def.capabilities import ObjectStore
from platform_def.capabilities.secrets import needs_of
from platform_def.capabilities.stores import StoreAdministrator
from platform_def.components.storage.seaweedfs import pods
from platform_def.components.storage.seaweedfs.config import SeaweedfsConfig, Spread
from platform_def.components.storage.seaweedfs.observation import ALERTS, BOARD
from platform_def.components.storage.seaweedfs.pods import METRICS_PORT, S3_PORT
from platform_def.constructs import (
    RESTRICTED_LEVEL,
    Account,
    Alerts,
    Claim,
    Component,
    Dashboards,
    Need,
    NetworkPolicy,
    Offers,
    Resource,
    Service,
    Setting,
    StatefulSet,
    from_cluster,
    from_pods,
    port,
    secret_name,
    secret_of,
    target_missing,
)

NAME, MINIO, MINIO_PORT = "seaweedfs", "minio-service", 9000
MASTERS = 3


class Seaweedfs(Component[SeaweedfsConfig]):
    """One pod that does everything, or data spread over nodes; the Service of S3, and the administrator's Secret."""

    several = True
    pod_security = RESTRICTED_LEVEL
    gives = (ObjectStore,)

    @classmethod
    def needs_of(cls, at: Setting[SeaweedfsConfig]) -> tuple[Need[Any], ...]:
        """What keeps the administrator's Secret."""
        return needs_of(at.config.administrator)

    @classmethod
    def offers(cls, at: Setting[SeaweedfsConfig]) -> Offers:
        """The store, and who makes buckets and keys there."""
        config = at.config
        source = config.administrator
        renamed = {} if source.generate or source.external_secret else source.keys
        serves = f"{at.name}-filer" if config.spread else at.name
        store = ObjectStore(
            host=f"{at.name}.{config.namespace}.svc.{at.platform.dns_domain}",
            port=S3_PORT,
            tls=False,
            namespace=config.namespace,
            pods={"app.kubernetes.io/name": serves, "app.kubernetes.io/instance": at.name},
            administrator=StoreAdministrator(
                secret=secret_name(source, f"{at.name}-administrator", at.platform), keys=renamed
            ),
        )
        return Offers(capabilities=(store,))

    def build(self) -> None:
        """Everything of one store."""
        name, spread = self.named(NAME), self.config.spread
        keys = ("accessKey", "secretKey")
        admin = secret_of(self, self.named(f"{NAME}-administrator"), self.config.administrator, keys=keys)
        Account(self, name)
        image = self.release.image
        if spread is None:
            self._server(name, pods.whole(image, admin), Claim("data", "50Gi", kind="fast"))
        else:
            self._masters(spread)
            masters = self._peers()
            volume, filer = self.named(f"{NAME}-volume"), self.named(f"{NAME}-filer")
            claim = Claim("data", "100Gi", kind="fast")
            self._server(
                volume, pods.volume(image, self._domain(volume), masters), claim, replicas=spread.volume_servers
            )
            pod = pods.filer(image, self._domain(filer), masters, admin)
            self._server(filer, pod, Claim("data", "20Gi", kind="fast"))
        serves = self.named(f"{NAME}-filer") if spread else name
        self._services(name, serves)
        Alerts(self, [target_missing(f"{serves}-pods", name="ObjectStore"), *ALERTS])
        Dashboards(self, [BOARD])

    def _masters(self, spread: Spread) -> None:
        name = self.named(f"{NAME}-master")
        pod = pods.master(self.release.image, self._domain(name), self._peers(), spread.copies)
        self._server(name, pod, Claim("data", "1Gi", kind="fast"), replicas=MASTERS)

    def _peers(self) -> str:
        name = self.named(f"{NAME}-master")
        return ",".join(f"{name}-{each}.{self._domain(name)}:{pods.MASTER_PORT}" for each in range(MASTERS))

    def _domain(self, workload: str) -> str:
        """What follows a pod's name in its own host name."""
        return self.service_host(f"{workload}-pods")

    def _server(self, name: str, pod: PodSpec, claim: Claim, *, replicas: int = 1) -> None:
        """Pods with a claim each and a Service that names them."""
        whole: PodSpec = {"serviceAccountName": self.named(NAME), **pod}
        StatefulSet(
            self,
            name,
            pod=whole,
            service=f"{name}-pods",
            replicas=replicas,
            claims=[claim],
            extra_spec={"podManagementPolicy": "Parallel"},
        )
        Service(
            self,
            f"{name}-pods",
            workload=name,
            ports=[port("metrics", METRICS_PORT)],
            extra_spec={"clusterIP": "None", "publishNotReadyAddresses": True},
        ).monitor("metrics")
        if self.config.spread:
            # Its parts answer anyone: no stack wants them open.
            own = from_pods({"app.kubernetes.io/instance": self.name})
            shut = self.platform.network_policies or name != self.named(f"{NAME}-filer")
            opened = [from_cluster(METRICS_PORT)] if shut else [from_cluster(S3_PORT, METRICS_PORT)]
            NetworkPolicy(self, name, openings=[own, *opened])
        elif self.platform.network_policies:
            # Each component with a bucket here lets itself in.
            NetworkPolicy(self, name, openings=[from_cluster(METRICS_PORT)])

    def _services(self, name: str, serves: str) -> None:
        """S3 under both ports that clients know, and the name that old pipelines have for it."""
        ports = [port("s3", S3_PORT), port("s3-compat", MINIO_PORT, S3_PORT)]
        Service(self, name, workload=serves, ports=ports)
        for home in self.config.minio_service:
            if home == self.namespace:
                Service(self, MINIO, workload=serves, ports=[port("s3", MINIO_PORT, S3_PORT)])
            else:
                spec: ServiceSpec = {"type": "ExternalName", "externalName": self.service_host(name)}
                Resource(self, SERVICE, MINIO, namespace=home, spec=spec)
