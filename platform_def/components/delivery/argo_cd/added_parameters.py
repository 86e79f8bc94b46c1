"""Variables that each release reads beyond those that all read, by the key that each becomes of."""

from __future__ import annotations

from platform_def.components.delivery.argo_cd.parameters import (
    APPLICATION_SETS,
    BASE,
    CONTROLLER,
    NOTIFICATIONS,
    REPO_SERVER,
    SERVER,
    Table,
    table_of,
)

_CLIENT = table_of("""
ARGOCD_K8S_CLIENT_BURST k8s.client.burst
ARGOCD_K8S_CLIENT_MAX_IDLE_CONNECTIONS k8s.client.max.idle.connections
ARGOCD_K8S_CLIENT_QPS k8s.client.qps
ARGOCD_K8S_TCP_IDLE_TIMEOUT k8s.tcp.idle.timeout
ARGOCD_K8S_TCP_KEEPALIVE k8s.tcp.keepalive
ARGOCD_K8S_TCP_TIMEOUT k8s.tcp.timeout
ARGOCD_K8S_TLS_HANDSHAKE_TIMEOUT k8s.tls.handshake.timeout
GRPC_ENABLE_TXT_SERVICE_CONFIG grpc.enable.txt.service.config
""")


def _client(prefix: str) -> dict[str, str]:
    """How a program speaks to the API server."""
    return {name: f"{prefix}.{key}" for name, key in _CLIENT.items()}


def _certificates(variable: str, prefix: str) -> dict[str, str]:
    """How it shows the repo server who it is, and knows that one; not yet in 3.4."""
    return {
        f"{variable}_REPO_SERVER_CA_CERT_PATH": f"{prefix}.repo.server.ca.cert.path",
        f"{variable}_REPO_SERVER_CLIENT_CERT_KEY_PATH": f"{prefix}.repo.server.client.cert.key.path",
        f"{variable}_REPO_SERVER_CLIENT_CERT_PATH": f"{prefix}.repo.server.client.cert.path",
    }


OF_3_4: Table = {
    CONTROLLER: {**BASE[CONTROLLER], **_client("controller")},
    REPO_SERVER: {
        **BASE[REPO_SERVER],
        "ARGOCD_HELM_USER_AGENT": "reposerver.helm.user.agent",
        "GRPC_ENABLE_TXT_SERVICE_CONFIG": "reposerver.grpc.enable.txt.service.config",
    },
    SERVER: {**BASE[SERVER], **_client("server")},
    APPLICATION_SETS: {**BASE[APPLICATION_SETS], **_client("applicationsetcontroller")},
    NOTIFICATIONS: {
        **BASE[NOTIFICATIONS],
        "ARGOCD_NOTIFICATION_CONTROLLER_PROCESSORS_COUNT": "notificationscontroller.processors.count",
    },
}
OF_3_5: Table = {
    CONTROLLER: {
        **OF_3_4[CONTROLLER],
        **_certificates("ARGOCD_APPLICATION_CONTROLLER", "controller"),
        "ARGOCD_APPLICATION_CONTROLLER_HYDRATION_PROCESSORS": "controller.hydration.processors",
    },
    REPO_SERVER: {**OF_3_4[REPO_SERVER], "ARGOCD_REPO_SERVER_CLIENT_CA_PATH": "reposerver.client.ca.path"},
    SERVER: {
        **OF_3_4[SERVER],
        **_certificates("ARGOCD_SERVER", "server"),
        "ARGOCD_SERVER_GLOB_CACHE_SIZE": "server.glob.cache.size",
        "ARGOCD_SERVER_WEBHOOK_REFRESH_WORKERS": "server.webhook.refresh.workers",
    },
    APPLICATION_SETS: {
        **OF_3_4[APPLICATION_SETS],
        **_certificates("ARGOCD_APPLICATIONSET_CONTROLLER", "applicationsetcontroller"),
    },
    NOTIFICATIONS: {
        **OF_3_4[NOTIFICATIONS],
        **_certificates("ARGOCD_NOTIFICATION_CONTROLLER", "notificationscontroller"),
    },
}

_REDIS = table_of("""
ARGOCD_REDIS_KEY_PREFIX redis.key.prefix
REDIS_SENTINEL_HOSTS redis.sentinel.hosts
REDIS_SENTINEL_MASTER redis.sentinel.master
""")
OF_3_6: Table = {
    CONTROLLER: {
        **OF_3_5[CONTROLLER],
        **_REDIS,
        "ARGOCD_APPLICATION_CONTROLLER_METRICS_APPLICATION_CONDITIONS": "controller.metrics.application.conditions",
        "ARGOCD_APPLICATION_CONTROLLER_METRICS_APPLICATION_LABELS": "controller.metrics.application.labels",
        "ARGOCD_APPLICATION_CONTROLLER_METRICS_CLUSTER_LABELS": "controller.metrics.cluster.labels",
        "ARGOCD_APPLICATION_CONTROLLER_OTLP_SAMPLE_RATIO": "otlp.sample.ratio",
    },
    REPO_SERVER: {
        **OF_3_5[REPO_SERVER],
        **_REDIS,
        "ARGOCD_REPO_SERVER_OTLP_SAMPLE_RATIO": "otlp.sample.ratio",
        "ARGOCD_TLS_CURVE_PREFERENCES": "reposerver.tls.curvepreferences",
    },
    SERVER: {
        **OF_3_5[SERVER],
        **_REDIS,
        "ARGOCD_SERVER_DISABLE_SWAGGER_UI": "server.disable.swagger.ui",
        "ARGOCD_SERVER_OTLP_SAMPLE_RATIO": "otlp.sample.ratio",
        "ARGOCD_TLS_CURVE_PREFERENCES": "server.tls.curvepreferences",
    },
    APPLICATION_SETS: {
        **OF_3_5[APPLICATION_SETS],
        "ARGOCD_APPLICATIONSET_CONTROLLER_WORKQUEUE_BACKOFF_FACTOR": "applicationsetcontroller.wq.backoff.factor",
        "ARGOCD_APPLICATIONSET_CONTROLLER_WORKQUEUE_BASE_DELAY_NS": "applicationsetcontroller.wq.basedelay.ns",
        "ARGOCD_APPLICATIONSET_CONTROLLER_WORKQUEUE_BUCKET_QPS": "applicationsetcontroller.wq.bucket.qps",
        "ARGOCD_APPLICATIONSET_CONTROLLER_WORKQUEUE_BUCKET_SIZE": "applicationsetcontroller.wq.bucket.size",
        "ARGOCD_APPLICATIONSET_CONTROLLER_WORKQUEUE_FAILURE_COOLDOWN_NS": "applicationsetcontroller.wq.cooldown.ns",
        "ARGOCD_APPLICATIONSET_CONTROLLER_WORKQUEUE_MAX_DELAY_NS": "applicationsetcontroller.wq.maxdelay.ns",
    },
    NOTIFICATIONS: OF_3_5[NOTIFICATIONS],
}
