"""A platform with something for every component: what pages and goldens render each by itself on."""

from __future__ import annotations

from collections.abc import Mapping

from platform_def.capabilities import (
    AccessManagement,
    CertificateIssuer,
    Devices,
    Fabric,
    Gateway,
    Identity,
    LocalGateway,
    Mesh,
    ModelServing,
    NodeWork,
    ObjectStore,
    SqlDatabase,
)
from platform_def.components import catalogue
from platform_def.config.capability import EXTERNAL, Capability, Provision
from platform_def.config.component import ComponentConfig
from platform_def.config.platform import NamespaceNeed, Platform
from platform_def.config.pools import Gpu, NodePool
from platform_def.config.secrets import SecretSource
from platform_def.config.storage import CephFs, LocalPath, Nfs, Rbd, SecretRef
from platform_def.constructs.component import AnyComponent
from platform_def.constructs.render import Build, render

_GIVEN: tuple[tuple[str, Capability], ...] = (
    ("cert-manager", CertificateIssuer()),
    (
        "emissary",
        Gateway(
            api="emissary",
            name="emissary",
            namespace="emissary",
            service="emissary-ingress",
            host="platform.example.com",
            balanced=True,
        ),
    ),
    ("istio", Mesh(api="istio", root_namespace="istio-system")),
    (
        "istio-cluster-local-gateway",
        LocalGateway(
            api="istio", name="cluster-local-gateway", namespace="istio-system", service="cluster-local-gateway"
        ),
    ),
    ("kserve", ModelServing(mode="standard", domain="models.platform.example.com")),
    ("node-feature-discovery", NodeWork(work="features")),
    ("gpu-manager", Devices(resources=["tencent.com/vcuda-core", "tencent.com/vcuda-memory"], layer="gpu-manager")),
    ("multus", Fabric(part="attach", namespace="multus")),
    ("sriov-network-device-plugin", Fabric(part="functions", namespace="sriov-network-device-plugin")),
    ("sriov-cni", Fabric(part="networks", namespace="sriov-cni")),
    ("whereabouts", Fabric(part="addresses", namespace="whereabouts")),
    (EXTERNAL, ObjectStore(host="s3.example.com", credentials=SecretSource(existing="object-store"))),
    (EXTERNAL, Identity(issuer="https://id.example.com")),
    (EXTERNAL, AccessManagement(host="profiles-kfam.kubeflow.svc.cluster.local")),
)

_SERVED: Mapping[str, frozenset[str]] = {
    "training-jobs": frozenset({"TFJob.kubeflow.org", "PyTorchJob.kubeflow.org", "MPIJob.kubeflow.org"})
}
"""Kinds that others bring, for components that do nothing without them."""

_SHARES = ("flyte", "katib", "kfp", "kfp-cache", "kfp-metadata", "mlflow", "model-registry", "modeldb")


def _database(engine: str, port: int) -> SqlDatabase:
    """A server outside with a database for each component that would make one."""
    shares = {name: {"credentials": {"existing": f"{name}-database"}} for name in _SHARES}
    return SqlDatabase.model_validate(
        {"engine": engine, "host": f"{engine}.example.com", "port": port, "shares": shares}
    )


SAMPLE = Platform(
    gateway="emissary",
    node_pools=(NodePool(name="train", nodes=2, selector={"pool": "train"}, gpu=Gpu(model="a100-80gb", per_node=8)),),
    storage={
        "shared": CephFs(
            driver="cephfs",
            cluster_id="ceph",
            monitors=["10.0.1.11:6789"],
            filesystem="ml",
            secret=SecretRef(existing="ceph-csi-cephfs/csi-cephfs-secret"),
        ),
        "block": Rbd(
            driver="rbd",
            cluster_id="ceph",
            monitors=["10.0.1.11:6789"],
            pool="kubernetes",
            secret=SecretRef(existing="ceph-csi-rbd/csi-rbd-secret"),
        ),
        "files": Nfs(driver="nfs", server="nfs.example.com", share="/exports/ml"),
        "scratch": LocalPath(driver="local-path"),
    },
    namespaces=(NamespaceNeed("kubeflow"), NamespaceNeed("storage", "privileged", why="mounts on the node")),
)

RAILS = NodePool.from_file(
    {
        "name": "rails",
        "selector": {"pool": "rails"},
        "rdma": {
            "kind": "roce",
            "mode": "sriov",
            "functions": 8,
            "networks": [{"name": "rail0", "interface": "ens1f0np0", "range": "10.56.0.0/16"}],
        },
    }
)
"""A pool whose pods get virtual functions."""


def platform_for(name: str) -> Platform:
    """The sample as a component of the catalogue sees it: others give it what it needs, it gives nothing to itself."""
    made = catalogue.component(name)
    # Some work on no other server than PostgreSQL.
    database = _database("postgresql", 5432) if name in ("flyte", "modeldb") else _database("mysql", 3306)
    given = tuple(Provision.of(value, by) for by, value in (*_GIVEN, (EXTERNAL, database)) if by != name)
    platform = SAMPLE.with_facts(provisions=given, apis=_SERVED.get(name, frozenset()))
    return platform.with_facts(node_pools=(RAILS,)) if Fabric in made.gives else platform


_CHOSEN: Mapping[str, dict[str, object]] = {
    "external-dns": {"provider": {"aws": {}}},
    "mlflow": {"access": "administrators"},
    "prometheus-adapter": {"prometheus": "https://prometheus.example.com"},
    "tf-serving": {"models": [{"name": "mnist"}]},
}
"""Settings of components that do not work by defaults alone."""


def config_for(name: str, **more: object) -> ComponentConfig:
    """The configuration of the sample: defaults, where there are some for everything."""
    made: type[AnyComponent] = catalogue.component(name)
    found: ComponentConfig = made.config_model().from_file({**_CHOSEN.get(name, {}), **more})
    return found


def rendered(name: str) -> Build:
    """A component of the catalogue by itself, as it is by default."""
    made: type[AnyComponent] = catalogue.component(name)
    return render(lambda scope: made(scope, config=config_for(name), platform=platform_for(name)))
