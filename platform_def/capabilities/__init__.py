"""What components give each other: one class for each concept of the field, without the details of any provider.

What only one pair of components shares is no capability but an object that one of them makes. Packages add theirs by
the entry point group `platform_def.capabilities`: `featureStore = "my_package.capabilities:FeatureStore"`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import entry_points

from platform_def.capabilities.controllers import HookControllers
from platform_def.capabilities.databases import SqlDatabase
from platform_def.capabilities.devices import Devices, Fabric, GpuClient, NodeLabels, NodeWork, RuntimeClass
from platform_def.capabilities.identity import AccessManagement, Identity, MeshCaller, OidcClient, TeamRoles
from platform_def.capabilities.messages import MessageQueue
from platform_def.capabilities.observation import AlertRouter, DashboardReader, Exporter, Logs, Metrics, ResourceMetrics
from platform_def.capabilities.queues import BinPacker, GangScheduler, JobQueue
from platform_def.capabilities.secrets import SecretStore
from platform_def.capabilities.serving import ModelServing, RegisteredModels, Serverless
from platform_def.capabilities.stores import ObjectStore
from platform_def.capabilities.traffic import (
    AddressPool,
    AuthorizationService,
    CertificateIssuer,
    Gateway,
    GatewayPath,
    HostRecords,
    LoadBalancer,
    LocalGateway,
    Mesh,
    MeshRedirection,
    WebLink,
)
from platform_def.capabilities.training import RayOperator, TrainingRuntime, TrainingRuntimes
from platform_def.capabilities.workflows import PipelineServer, WorkflowEngine, WorkflowNamespaces
from platform_def.config.capability import Capability
from platform_def.errors import ConfigError
from platform_def.packages import CAPABILITIES, load

__all__ = [
    "AccessManagement",
    "AddressPool",
    "AlertRouter",
    "AuthorizationService",
    "BinPacker",
    "CertificateIssuer",
    "DashboardReader",
    "Devices",
    "Exporter",
    "Fabric",
    "GangScheduler",
    "Gateway",
    "GatewayPath",
    "GpuClient",
    "HookControllers",
    "HostRecords",
    "Identity",
    "JobQueue",
    "LoadBalancer",
    "LocalGateway",
    "Logs",
    "Mesh",
    "MeshCaller",
    "MeshRedirection",
    "MessageQueue",
    "Metrics",
    "ModelServing",
    "NodeLabels",
    "NodeWork",
    "ObjectStore",
    "OidcClient",
    "PipelineServer",
    "RayOperator",
    "RegisteredModels",
    "ResourceMetrics",
    "RuntimeClass",
    "SecretStore",
    "Serverless",
    "SqlDatabase",
    "TeamRoles",
    "TrainingRuntime",
    "TrainingRuntimes",
    "WebLink",
    "WorkflowEngine",
    "WorkflowNamespaces",
    "capabilities",
]

_OWN: tuple[type[Capability], ...] = (
    AccessManagement,
    AddressPool,
    AlertRouter,
    AuthorizationService,
    BinPacker,
    CertificateIssuer,
    DashboardReader,
    Devices,
    Exporter,
    Fabric,
    GangScheduler,
    Gateway,
    GatewayPath,
    GpuClient,
    HookControllers,
    HostRecords,
    Identity,
    JobQueue,
    LoadBalancer,
    LocalGateway,
    Logs,
    Mesh,
    MeshCaller,
    MeshRedirection,
    MessageQueue,
    Metrics,
    ModelServing,
    NodeLabels,
    NodeWork,
    ObjectStore,
    OidcClient,
    PipelineServer,
    ResourceMetrics,
    RayOperator,
    RegisteredModels,
    RuntimeClass,
    SecretStore,
    Serverless,
    SqlDatabase,
    TeamRoles,
    TrainingRuntimes,
    WebLink,
    WorkflowEngine,
    WorkflowNamespaces,
)


@lru_cache(maxsize=1)
def capabilities() -> Mapping[str, type[Capability]]:
    """Every capability by the name that stack files use: the project's own, and those that installed packages bring."""
    found = {each.kind(): each for each in _OWN}
    for point in sorted(entry_points(group=CAPABILITIES), key=lambda point: (point.name, point.value)):
        made = load(f"capability '{point.name}'", point.value)
        if not (isinstance(made, type) and issubclass(made, Capability)):
            raise ConfigError(f"capability '{point.name}': {point.value} is not a platform_def Capability")
        if made.kind() in found:
            raise ConfigError(f"capability '{made.kind()}' is defined twice, by {point.value} too")
        found[made.kind()] = made
    return dict(sorted(found.items()))
