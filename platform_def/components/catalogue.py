"""What can be installed: an explicit list of import strings, so that naming a component costs nothing.

Packages add theirs by the entry point group `platform_def.components`: `my-operator = "my_package.operator:Operator"`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from platform_def.components import GROUP
from platform_def.config.component import slug_of
from platform_def.constructs.component import Component
from platform_def.errors import ConfigError

BUILT_IN: Mapping[str, str] = {
    slug_of(path.partition(":")[0]): f"platform_def.components.{path}"
    for path in (
        "namespaces.component:Namespaces",
        "databases.mysql:Mysql",
        "delivery.argo_cd.component:ArgoCd",
        "delivery.flux:Flux",
        "fabrics.multus:Multus",
        "fabrics.sriov_cni:SriovCni",
        "fabrics.sriov_network_device_plugin:SriovNetworkDevicePlugin",
        "fabrics.whereabouts:Whereabouts",
        "gateways.cert_manager.component:CertManager",
        "gateways.emissary.component:Emissary",
        "gateways.external_dns.component:ExternalDns",
        "gateways.gateway_api:GatewayApi",
        "gateways.istio.component:Istio",
        "gateways.istio_cluster_local_gateway:IstioClusterLocalGateway",
        "gateways.istio_cni:IstioCni",
        "gateways.istio_ingress_gateway:IstioIngressGateway",
        "gateways.metallb.component:Metallb",
        "gpu.dcgm_exporter.component:DcgmExporter",
        "gpu.gpu_admission:GpuAdmission",
        "gpu.gpu_feature_discovery:GpuFeatureDiscovery",
        "gpu.gpu_manager:GpuManager",
        "gpu.gpu_operator.component:GpuOperator",
        "gpu.gpu_preflight.component:GpuPreflight",
        "gpu.hami.component:Hami",
        "gpu.mig_manager.component:MigManager",
        "gpu.node_feature_discovery.component:NodeFeatureDiscovery",
        "gpu.nvidia_device_plugin.component:NvidiaDevicePlugin",
        "gpu.nvidia_dra_driver.component:NvidiaDraDriver",
        "gpu.rdma_shared_device_plugin:RdmaSharedDevicePlugin",
        "queues.bin_packing_scheduler:BinPackingScheduler",
        "queues.kai_scheduler.component:KaiScheduler",
        "queues.keda.component:Keda",
        "queues.kueue.component:Kueue",
        "queues.scheduler_plugins:SchedulerPlugins",
        "queues.volcano.component:Volcano",
        "storage.ceph_csi_cephfs:CephCsiCephFs",
        "storage.ceph_csi_rbd:CephCsiRbd",
        "storage.csi_driver_nfs:CsiDriverNfs",
        "storage.local_path_provisioner:LocalPathProvisioner",
        "storage.snapshot_controller:SnapshotController",
        "training.kuberay_operator:KuberayOperator",
        "training.mpi_operator:MpiOperator",
        "training.jobset:Jobset",
        "training.trainer.component:Trainer",
        "training.chainer_operator:ChainerOperator",
        "training.mxnet_operator:MxnetOperator",
        "training.paddle_operator:PaddleOperator",
        "training.training_operator:TrainingOperator",
        "training.xgboost_operator:XgboostOperator",
        "tuning.katib.component:Katib",
    )
}
"""Import string by name of the component."""

ALWAYS = ("namespaces",)
"""Components that every stack has."""


@lru_cache(maxsize=1)
def catalogue() -> Mapping[str, str]:
    """Import string by name, the project's own and those that installed packages bring."""
    found = dict(BUILT_IN)
    for point in external():
        if point.name in found:
            raise ConfigError(
                f"package {_package(point)} brings a component '{point.name}', so does {_origin(found[point.name])}",
                hint="uninstall one of them, or rename its entry point",
            )
        found[point.name] = point.value
    return dict(sorted(found.items()))


def external() -> list[EntryPoint]:
    """Entry points of other packages, sorted by name."""
    return sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value))


@cache
def component(name: str) -> type[Component[Any]]:
    """The component's class; raises ConfigError when a package's entry point cannot be loaded."""
    module, _, attribute = catalogue()[name].partition(":")
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        if module.startswith("platform_def."):
            raise
        raise ConfigError(f"component '{name}' cannot be loaded from {module}:{attribute}: {error}") from error
    if not (isinstance(found, type) and issubclass(found, Component)):
        raise ConfigError(f"component '{name}': {module}:{attribute} is not a platform_def Component")
    found.slug = name
    return found


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "(unknown)"


def _origin(value: str) -> str:
    return "the catalogue" if value.startswith("platform_def.") else value
