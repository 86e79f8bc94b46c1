"""Core kinds as constants, imported when asked for: `from platform_def.apis.core import DEPLOYMENT`."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from platform_def.apis.core.admissionregistration_v1 import (
        MUTATING_ADMISSION_POLICY,
        MUTATING_ADMISSION_POLICY_BINDING,
        MUTATING_WEBHOOK_CONFIGURATION,
        VALIDATING_ADMISSION_POLICY,
        VALIDATING_ADMISSION_POLICY_BINDING,
        VALIDATING_WEBHOOK_CONFIGURATION,
    )
    from platform_def.apis.core.apiextensions_v1 import CUSTOM_RESOURCE_DEFINITION
    from platform_def.apis.core.apiregistration_v1 import API_SERVICE
    from platform_def.apis.core.apps_v1 import DAEMON_SET, DEPLOYMENT, STATEFUL_SET
    from platform_def.apis.core.autoscaling_v2 import HORIZONTAL_POD_AUTOSCALER
    from platform_def.apis.core.batch_v1 import CRON_JOB, JOB
    from platform_def.apis.core.coordination_v1 import LEASE
    from platform_def.apis.core.core_v1 import (
        CONFIG_MAP,
        ENDPOINTS,
        LIMIT_RANGE,
        NAMESPACE,
        PERSISTENT_VOLUME,
        PERSISTENT_VOLUME_CLAIM,
        POD,
        RESOURCE_QUOTA,
        SECRET,
        SERVICE,
        SERVICE_ACCOUNT,
    )
    from platform_def.apis.core.discovery_v1 import ENDPOINT_SLICE
    from platform_def.apis.core.networking_v1 import INGRESS, INGRESS_CLASS, NETWORK_POLICY
    from platform_def.apis.core.node_v1 import RUNTIME_CLASS
    from platform_def.apis.core.policy_v1 import POD_DISRUPTION_BUDGET
    from platform_def.apis.core.rbac_v1 import CLUSTER_ROLE, CLUSTER_ROLE_BINDING, ROLE, ROLE_BINDING
    from platform_def.apis.core.resource_v1 import DEVICE_CLASS, RESOURCE_CLAIM, RESOURCE_CLAIM_TEMPLATE
    from platform_def.apis.core.scheduling_v1 import PRIORITY_CLASS
    from platform_def.apis.core.storage_v1 import CSI_DRIVER, STORAGE_CLASS, VOLUME_ATTRIBUTES_CLASS

_HOMES = {
    "API_SERVICE": "apiregistration_v1",
    "CLUSTER_ROLE": "rbac_v1",
    "CLUSTER_ROLE_BINDING": "rbac_v1",
    "CONFIG_MAP": "core_v1",
    "CRON_JOB": "batch_v1",
    "CSI_DRIVER": "storage_v1",
    "CUSTOM_RESOURCE_DEFINITION": "apiextensions_v1",
    "DAEMON_SET": "apps_v1",
    "DEPLOYMENT": "apps_v1",
    "DEVICE_CLASS": "resource_v1",
    "ENDPOINTS": "core_v1",
    "ENDPOINT_SLICE": "discovery_v1",
    "HORIZONTAL_POD_AUTOSCALER": "autoscaling_v2",
    "INGRESS": "networking_v1",
    "INGRESS_CLASS": "networking_v1",
    "JOB": "batch_v1",
    "LEASE": "coordination_v1",
    "LIMIT_RANGE": "core_v1",
    "MUTATING_ADMISSION_POLICY": "admissionregistration_v1",
    "MUTATING_ADMISSION_POLICY_BINDING": "admissionregistration_v1",
    "MUTATING_WEBHOOK_CONFIGURATION": "admissionregistration_v1",
    "NAMESPACE": "core_v1",
    "NETWORK_POLICY": "networking_v1",
    "PERSISTENT_VOLUME": "core_v1",
    "PERSISTENT_VOLUME_CLAIM": "core_v1",
    "POD": "core_v1",
    "POD_DISRUPTION_BUDGET": "policy_v1",
    "PRIORITY_CLASS": "scheduling_v1",
    "RESOURCE_CLAIM": "resource_v1",
    "RESOURCE_CLAIM_TEMPLATE": "resource_v1",
    "RESOURCE_QUOTA": "core_v1",
    "ROLE": "rbac_v1",
    "ROLE_BINDING": "rbac_v1",
    "RUNTIME_CLASS": "node_v1",
    "SECRET": "core_v1",
    "SERVICE": "core_v1",
    "SERVICE_ACCOUNT": "core_v1",
    "STATEFUL_SET": "apps_v1",
    "STORAGE_CLASS": "storage_v1",
    "VALIDATING_ADMISSION_POLICY": "admissionregistration_v1",
    "VALIDATING_ADMISSION_POLICY_BINDING": "admissionregistration_v1",
    "VALIDATING_WEBHOOK_CONFIGURATION": "admissionregistration_v1",
    "VOLUME_ATTRIBUTES_CLASS": "storage_v1",
}

__all__ = [
    "API_SERVICE",
    "CLUSTER_ROLE",
    "CLUSTER_ROLE_BINDING",
    "CONFIG_MAP",
    "CRON_JOB",
    "CSI_DRIVER",
    "CUSTOM_RESOURCE_DEFINITION",
    "DAEMON_SET",
    "DEPLOYMENT",
    "DEVICE_CLASS",
    "ENDPOINTS",
    "ENDPOINT_SLICE",
    "HORIZONTAL_POD_AUTOSCALER",
    "INGRESS",
    "INGRESS_CLASS",
    "JOB",
    "LEASE",
    "LIMIT_RANGE",
    "MUTATING_ADMISSION_POLICY",
    "MUTATING_ADMISSION_POLICY_BINDING",
    "MUTATING_WEBHOOK_CONFIGURATION",
    "NAMESPACE",
    "NETWORK_POLICY",
    "PERSISTENT_VOLUME",
    "PERSISTENT_VOLUME_CLAIM",
    "POD",
    "POD_DISRUPTION_BUDGET",
    "PRIORITY_CLASS",
    "RESOURCE_CLAIM",
    "RESOURCE_CLAIM_TEMPLATE",
    "RESOURCE_QUOTA",
    "ROLE",
    "ROLE_BINDING",
    "RUNTIME_CLASS",
    "SECRET",
    "SERVICE",
    "SERVICE_ACCOUNT",
    "STATEFUL_SET",
    "STORAGE_CLASS",
    "VALIDATING_ADMISSION_POLICY",
    "VALIDATING_ADMISSION_POLICY_BINDING",
    "VALIDATING_WEBHOOK_CONFIGURATION",
    "VOLUME_ATTRIBUTES_CLASS",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
