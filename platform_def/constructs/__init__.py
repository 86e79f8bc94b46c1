"""The thin skin over cdk8s that components are made of, one concept a file; its public names are in the list below.

They are the contract for third-party packages too. Importing a name has jsii start the pinned Node, and in our way.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from platform_def.constructs.node import take_over

if TYPE_CHECKING:
    from platform_def.config.capability import Need as Need
    from platform_def.config.capability import need as need
    from platform_def.config.component import ComponentConfig as ComponentConfig
    from platform_def.config.kubernetes import Kubernetes as Kubernetes
    from platform_def.config.objects import Drift as Drift
    from platform_def.config.objects import Stored as Stored
    from platform_def.config.platform import BASELINE_LEVEL as BASELINE_LEVEL
    from platform_def.config.platform import RESTRICTED_LEVEL as RESTRICTED_LEVEL
    from platform_def.config.platform import ExistingObject as ExistingObject
    from platform_def.config.platform import NamespaceNeed as NamespaceNeed
    from platform_def.config.platform import Offers as Offers
    from platform_def.config.platform import Platform as Platform
    from platform_def.config.platform import PodSecurityNeed as PodSecurityNeed
    from platform_def.config.releases.upkeep import Support as Support
    from platform_def.config.releases.upkeep import Upkeep as Upkeep
    from platform_def.config.releases.upkeep import Vulnerability as Vulnerability
    from platform_def.config.releases.withdrawn import Withdrawn as Withdrawn
    from platform_def.config.routing import BackendAuthority as BackendAuthority
    from platform_def.config.routing import BackendTls as BackendTls
    from platform_def.config.routing import Cors as Cors
    from platform_def.config.routing import Retries as Retries
    from platform_def.config.secrets import GENERATED as GENERATED
    from platform_def.config.secrets import SecretSource as SecretSource
    from platform_def.constructs.admission import AdmissionServer as AdmissionServer
    from platform_def.constructs.aggregated_api import AggregatedApi as AggregatedApi
    from platform_def.constructs.bucket import Bucket as Bucket
    from platform_def.constructs.bucket import BucketKey as BucketKey
    from platform_def.constructs.certificate import ServingCertificate as ServingCertificate
    from platform_def.constructs.component import AnyComponent as AnyComponent
    from platform_def.constructs.component import Component as Component
    from platform_def.constructs.component import Owner as Owner
    from platform_def.constructs.component import Piece as Piece
    from platform_def.constructs.component import Scope as Scope
    from platform_def.constructs.component import Setting as Setting
    from platform_def.constructs.config_map import config_map as config_map
    from platform_def.constructs.config_map import restart_on_change as restart_on_change
    from platform_def.constructs.config_map import yaml_file as yaml_file
    from platform_def.constructs.crds import Crds as Crds
    from platform_def.constructs.csi import NODE_SOCKET as NODE_SOCKET
    from platform_def.constructs.csi import SIDECAR_RESOURCES as SIDECAR_RESOURCES
    from platform_def.constructs.csi import CsiDriver as CsiDriver
    from platform_def.constructs.csi import Sidecar as Sidecar
    from platform_def.constructs.csi import storage_class as storage_class
    from platform_def.constructs.database import Database as Database
    from platform_def.constructs.database import database_need as database_need
    from platform_def.constructs.dataset import Dataset as Dataset
    from platform_def.constructs.dataset import Reading as Reading
    from platform_def.constructs.dataset import dataset_problems as dataset_problems
    from platform_def.constructs.endpoints import CertificateChoice as CertificateChoice
    from platform_def.constructs.endpoints import ConfigFile as ConfigFile
    from platform_def.constructs.endpoints import MetricsEndpoint as MetricsEndpoint
    from platform_def.constructs.endpoints import MountedCertificate as MountedCertificate
    from platform_def.constructs.environment import env as env
    from platform_def.constructs.environment import from_amount as from_amount
    from platform_def.constructs.environment import from_config as from_config
    from platform_def.constructs.environment import from_field as from_field
    from platform_def.constructs.environment import from_secret as from_secret
    from platform_def.constructs.leader import LeaderElection as LeaderElection
    from platform_def.constructs.network_policy import NetworkPolicy as NetworkPolicy
    from platform_def.constructs.network_policy import Opening as Opening
    from platform_def.constructs.network_policy import from_cluster as from_cluster
    from platform_def.constructs.network_policy import from_everywhere as from_everywhere
    from platform_def.constructs.network_policy import from_namespace as from_namespace
    from platform_def.constructs.network_policy import from_pods as from_pods
    from platform_def.constructs.node_paths import NodePaths as NodePaths
    from platform_def.constructs.node_paths import node_paths as node_paths
    from platform_def.constructs.observation.alerts import Alert as Alert
    from platform_def.constructs.observation.alerts import Alerts as Alerts
    from platform_def.constructs.observation.alerts import Record as Record
    from platform_def.constructs.observation.alerts import target_missing as target_missing
    from platform_def.constructs.observation.controllers import CONTROLLER_RUNTIME as CONTROLLER_RUNTIME
    from platform_def.constructs.observation.controllers import controller_alerts as controller_alerts
    from platform_def.constructs.observation.dashboards import Dashboards as Dashboards
    from platform_def.constructs.observation.panels import Choice as Choice
    from platform_def.constructs.observation.panels import Dashboard as Dashboard
    from platform_def.constructs.observation.panels import Query as Query
    from platform_def.constructs.observation.panels import bars as bars
    from platform_def.constructs.observation.panels import graph as graph
    from platform_def.constructs.observation.panels import row as row
    from platform_def.constructs.observation.panels import stat as stat
    from platform_def.constructs.observation.panels import table as table
    from platform_def.constructs.observation.tables import HONORED_TARGET as HONORED_TARGET
    from platform_def.constructs.observation.tables import MetricTable as MetricTable
    from platform_def.constructs.observation.tables import counter as counter
    from platform_def.constructs.observation.tables import gauge as gauge
    from platform_def.constructs.observation.tables import histogram as histogram
    from platform_def.constructs.observation.tables import summary as summary
    from platform_def.constructs.observation.tables import untyped as untyped
    from platform_def.constructs.operator import AccountNames as AccountNames
    from platform_def.constructs.operator import Operator as Operator
    from platform_def.constructs.operator import PodSettings as PodSettings
    from platform_def.constructs.people import KUBEFLOW as KUBEFLOW
    from platform_def.constructs.people import KUBERNETES as KUBERNETES
    from platform_def.constructs.people import PeopleRoles as PeopleRoles
    from platform_def.constructs.people import aggregated as aggregated
    from platform_def.constructs.people import grants as grants
    from platform_def.constructs.probes import Health as Health
    from platform_def.constructs.probes import exec_probe as exec_probe
    from platform_def.constructs.probes import grpc_probe as grpc_probe
    from platform_def.constructs.probes import http_probe as http_probe
    from platform_def.constructs.probes import tcp_probe as tcp_probe
    from platform_def.constructs.rbac import READ as READ
    from platform_def.constructs.rbac import WRITE as WRITE
    from platform_def.constructs.rbac import Account as Account
    from platform_def.constructs.rbac import allow as allow
    from platform_def.constructs.rbac import allow_urls as allow_urls
    from platform_def.constructs.release import APACHE as APACHE
    from platform_def.constructs.release import Release as Release
    from platform_def.constructs.release import releases as releases
    from platform_def.constructs.render import render as render
    from platform_def.constructs.resource import Resource as Resource
    from platform_def.constructs.route import Route as Route
    from platform_def.constructs.route import RuntimePath as RuntimePath
    from platform_def.constructs.route import runtime_routes as runtime_routes
    from platform_def.constructs.routes.routing import Canary as Canary
    from platform_def.constructs.routes.routing import Redirect as Redirect
    from platform_def.constructs.second_scheduler import SecondScheduler as SecondScheduler
    from platform_def.constructs.secrets import GeneratedSecret as GeneratedSecret
    from platform_def.constructs.secrets import SecretUse as SecretUse
    from platform_def.constructs.secrets import secret_name as secret_name
    from platform_def.constructs.secrets import secret_of as secret_of
    from platform_def.constructs.security import RESTRICTED as RESTRICTED
    from platform_def.constructs.security import ImageFacts as ImageFacts
    from platform_def.constructs.security import secured as secured
    from platform_def.constructs.service import Service as Service
    from platform_def.constructs.service import port as port
    from platform_def.constructs.static_volume import static_volume as static_volume
    from platform_def.constructs.storage_entries import entries_of as entries_of
    from platform_def.constructs.storage_entries import own_entries as own_entries
    from platform_def.constructs.storage_entries import static_problems as static_problems
    from platform_def.constructs.volumes import config_files as config_files
    from platform_def.constructs.volumes import host_paths as host_paths
    from platform_def.constructs.volumes import memory as memory
    from platform_def.constructs.volumes import mounted as mounted
    from platform_def.constructs.volumes import mounts as mounts
    from platform_def.constructs.volumes import scratch as scratch
    from platform_def.constructs.web_app import Access as Access
    from platform_def.constructs.web_app import WebApp as WebApp
    from platform_def.constructs.web_app import access_problems as access_problems
    from platform_def.constructs.web_app import user_env as user_env
    from platform_def.constructs.web_app import web_links as web_links
    from platform_def.constructs.webhook import Hook as Hook
    from platform_def.constructs.webhook import Webhooks as Webhooks
    from platform_def.constructs.webhook import rule as rule
    from platform_def.constructs.workloads.claims import Claim as Claim
    from platform_def.constructs.workloads.customized import customized as customized
    from platform_def.constructs.workloads.jobs import OUT_OF_MESH as OUT_OF_MESH
    from platform_def.constructs.workloads.jobs import CronJob as CronJob
    from platform_def.constructs.workloads.jobs import Job as Job
    from platform_def.constructs.workloads.scaling import scale as scale
    from platform_def.constructs.workloads.services import DaemonSet as DaemonSet
    from platform_def.constructs.workloads.services import Deployment as Deployment
    from platform_def.constructs.workloads.services import StatefulSet as StatefulSet
    from platform_def.constructs.workloads.tolerations import toleration as toleration
    from platform_def.constructs.workloads.tolerations import tolerations_of as tolerations_of
    from platform_def.crds.model import Definition as Definition
    from platform_def.errors import ConfigError as ConfigError
    from platform_def.errors import Problem as Problem

_NAMES = {
    "platform_def.config.capability": "Need need",
    "platform_def.config.component": "ComponentConfig",
    "platform_def.config.kubernetes": "Kubernetes",
    "platform_def.config.objects": "Drift Stored",
    "platform_def.config.platform": (
        "BASELINE_LEVEL ExistingObject NamespaceNeed Offers Platform PodSecurityNeed RESTRICTED_LEVEL"
    ),
    "platform_def.config.routing": "BackendAuthority BackendTls Cors Retries",
    "platform_def.config.secrets": "GENERATED SecretSource",
    "platform_def.config.releases.upkeep": "Support Upkeep Vulnerability",
    "platform_def.config.releases.withdrawn": "Withdrawn",
    "platform_def.constructs.admission": "AdmissionServer",
    "platform_def.constructs.aggregated_api": "AggregatedApi",
    "platform_def.constructs.bucket": "Bucket BucketKey",
    "platform_def.constructs.certificate": "ServingCertificate",
    "platform_def.constructs.component": "AnyComponent Component Owner Piece Scope Setting",
    "platform_def.constructs.config_map": "config_map restart_on_change yaml_file",
    "platform_def.constructs.crds": "Crds",
    "platform_def.constructs.csi": "CsiDriver NODE_SOCKET SIDECAR_RESOURCES Sidecar storage_class",
    "platform_def.constructs.database": "Database database_need",
    "platform_def.constructs.dataset": "Dataset Reading dataset_problems",
    "platform_def.constructs.endpoints": "CertificateChoice ConfigFile MetricsEndpoint MountedCertificate",
    "platform_def.constructs.environment": "env from_amount from_config from_field from_secret",
    "platform_def.constructs.leader": "LeaderElection",
    "platform_def.constructs.network_policy": (
        "NetworkPolicy Opening from_cluster from_everywhere from_namespace from_pods"
    ),
    "platform_def.constructs.node_paths": "NodePaths node_paths",
    "platform_def.constructs.observation.alerts": "Alert Alerts Record target_missing",
    "platform_def.constructs.observation.controllers": "CONTROLLER_RUNTIME controller_alerts",
    "platform_def.constructs.observation.dashboards": "Dashboards",
    "platform_def.constructs.observation.panels": "Choice Dashboard Query bars graph row stat table",
    "platform_def.constructs.observation.tables": "HONORED_TARGET MetricTable counter gauge histogram summary untyped",
    "platform_def.constructs.operator": "AccountNames Operator PodSettings",
    "platform_def.constructs.people": "KUBEFLOW KUBERNETES PeopleRoles aggregated grants",
    "platform_def.constructs.probes": "Health exec_probe grpc_probe http_probe tcp_probe",
    "platform_def.constructs.rbac": "Account READ WRITE allow allow_urls",
    "platform_def.constructs.release": "APACHE Release releases",
    "platform_def.constructs.render": "render",
    "platform_def.constructs.resource": "Resource",
    "platform_def.constructs.route": "Route RuntimePath runtime_routes",
    "platform_def.constructs.routes.routing": "Canary Redirect",
    "platform_def.constructs.second_scheduler": "SecondScheduler",
    "platform_def.constructs.secrets": "GeneratedSecret SecretUse secret_name secret_of",
    "platform_def.constructs.security": "ImageFacts RESTRICTED secured",
    "platform_def.constructs.service": "Service port",
    "platform_def.constructs.static_volume": "static_volume",
    "platform_def.constructs.storage_entries": "entries_of own_entries static_problems",
    "platform_def.constructs.volumes": "config_files host_paths memory mounted mounts scratch",
    "platform_def.constructs.web_app": "Access WebApp access_problems user_env web_links",
    "platform_def.constructs.webhook": "Hook Webhooks rule",
    "platform_def.constructs.workloads.claims": "Claim",
    "platform_def.constructs.workloads.customized": "customized",
    "platform_def.constructs.workloads.jobs": "CronJob Job OUT_OF_MESH",
    "platform_def.constructs.workloads.scaling": "scale",
    "platform_def.constructs.workloads.services": "DaemonSet Deployment StatefulSet",
    "platform_def.constructs.workloads.tolerations": "toleration tolerations_of",
    "platform_def.crds.model": "Definition",
    "platform_def.errors": "ConfigError Problem",
}
"""Module → the names that it gives; the imports above tell the same to type checkers."""

_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

take_over()


class _Public(ModuleType):
    def __setattr__(self, name: str, value: object) -> None:
        """Leave out the submodules that are called as what they hold, which the import system would put here."""
        if name not in _HOMES or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Public


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(_HOMES)
