"""All checks, by what they are about: the one list from which the engine, the commands and the reference take them."""

from __future__ import annotations

from collections.abc import Mapping

from platform_def.checks.about import About
from platform_def.checks.rule import Rule
from platform_def.checks.rules.delivery.engine_release import ENGINE_RELEASE
from platform_def.checks.rules.delivery.source_size import SOURCE_SIZE
from platform_def.checks.rules.platform.checkpoint_volume import CHECKPOINT_VOLUME
from platform_def.checks.rules.platform.default_class import DEFAULT_CLASS
from platform_def.checks.rules.platform.device_offered import DEVICE_OFFERED
from platform_def.checks.rules.platform.device_request import DEVICE_REQUEST
from platform_def.checks.rules.platform.feature_gate import FEATURE_GATE
from platform_def.checks.rules.platform.gang_start import GANG_START
from platform_def.checks.rules.platform.job_lifetime import JOB_LIFETIME
from platform_def.checks.rules.platform.mig_cut import MIG_CUT
from platform_def.checks.rules.platform.queue_admits import QUEUE_ADMITS
from platform_def.checks.rules.platform.quota_counts import QUOTA_COUNTS
from platform_def.checks.rules.platform.quota_size import QUOTA_SIZE
from platform_def.checks.rules.platform.rdma_access import RDMA_ACCESS
from platform_def.checks.rules.platform.release_range import RELEASE_RANGE
from platform_def.checks.rules.platform.sidecar_injection import SIDECAR_INJECTION
from platform_def.checks.rules.platform.training_job import TRAINING_JOB
from platform_def.checks.rules.platform.visible_gpus import VISIBLE_GPUS
from platform_def.checks.rules.platform.volume_sharing import VOLUME_SHARING
from platform_def.checks.rules.policy.admission_policy import ADMISSION_POLICY
from platform_def.checks.rules.policy.credential_shape import CREDENTIAL_SHAPE
from platform_def.checks.rules.policy.disruption_budget import DISRUPTION_BUDGET
from platform_def.checks.rules.policy.foreign_file import FOREIGN_FILE
from platform_def.checks.rules.policy.gateway_tls import GATEWAY_TLS
from platform_def.checks.rules.policy.host_access import HOST_ACCESS
from platform_def.checks.rules.policy.image_gone import IMAGE_GONE
from platform_def.checks.rules.policy.image_inventory import IMAGE_INVENTORY
from platform_def.checks.rules.policy.image_mirror import IMAGE_MIRROR
from platform_def.checks.rules.policy.image_tag import IMAGE_TAG
from platform_def.checks.rules.policy.operator_role import OPERATOR_ROLE
from platform_def.checks.rules.policy.pod_security import POD_SECURITY
from platform_def.checks.rules.policy.public_route import PUBLIC_ROUTE
from platform_def.checks.rules.policy.rbac_escalation import RBAC_ESCALATION
from platform_def.checks.rules.policy.secret_content import SECRET_CONTENT
from platform_def.checks.rules.policy.waiver import WAIVER
from platform_def.checks.rules.policy.webhook_reach import WEBHOOK_REACH
from platform_def.checks.rules.policy.workload_requests import WORKLOAD_REQUESTS
from platform_def.checks.rules.references.autoscaler_target import AUTOSCALER_TARGET
from platform_def.checks.rules.references.mesh_revision import MESH_REVISION
from platform_def.checks.rules.references.mesh_subset import MESH_SUBSET
from platform_def.checks.rules.references.monitor_target import MONITOR_TARGET
from platform_def.checks.rules.references.network_peer import NETWORK_PEER
from platform_def.checks.rules.references.network_reach import NETWORK_REACH
from platform_def.checks.rules.references.reference_exists import REFERENCE_EXISTS
from platform_def.checks.rules.references.reference_grant import REFERENCE_GRANT
from platform_def.checks.rules.references.route_parent import ROUTE_PARENT
from platform_def.checks.rules.references.scheduler_exists import SCHEDULER_EXISTS
from platform_def.checks.rules.references.selects_pods import SELECTS_PODS
from platform_def.checks.rules.references.service_target import SERVICE_TARGET
from platform_def.checks.rules.references.storage_driver import STORAGE_DRIVER
from platform_def.checks.rules.references.strict_mesh import STRICT_MESH
from platform_def.checks.rules.references.volume_modes import VOLUME_MODES
from platform_def.checks.rules.references.webhook_certificate import WEBHOOK_CERTIFICATE
from platform_def.checks.rules.server.api_deprecated import API_DEPRECATED
from platform_def.checks.rules.server.crd_size import CRD_SIZE
from platform_def.checks.rules.server.custom_rule import CUSTOM_RULE
from platform_def.checks.rules.server.definition_valid import DEFINITION_VALID
from platform_def.checks.rules.server.duplicate_object import DUPLICATE_OBJECT
from platform_def.checks.rules.server.expression_valid import EXPRESSION_VALID
from platform_def.checks.rules.server.name_valid import NAME_VALID
from platform_def.checks.rules.server.namespace_exists import NAMESPACE_EXISTS
from platform_def.checks.rules.server.schema import SCHEMA
from platform_def.checks.rules.server.scope import SCOPE
from platform_def.checks.rules.server.transition import TRANSITION
from platform_def.errors import ConfigError, nearest

