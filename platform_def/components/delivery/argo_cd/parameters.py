"""Which variable of a program each key of `argocd-cmd-params-cm` becomes, or of `argocd-cm` where that is before it.

The names are Argo CD's own; a key that is absent leaves the program its default.
"""

from __future__ import annotations

from collections.abc import Mapping

from platform_def.apis.core.core_v1 import EnvVarSource
from platform_def.constructs import from_config

CONTROLLER, REPO_SERVER, SERVER, APPLICATION_SETS, NOTIFICATIONS = (
    "argocd-application-controller",
    "argocd-repo-server",
    "argocd-server",
    "argocd-applicationset-controller",
    "argocd-notifications-controller",
)
SETTINGS, PARAMETERS = "argocd-cm", "argocd-cmd-params-cm"

Table = Mapping[str, Mapping[str, str]]
"""Key by variable, by program."""


def variables(table: Mapping[str, str]) -> dict[str, EnvVarSource]:
    """The variables of one program."""
    return {name: _source(key) for name, key in table.items()}


def _source(key: str) -> EnvVarSource:
    config_map, _, rest = key.rpartition("/")
    return from_config(config_map or PARAMETERS, rest, optional=True)


def _table(lines: str) -> dict[str, str]:
    return dict(line.split() for line in lines.strip().splitlines())


