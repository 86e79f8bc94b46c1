"""The cache server: its webhook looks at each pod of a v1 pipeline's step, and lets one that ran before end at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from platform_def.components.pipelines.kfp import rules
from platform_def.components.pipelines.kfp.accounts import grant
from platform_def.components.pipelines.kfp.parts import CACHE, program
from platform_def.components.pipelines.kfp.releases import CACHED
from platform_def.constructs import (
    Database,
    Deployment,
    Hook,
    Service,
    ServingCertificate,
    Webhooks,
    mounts,
    port,
    rule,
)

if TYPE_CHECKING:
    from platform_def.components.pipelines.kfp.config import AnyKfp

PORT, SECRET = 8443, "webhook-server-tls"
FLAGS = {
    "db_driver": "$(DB_DRIVER)",
    "db_host": "$(DB_HOST)",
    "db_port": "$(DB_PORT)",
    "db_name": "$(DB_NAME)",
    "db_user": "$(DB_USER)",
    "db_password": "$(DB_PASSWORD)",
    "namespace_to_watch": "$(NAMESPACE_TO_WATCH)",
    "listen_port": str(PORT),
    "tls_cert_filename": "tls.crt",
    "tls_key_filename": "tls.key",
}


def cache(component: AnyKfp, database: Database) -> None:
    """The server and its webhook, which ignores that it is away: the step then runs."""
    account = "kubeflow-pipelines-cache"
    grant(component, account, rules.WATCHER, role="kubeflow-pipelines-cache-role")
    certificate = ServingCertificate(
        component, "kfp-cache-cert", services=[CACHE], secret=SECRET, issuer="kfp-cache-selfsigned-issuer"
    )
    many = component.config.serves == "teams"
    variables = {
        "NAMESPACE_TO_WATCH": "" if many else component.namespace,
        "CACHE_IMAGE": component.image(CACHED),
        "CACHE_NODE_RESTRICTIONS": "false",
        "DEFAULT_CACHE_STALENESS": "",
        "MAXIMUM_CACHE_STALENESS": "",
        "DB_DRIVER": database.engine,
    }
    made = program("server", component.release.of("cache-server"), variables)
    made["args"] = [f"--{name}={value}" for name, value in FLAGS.items()]
    made["env"] = [
        *made["env"],
        *database.env(DB_HOST="host", DB_PORT="port", DB_NAME="database", DB_USER="username", DB_PASSWORD="password"),  # noqa: S106
    ]
    made["ports"] = [{"name": "webhook-api", "containerPort": PORT, "protocol": "TCP"}]
    made["volumeMounts"] = mounts({"certificate": "/etc/webhook/certs"}, read_only=True)
    Deployment(
        component,
        CACHE,
        pod={
            "serviceAccountName": account,
            "enableServiceLinks": False,
            "securityContext": {"fsGroup": 1000},
            "containers": [made],
            "volumes": [{"name": "certificate", "secret": {"secretName": certificate.secret, "defaultMode": 0o440}}],
        },
    )
    Service(component, CACHE, ports=[port("webhook", 443, "webhook-api")])
    hook = Hook(
        name=f"{CACHE}.{component.namespace}.svc",
        path="/mutate",
        rules=[rule("", "v1", "pods", "CREATE", scope="Namespaced")],
        failure_policy="Ignore",
        timeout_seconds=5,
        object_selector={"matchLabels": {"pipelines.kubeflow.org/cache_enabled": "true"}},
    )
    name = f"cache-webhook-{component.namespace}"
    Webhooks(component, name, kind="mutating", service=CACHE, hooks=[hook], ca_from=certificate.ca_from)