AREAS: Mapping[str, tuple[Rule, ...]] = {
    "server": (
        SCHEMA,
        API_DEPRECATED,
        CUSTOM_RULE,
        DEFINITION_VALID,
        EXPRESSION_VALID,
        NAME_VALID,
        SCOPE,
        NAMESPACE_EXISTS,
        DUPLICATE_OBJECT,
        CRD_SIZE,
    ),
    "references": (
        REFERENCE_EXISTS,
        SERVICE_TARGET,
        AUTOSCALER_TARGET,
        MESH_REVISION,
        MESH_SUBSET,
        MONITOR_TARGET,
        REFERENCE_GRANT,
        ROUTE_PARENT,
        SELECTS_PODS,
        NETWORK_PEER,
        NETWORK_REACH,
        WEBHOOK_CERTIFICATE,
        SCHEDULER_EXISTS,
        VOLUME_MODES,
        STORAGE_DRIVER,
        STRICT_MESH,
    ),
    "policy": (
        POD_SECURITY,
        SECRET_CONTENT,
        CREDENTIAL_SHAPE,
        GATEWAY_TLS,
        IMAGE_TAG,
        IMAGE_MIRROR,
        DISRUPTION_BUDGET,
        WEBHOOK_REACH,
        IMAGE_GONE,
        HOST_ACCESS,
        IMAGE_INVENTORY,
        PUBLIC_ROUTE,
        RBAC_ESCALATION,
        OPERATOR_ROLE,
        WORKLOAD_REQUESTS,
        ADMISSION_POLICY,
    ),
    "platform": (
        VISIBLE_GPUS,
        MIG_CUT,
        QUOTA_SIZE,
        DEFAULT_CLASS,
        RELEASE_RANGE,
        DEVICE_OFFERED,
        DEVICE_REQUEST,
        QUOTA_COUNTS,
        TRAINING_JOB,
        CHECKPOINT_VOLUME,
        JOB_LIFETIME,
        RDMA_ACCESS,
        SIDECAR_INJECTION,
        VOLUME_SHARING,
        FEATURE_GATE,
        QUEUE_ADMITS,
        GANG_START,
    ),
    "delivery": (
        ENGINE_RELEASE,
        SOURCE_SIZE,
    ),
}
"""The rules that look at objects, by the room they stand in; ids are distinct and stay."""

RULES: tuple[Rule, ...] = tuple(rule for rules in AREAS.values() for rule in rules)

BESIDE: Mapping[str, tuple[About, ...]] = {"server": (TRANSITION,), "policy": (FOREIGN_FILE, WAIVER)}
"""Checks of something else than the objects of a stack alone; whoever looks tells the findings."""


def checks() -> Mapping[str, About]:
    """Every check by its id, area by area."""
    return {check.id: check for area in AREAS for check in checks_of(area)}


def checks_of(area: str) -> tuple[About, ...]:
    """The checks of an area."""
    return (*AREAS[area], *BESIDE.get(area, ()))


def check_of(name: str) -> About:
    """The check of an id; ConfigError with the nearest where there is none."""
    known = checks()
    if name not in known:
        raise ConfigError(f"there is no check '{name[:64]}'", hint=nearest(name, known))
    return known[name]
