"""The configuration that the controller and the server read from their ConfigMap."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from platform_def.apis.core.core_v1 import SecurityContext
from platform_def.capabilities import Gateway, Identity
from platform_def.components.pipelines.argo_workflows.artifacts import store
from platform_def.constructs import Bucket, Database
from platform_def.constructs.secrets import SecretUse

if TYPE_CHECKING:
    from platform_def.components.pipelines.argo_workflows.config import AnyArgoWorkflows

PATH = "/argo/"
EXECUTOR: SecurityContext = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "runAsUser": 8737,
    "seccompProfile": {"type": "RuntimeDefault"},
}
"""What the Pod Security level `restricted` asks of the containers that the controller adds to each pod. Their image's
user is root; the number is that of upstream's image for others."""


def configuration(
    component: AnyArgoWorkflows, *, bucket: Bucket | None, database: Database | None, client: SecretUse | None
) -> dict[str, Any]:
    """Everything that a stack says of it; what is left out is the program's default."""
    config = component.config
    made: dict[str, Any] = {
        "instanceID": config.instance,
        "parallelism": config.parallelism,
        "namespaceParallelism": config.team_parallelism,
        "metricsConfig": {"enabled": True, "secure": False},
        "retentionPolicy": said(
            {
                "completed": config.retention.completed,
                "failed": config.retention.failed,
                "errored": config.retention.errored,
            }
        ),
        "workflowDefaults": defaults(component),
        "artifactRepository": {"archiveLogs": True, "s3": store(bucket, bucket.secret)} if bucket else None,
        "persistence": persistence(component, database) if database else None,
        "executor": {"securityContext": EXECUTOR} if restricted(component) else None,
        "sso": login(component, client) if client else None,
    }
    return said(made)


def restricted(component: AnyArgoWorkflows) -> bool:
    """Whether a team's namespace refuses pods whose containers do not renounce what they need not."""
    return any(team.pod_security == "restricted" for team in component.platform.teams)


def said(values: Mapping[str, Any]) -> dict[str, Any]:
    """Without what says nothing."""
    return {key: value for key, value in values.items() if value not in (None, {}, "")}


def defaults(component: AnyArgoWorkflows) -> dict[str, Any]:
    """What holds for workflows that say nothing themselves."""
    hours = component.config.retention.after_hours
    account = component.config.account if component.platform.teams else None
    spec = said(
        {
            "serviceAccountName": account,
            "ttlStrategy": {"secondsAfterCompletion": hours * 3600} if hours else None,
        }
    )
    return {"spec": spec} if spec else {}


def persistence(component: AnyArgoWorkflows, database: Database) -> dict[str, Any]:
    """The archive."""
    archive = component.config.archive
    server: dict[str, Any] = {
        "host": database.host,
        "port": database.port,
        "database": database.database,
        "tableName": "argo_workflows",
        "userNameSecret": database.secret.ref("username"),
        "passwordSecret": database.secret.ref("password"),
    }
    if database.engine == "postgresql" and database.tls != "off":
        server |= {"ssl": True, "sslMode": "require"}
    days = archive.keep_days if archive else None
    kept = {"archiveTTL": f"{days}d"} if days else {}
    return {"archive": True, **kept, database.engine: server}


def login(component: AnyArgoWorkflows, client: SecretUse) -> dict[str, Any]:
    """Login at the stack's identity provider; what a person may do is decided by an account's annotations there."""
    identity = component.one(Identity).value
    host = component.one(Gateway).value.host
    return {
        "issuer": identity.issuer,
        "clientId": client.ref("clientId"),
        "clientSecret": client.ref("clientSecret"),
        "redirectUrl": f"https://{host}{PATH}oauth2/callback",
        "scopes": ["openid", "email", "groups"],
        "rbac": {"enabled": True},
    }
