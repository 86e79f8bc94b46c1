"""The thin skin over cdk8s that components are made of, one concept a file; what most need is in the list below.

A name is in it once three components or templates use it; what fewer use is imported from its own module. The list is
the contract for third-party packages too. Node is the pinned one, started in our way and by the first question that
only it can answer: neither importing a name nor making objects asks one.
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
    from platform_def.config.objects import Drift as Drift
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
    from platform_def.config.secrets import SecretSource as SecretSource
    from platform_def.constructs.admission import AdmissionServer as AdmissionServer
    from platform_def.constructs.bucket import Bucket as Bucket
    from platform_def.constructs.certificate import ServingCertificate as ServingCertificate
    from platform_def.constructs.component import AnyComponent as AnyComponent
    from platform_def.constructs.component import Component as Component
    from platform_def.constructs.component import Piece as Piece
    from platform_def.constructs.component import Scope as Scope
    from platform_def.constructs.component import Setting as Setting
    from platform_def.constructs.config_map import config_map as config_map
    from platform_def.constructs.config_map import restart_on_change as restart_on_change
    from platform_def.constructs.config_map import yaml_file as yaml_file
    from platform_def.constructs.crds import Crds as Crds
    from platform_def.constructs.database import Database as Database
    from platform_def.constructs.database import database_need as database_need
    from platform_def.constructs.endpoints import CertificateChoice as CertificateChoice
    from platform_def.constructs.endpoints import ConfigFile as ConfigFile
    from platform_def.constructs.endpoints import MetricsEndpoint as MetricsEndpoint
    from platform_def.constructs.environment import env as env
    from platform_def.constructs.environment import from_field as from_field
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
    from platform_def.constructs.observation.growth import increased as increased
    from platform_def.constructs.observation.panels import Choice as Choice
    from platform_def.constructs.observation.panels import Dashboard as Dashboard
    from platform_def.constructs.observation.panels import Query as Query
    from platform_def.constructs.observation.panels import graph as graph
    from platform_def.constructs.observation.panels import row as row
    from platform_def.constructs.observation.panels import stat as stat
    from platform_def.constructs.observation.panels import table as table
    from platform_def.constructs.observation.tables import HONORED_TARGET as HONORED_TARGET
    from platform_def.constructs.observation.tables import MetricTable as MetricTable
    from platform_def.constructs.observation.tables import counter as counter
    from platform_def.constructs.observation.tables import gauge as gauge
    from platform_def.constructs.observation.tables import histogram as histogram
    from platform_def.constructs.operator import AccountNames as AccountNames
    from platform_def.constructs.operator import Operator as Operator
    from platform_def.constructs.operator import PodSettings as PodSettings
    from platform_def.constructs.people import KUBERNETES as KUBERNETES
    from platform_def.constructs.people import PeopleRoles as PeopleRoles
    from platform_def.constructs.people import aggregated as aggregated
    from platform_def.constructs.people import grants as grants
    from platform_def.constructs.probes import Health as Health
    from platform_def.constructs.probes import exec_probe as exec_probe
    from platform_def.constructs.probes import http_probe as http_probe
    from platform_def.constructs.probes import tcp_probe as tcp_probe
    from platform_def.constructs.rbac import READ as READ
    from platform_def.constructs.rbac import WRITE as WRITE
    from platform_def.constructs.rbac import Account as Account
    from platform_def.constructs.rbac import allow as allow
    from platform_def.constructs.release import APACHE as APACHE
    from platform_def.constructs.release import Release as Release
    from platform_def.constructs.release import releases as releases
    from platform_def.constructs.render import render as render
    from platform_def.constructs.resource import Resource as Resource
    from platform_def.constructs.route import Route as Route
    from platform_def.constructs.route import RuntimePath as RuntimePath
    from platform_def.constructs.second_scheduler import SecondScheduler as SecondScheduler
    from platform_def.constructs.secrets import SecretUse as SecretUse
    from platform_def.constructs.secrets import secret_name as secret_name
    from platform_def.constructs.secrets import secret_of as secret_of
    from platform_def.constructs.security import RESTRICTED as RESTRICTED
    from platform_def.constructs.security import ImageFacts as ImageFacts
    from platform_def.constructs.security import secured as secured
    from platform_def.constructs.service import Service as Service
    from platform_def.constructs.service import port as port
    from platform_def.constructs.volumes import config_files as config_files
    from platform_def.constructs.volumes import host_paths as host_paths
    from platform_def.constructs.volumes import memory as memory
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
    from platform_def.constructs.workloads.scaling import scale as scale
    from platform_def.constructs.workloads.services import DaemonSet as DaemonSet
    from platform_def.constructs.workloads.services import Deployment as Deployment
    from platform_def.constructs.workloads.services import StatefulSet as StatefulSet
    from platform_def.constructs.workloads.tolerations import tolerations_of as tolerations_of
    from platform_def.crds.model import Definition as Definition
    from platform_def.errors import ConfigError as ConfigError
    from platform_def.errors import Problem as Problem

_NAMES = {
    "platform_def.config.capability": "Need need",
    "platform_def.config.component": "ComponentConfig",
    "platform_def.config.objects": "Drift",
    "platform_def.config.platform": "ExistingObject NamespaceNeed Offers Platform PodSecurityNeed RESTRICTED_LEVEL",
    "platform_def.config.secrets": "SecretSource",
    "platform_def.config.releases.upkeep": "Support Upkeep Vulnerability",
    "platform_def.config.releases.withdrawn": "Withdrawn",
    "platform_def.constructs.admission": "AdmissionServer",
    "platform_def.constructs.bucket": "Bucket",
    "platform_def.constructs.certificate": "ServingCertificate",
    "platform_def.constructs.component": "AnyComponent Component Piece Scope Setting",
    "platform_def.constructs.config_map": "config_map restart_on_change yaml_file",
    "platform_def.constructs.crds": "Crds",
    "platform_def.constructs.database": "Database database_need",
    "platform_def.constructs.endpoints": "CertificateChoice ConfigFile MetricsEndpoint",
    "platform_def.constructs.environment": "env from_field",
    "platform_def.constructs.leader": "LeaderElection",
    "platform_def.constructs.network_policy": (
        "NetworkPolicy Opening from_cluster from_everywhere from_namespace from_pods"
    ),
    "platform_def.constructs.node_paths": "NodePaths node_paths",
    "platform_def.constructs.observation.alerts": "Alert Alerts Record target_missing",
    "platform_def.constructs.observation.controllers": "CONTROLLER_RUNTIME controller_alerts",
    "platform_def.constructs.observation.dashboards": "Dashboards",
    "platform_def.constructs.observation.growth": "increased",
    "platform_def.constructs.observation.panels": "Choice Dashboard Query graph row stat table",
    "platform_def.constructs.observation.tables": "HONORED_TARGET MetricTable counter gauge histogram",
    "platform_def.constructs.operator": "AccountNames Operator PodSettings",
    "platform_def.constructs.people": "KUBERNETES PeopleRoles aggregated grants",
    "platform_def.constructs.probes": "Health exec_probe http_probe tcp_probe",
    "platform_def.constructs.rbac": "Account READ WRITE allow",
    "platform_def.constructs.release": "APACHE Release releases",
    "platform_def.constructs.render": "render",
    "platform_def.constructs.resource": "Resource",
    "platform_def.constructs.route": "Route RuntimePath",
    "platform_def.constructs.second_scheduler": "SecondScheduler",
    "platform_def.constructs.secrets": "SecretUse secret_name secret_of",
    "platform_def.constructs.security": "ImageFacts RESTRICTED secured",
    "platform_def.constructs.service": "Service port",
    "platform_def.constructs.volumes": "config_files host_paths memory mounts scratch",
    "platform_def.constructs.web_app": "Access WebApp access_problems user_env web_links",
    "platform_def.constructs.webhook": "Hook Webhooks rule",
    "platform_def.constructs.workloads.claims": "Claim",
    "platform_def.constructs.workloads.customized": "customized",
    "platform_def.constructs.workloads.jobs": "OUT_OF_MESH",
    "platform_def.constructs.workloads.scaling": "scale",
    "platform_def.constructs.workloads.services": "DaemonSet Deployment StatefulSet",
    "platform_def.constructs.workloads.tolerations": "tolerations_of",
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