_CONTROLLER = _table("""
ARGOCD_APPLICATION_NAMESPACES application.namespaces
ARGOCD_HARD_RECONCILIATION_TIMEOUT argocd-cm/timeout.hard.reconciliation
ARGOCD_RECONCILIATION_TIMEOUT argocd-cm/timeout.reconciliation
ARGOCD_RECONCILIATION_JITTER argocd-cm/timeout.reconciliation.jitter
ARGOCD_APPLICATION_CONTROLLER_COMMIT_SERVER commit.server
ARGOCD_APP_STATE_CACHE_EXPIRATION controller.app.state.cache.expiration
ARGOCD_CLUSTER_CACHE_BATCH_EVENTS_PROCESSING controller.cluster.cache.batch.events.processing
ARGOCD_CLUSTER_CACHE_EVENTS_PROCESSING_INTERVAL controller.cluster.cache.events.processing.interval
ARGOCD_DEFAULT_CACHE_EXPIRATION controller.default.cache.expiration
ARGOCD_APPLICATION_CONTROLLER_SERVER_SIDE_DIFF controller.diff.server.side
ARGOCD_IGNORE_NORMALIZER_JQ_TIMEOUT controller.ignore.normalizer.jq.timeout
ARGOCD_K8SCLIENT_RETRY_BASE_BACKOFF controller.k8sclient.retry.base.backoff
ARGOCD_K8SCLIENT_RETRY_MAX controller.k8sclient.retry.max
ARGOCD_APPLICATION_CONTROLLER_KUBECTL_PARALLELISM_LIMIT controller.kubectl.parallelism.limit
ARGOCD_APPLICATION_CONTROLLER_LOGFORMAT controller.log.format
ARGOCD_APPLICATION_CONTROLLER_LOGLEVEL controller.log.level
ARGOCD_APPLICATION_CONTROLLER_METRICS_CACHE_EXPIRATION controller.metrics.cache.expiration
ARGOCD_APPLICATION_CONTROLLER_OPERATION_PROCESSORS controller.operation.processors
ARGOCD_REPO_ERROR_GRACE_PERIOD_SECONDS controller.repo.error.grace.period.seconds
ARGOCD_APPLICATION_CONTROLLER_REPO_SERVER_PLAINTEXT controller.repo.server.plaintext
ARGOCD_APPLICATION_CONTROLLER_REPO_SERVER_STRICT_TLS controller.repo.server.strict.tls
ARGOCD_APPLICATION_CONTROLLER_REPO_SERVER_TIMEOUT_SECONDS controller.repo.server.timeout.seconds
ARGOCD_APPLICATION_CONTROLLER_PERSIST_RESOURCE_HEALTH controller.resource.health.persist
ARGOCD_APPLICATION_CONTROLLER_SELF_HEAL_BACKOFF_CAP_SECONDS controller.self.heal.backoff.cap.seconds
ARGOCD_APPLICATION_CONTROLLER_SELF_HEAL_BACKOFF_COOLDOWN_SECONDS controller.self.heal.backoff.cooldown.seconds
ARGOCD_APPLICATION_CONTROLLER_SELF_HEAL_BACKOFF_FACTOR controller.self.heal.backoff.factor
ARGOCD_APPLICATION_CONTROLLER_SELF_HEAL_BACKOFF_TIMEOUT_SECONDS controller.self.heal.backoff.timeout.seconds
ARGOCD_APPLICATION_CONTROLLER_SELF_HEAL_TIMEOUT_SECONDS controller.self.heal.timeout.seconds
ARGOCD_CONTROLLER_SHARDING_ALGORITHM controller.sharding.algorithm
ARGOCD_APPLICATION_CONTROLLER_STATUS_PROCESSORS controller.status.processors
ARGOCD_APPLICATION_CONTROLLER_SYNC_TIMEOUT controller.sync.timeout.seconds
ARGOCD_SYNC_WAVE_DELAY controller.sync.wave.delay.seconds
ARGOCD_HYDRATOR_ENABLED hydrator.enabled
ARGOCD_LOG_FORMAT_TIMESTAMP log.format.timestamp
ARGOCD_APPLICATION_CONTROLLER_OTLP_ADDRESS otlp.address
ARGOCD_APPLICATION_CONTROLLER_OTLP_ATTRS otlp.attrs
ARGOCD_APPLICATION_CONTROLLER_OTLP_HEADERS otlp.headers
ARGOCD_APPLICATION_CONTROLLER_OTLP_INSECURE otlp.insecure
REDIS_COMPRESSION redis.compression
REDISDB redis.db
REDIS_SERVER redis.server
ARGOCD_APPLICATION_CONTROLLER_REPO_SERVER repo.server
""")
_REPO_SERVER = _table("""
ARGOCD_RECONCILIATION_TIMEOUT argocd-cm/timeout.reconciliation
ARGOCD_LOG_FORMAT_TIMESTAMP log.format.timestamp
ARGOCD_REPO_SERVER_OTLP_ADDRESS otlp.address
ARGOCD_REPO_SERVER_OTLP_ATTRS otlp.attrs
ARGOCD_REPO_SERVER_OTLP_HEADERS otlp.headers
ARGOCD_REPO_SERVER_OTLP_INSECURE otlp.insecure
REDIS_COMPRESSION redis.compression
REDISDB redis.db
REDIS_SERVER redis.server
ARGOCD_REPO_SERVER_ALLOW_OUT_OF_BOUNDS_SYMLINKS reposerver.allow.oob.symlinks
ARGOCD_DEFAULT_CACHE_EXPIRATION reposerver.default.cache.expiration
ARGOCD_REPO_SERVER_DISABLE_HELM_MANIFEST_MAX_EXTRACTED_SIZE reposerver.disable.helm.manifest.max.extracted.size
ARGOCD_REPO_SERVER_DISABLE_OCI_MANIFEST_MAX_EXTRACTED_SIZE reposerver.disable.oci.manifest.max.extracted.size
ARGOCD_REPO_SERVER_DISABLE_TLS reposerver.disable.tls
ARGOCD_REPO_SERVER_ENABLE_BUILTIN_GIT_CONFIG reposerver.enable.builtin.git.config
ARGOCD_GIT_MODULES_ENABLED reposerver.enable.git.submodule
ARGOCD_GIT_LS_REMOTE_PARALLELISM_LIMIT reposerver.git.lsremote.parallelism.limit
ARGOCD_GIT_REQUEST_TIMEOUT reposerver.git.request.timeout
ARGOCD_GRPC_MAX_SIZE_MB reposerver.grpc.max.size
ARGOCD_REPO_SERVER_HELM_MANIFEST_MAX_EXTRACTED_SIZE reposerver.helm.manifest.max.extracted.size
ARGOCD_REPO_SERVER_INCLUDE_HIDDEN_DIRECTORIES reposerver.include.hidden.directories
ARGOCD_REPO_SERVER_LISTEN_ADDRESS reposerver.listen.address
ARGOCD_REPO_SERVER_LOGFORMAT reposerver.log.format
ARGOCD_REPO_SERVER_LOGLEVEL reposerver.log.level
ARGOCD_REPO_SERVER_MAX_COMBINED_DIRECTORY_MANIFESTS_SIZE reposerver.max.combined.directory.manifests.size
ARGOCD_REPO_SERVER_LISTEN_METRICS_ADDRESS reposerver.metrics.listen.address
ARGOCD_REPO_SERVER_OCI_LAYER_MEDIA_TYPES reposerver.oci.layer.media.types
ARGOCD_REPO_SERVER_OCI_MANIFEST_MAX_EXTRACTED_SIZE reposerver.oci.manifest.max.extracted.size
ARGOCD_REPO_SERVER_PARALLELISM_LIMIT reposerver.parallelism.limit
ARGOCD_REPO_SERVER_PLUGIN_TAR_EXCLUSIONS reposerver.plugin.tar.exclusions
ARGOCD_REPO_SERVER_PLUGIN_USE_MANIFEST_GENERATE_PATHS reposerver.plugin.use.manifest.generate.paths
ARGOCD_REPO_CACHE_EXPIRATION reposerver.repo.cache.expiration
ARGOCD_REVISION_CACHE_LOCK_TIMEOUT reposerver.revision.cache.lock.timeout
ARGOCD_REPO_SERVER_STREAMED_MANIFEST_MAX_EXTRACTED_SIZE reposerver.streamed.manifest.max.extracted.size
ARGOCD_REPO_SERVER_STREAMED_MANIFEST_MAX_TAR_SIZE reposerver.streamed.manifest.max.tar.size
ARGOCD_TLS_CIPHERS reposerver.tls.ciphers
ARGOCD_TLS_MAX_VERSION reposerver.tls.maxversion
ARGOCD_TLS_MIN_VERSION reposerver.tls.minversion
""")
_SERVER = _table("""
ARGOCD_APPLICATION_NAMESPACES application.namespaces
ARGOCD_APPLICATIONSET_CONTROLLER_ALLOWED_SCM_PROVIDERS applicationsetcontroller.allowed.scm.providers
ARGOCD_APPLICATIONSET_CONTROLLER_ENABLE_GITHUB_API_METRICS applicationsetcontroller.enable.github.api.metrics
ARGOCD_APPLICATIONSET_CONTROLLER_ENABLE_NEW_GIT_FILE_GLOBBING applicationsetcontroller.enable.new.git.file.globbing
ARGOCD_APPLICATIONSET_CONTROLLER_ENABLE_SCM_PROVIDERS applicationsetcontroller.enable.scm.providers
ARGOCD_APPLICATIONSET_CONTROLLER_SCM_ROOT_CA_PATH applicationsetcontroller.scm.root.ca.path
ARGOCD_HYDRATOR_ENABLED hydrator.enabled
ARGOCD_SERVER_OTLP_ADDRESS otlp.address
ARGOCD_SERVER_OTLP_ATTRS otlp.attrs
ARGOCD_SERVER_OTLP_HEADERS otlp.headers
ARGOCD_SERVER_OTLP_INSECURE otlp.insecure
REDIS_COMPRESSION redis.compression
REDISDB redis.db
REDIS_SERVER redis.server
ARGOCD_SERVER_REPO_SERVER repo.server
ARGOCD_API_CONTENT_TYPES server.api.content.types
ARGOCD_APP_STATE_CACHE_EXPIRATION server.app.state.cache.expiration
ARGOCD_SERVER_BASEHREF server.basehref
ARGOCD_SERVER_CONNECTION_STATUS_CACHE_EXPIRATION server.connection.status.cache.expiration
ARGOCD_SERVER_CONTENT_SECURITY_POLICY server.content.security.policy
ARGOCD_DEFAULT_CACHE_EXPIRATION server.default.cache.expiration
ARGOCD_SERVER_DEX_SERVER server.dex.server
ARGOCD_SERVER_DEX_SERVER_PLAINTEXT server.dex.server.plaintext
ARGOCD_SERVER_DEX_SERVER_STRICT_TLS server.dex.server.strict.tls
ARGOCD_SERVER_DISABLE_AUTH server.disable.auth
ARGOCD_SERVER_ENABLE_GZIP server.enable.gzip
ARGOCD_SERVER_ENABLE_PROXY_EXTENSION server.enable.proxy.extension
ARGOCD_MAX_COOKIE_NUMBER server.http.cookie.maxnumber
ARGOCD_SERVER_INSECURE server.insecure
ARGOCD_K8SCLIENT_RETRY_BASE_BACKOFF server.k8sclient.retry.base.backoff
ARGOCD_K8SCLIENT_RETRY_MAX server.k8sclient.retry.max
ARGOCD_SERVER_LISTEN_ADDRESS server.listen.address
ARGOCD_SERVER_LOGFORMAT server.log.format
ARGOCD_SERVER_LOG_LEVEL server.log.level
ARGOCD_SERVER_METRICS_LISTEN_ADDRESS server.metrics.listen.address
ARGOCD_SERVER_OIDC_CACHE_EXPIRATION server.oidc.cache.expiration
ARGOCD_SERVER_REPO_SERVER_PLAINTEXT server.repo.server.plaintext
ARGOCD_SERVER_REPO_SERVER_STRICT_TLS server.repo.server.strict.tls
ARGOCD_SERVER_REPO_SERVER_TIMEOUT_SECONDS server.repo.server.timeout.seconds
ARGOCD_SERVER_ROOTPATH server.rootpath
ARGOCD_SERVER_STATIC_ASSETS server.staticassets
ARGOCD_SYNC_WITH_REPLACE_ALLOWED server.sync.replace.allowed
ARGOCD_TLS_CIPHERS server.tls.ciphers
ARGOCD_TLS_MAX_VERSION server.tls.maxversion
ARGOCD_TLS_MIN_VERSION server.tls.minversion
ARGOCD_SERVER_WEBHOOK_PARALLELISM_LIMIT server.webhook.parallelism.limit
ARGOCD_SERVER_X_FRAME_OPTIONS server.x.frame.options
""")
_APPLICATION_SETS = _table("""
ARGOCD_APPLICATIONSET_CONTROLLER_ALLOWED_SCM_PROVIDERS applicationsetcontroller.allowed.scm.providers
ARGOCD_APPLICATIONSET_CONTROLLER_CONCURRENT_RECONCILIATIONS applicationsetcontroller.concurrent.reconciliations.max
ARGOCD_APPLICATIONSET_CONTROLLER_DEBUG applicationsetcontroller.debug
ARGOCD_APPLICATIONSET_CONTROLLER_DRY_RUN applicationsetcontroller.dryrun
ARGOCD_GIT_MODULES_ENABLED applicationsetcontroller.enable.git.submodule
ARGOCD_APPLICATIONSET_CONTROLLER_ENABLE_GITHUB_API_METRICS applicationsetcontroller.enable.github.api.metrics
ARGOCD_APPLICATIONSET_CONTROLLER_ENABLE_LEADER_ELECTION applicationsetcontroller.enable.leader.election
ARGOCD_APPLICATIONSET_CONTROLLER_ENABLE_NEW_GIT_FILE_GLOBBING applicationsetcontroller.enable.new.git.file.globbing
ARGOCD_APPLICATIONSET_CONTROLLER_ENABLE_POLICY_OVERRIDE applicationsetcontroller.enable.policy.override
ARGOCD_APPLICATIONSET_CONTROLLER_ENABLE_PROGRESSIVE_SYNCS applicationsetcontroller.enable.progressive.syncs
ARGOCD_APPLICATIONSET_CONTROLLER_ENABLE_SCM_PROVIDERS applicationsetcontroller.enable.scm.providers
ARGOCD_APPLICATIONSET_CONTROLLER_TOKENREF_STRICT_MODE applicationsetcontroller.enable.tokenref.strict.mode
ARGOCD_APPLICATIONSET_CONTROLLER_GLOBAL_PRESERVED_ANNOTATIONS applicationsetcontroller.global.preserved.annotations
ARGOCD_APPLICATIONSET_CONTROLLER_GLOBAL_PRESERVED_LABELS applicationsetcontroller.global.preserved.labels
ARGOCD_APPLICATIONSET_CONTROLLER_LOGFORMAT applicationsetcontroller.log.format
ARGOCD_APPLICATIONSET_CONTROLLER_LOGLEVEL applicationsetcontroller.log.level
ARGOCD_APPLICATIONSET_CONTROLLER_NAMESPACES applicationsetcontroller.namespaces
ARGOCD_APPLICATIONSET_CONTROLLER_POLICY applicationsetcontroller.policy
ARGOCD_APPLICATIONSET_CONTROLLER_REPO_SERVER_PLAINTEXT applicationsetcontroller.repo.server.plaintext
ARGOCD_APPLICATIONSET_CONTROLLER_REPO_SERVER_STRICT_TLS applicationsetcontroller.repo.server.strict.tls
ARGOCD_APPLICATIONSET_CONTROLLER_REPO_SERVER_TIMEOUT_SECONDS applicationsetcontroller.repo.server.timeout.seconds
ARGOCD_APPLICATIONSET_CONTROLLER_REQUEUE_AFTER applicationsetcontroller.requeue.after
ARGOCD_APPLICATIONSET_CONTROLLER_SCM_ROOT_CA_PATH applicationsetcontroller.scm.root.ca.path
ARGOCD_APPLICATIONSET_CONTROLLER_MAX_RESOURCES_STATUS_COUNT applicationsetcontroller.status.max.resources.count
ARGOCD_APPLICATIONSET_CONTROLLER_WEBHOOK_PARALLELISM_LIMIT applicationsetcontroller.webhook.parallelism.limit
ARGOCD_LOG_FORMAT_TIMESTAMP log.format.timestamp
ARGOCD_APPLICATIONSET_CONTROLLER_REPO_SERVER repo.server
""")
_NOTIFICATIONS = _table("""
ARGOCD_APPLICATION_NAMESPACES application.namespaces
ARGOCD_LOG_FORMAT_TIMESTAMP log.format.timestamp
ARGOCD_NOTIFICATIONS_CONTROLLER_LOGFORMAT notificationscontroller.log.format
ARGOCD_NOTIFICATIONS_CONTROLLER_LOGLEVEL notificationscontroller.log.level
ARGOCD_NOTIFICATION_CONTROLLER_REPO_SERVER_PLAINTEXT notificationscontroller.repo.server.plaintext
ARGOCD_NOTIFICATION_CONTROLLER_SELF_SERVICE_NOTIFICATION_ENABLED notificationscontroller.selfservice.enabled
""")

_CLIENT = _table("""
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
    """How a program speaks to the API server; not yet in 3.3."""
    return {name: f"{prefix}.{key}" for name, key in _CLIENT.items()}


def _certificates(variable: str, prefix: str) -> dict[str, str]:
    """How it shows the repo server who it is, and knows that one; not yet in 3.3."""
    return {
        f"{variable}_REPO_SERVER_CA_CERT_PATH": f"{prefix}.repo.server.ca.cert.path",
        f"{variable}_REPO_SERVER_CLIENT_CERT_KEY_PATH": f"{prefix}.repo.server.client.cert.key.path",
        f"{variable}_REPO_SERVER_CLIENT_CERT_PATH": f"{prefix}.repo.server.client.cert.path",
    }


OF_3_3: Table = {
    CONTROLLER: _CONTROLLER,
    REPO_SERVER: _REPO_SERVER,
    SERVER: _SERVER,
    APPLICATION_SETS: _APPLICATION_SETS,
    NOTIFICATIONS: _NOTIFICATIONS,
}
OF_3_5: Table = {
    CONTROLLER: {
        **_CONTROLLER,
        **_client("controller"),
        **_certificates("ARGOCD_APPLICATION_CONTROLLER", "controller"),
        "ARGOCD_APPLICATION_CONTROLLER_HYDRATION_PROCESSORS": "controller.hydration.processors",
    },
    REPO_SERVER: {
        **_REPO_SERVER,
        "ARGOCD_HELM_USER_AGENT": "reposerver.helm.user.agent",
        "ARGOCD_REPO_SERVER_CLIENT_CA_PATH": "reposerver.client.ca.path",
        "GRPC_ENABLE_TXT_SERVICE_CONFIG": "reposerver.grpc.enable.txt.service.config",
    },
    SERVER: {
        **_SERVER,
        **_client("server"),
        **_certificates("ARGOCD_SERVER", "server"),
        "ARGOCD_SERVER_GLOB_CACHE_SIZE": "server.glob.cache.size",
        "ARGOCD_SERVER_WEBHOOK_REFRESH_WORKERS": "server.webhook.refresh.workers",
    },
    APPLICATION_SETS: {
        **_APPLICATION_SETS,
        **_client("applicationsetcontroller"),
        **_certificates("ARGOCD_APPLICATIONSET_CONTROLLER", "applicationsetcontroller"),
    },
    NOTIFICATIONS: {
        **_NOTIFICATIONS,
        **_certificates("ARGOCD_NOTIFICATION_CONTROLLER", "notificationscontroller"),
        "ARGOCD_NOTIFICATION_CONTROLLER_PROCESSORS_COUNT": "notificationscontroller.processors.count",
    },
}
