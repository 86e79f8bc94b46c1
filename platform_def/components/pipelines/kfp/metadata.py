"""ML Metadata: its store, the proxy by which browsers ask it, and what writes down what v1 pipelines do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from platform_def.components.pipelines.kfp import rules
from platform_def.components.pipelines.kfp.accounts import grant
from platform_def.components.pipelines.kfp.parts import ENVOY, ENVOY_PORT, METADATA, METADATA_PORT, program, wait
from platform_def.components.pipelines.kfp.stores import DATABASE_ARGUMENTS, Stores
from platform_def.constructs import (
    Deployment,
    Service,
    config_files,
    config_map,
    mounts,
    port,
    restart_on_change,
    scratch,
    tcp_probe,
    yaml_file,
)

if TYPE_CHECKING:
    from platform_def.components.pipelines.kfp.config import AnyKfp

STORE, PROXY, WRITER = "metadata-grpc-deployment", "metadata-envoy-deployment", "metadata-writer"
PROXY_FILES = "metadata-envoy-configmap"
LARGEST = 100 * 1024 * 1024
"""Bytes of one message: lists of executions are long, and gRPC's own limit is 4 MiB (kubeflow/pipelines 11974)."""
HEADERS = 16384
"""Bytes of a call's headers: a token with many groups is longer than gRPC's 8 KiB."""
KEEPALIVE = {
    "keepalive_time_ms": 300_000,
    "keepalive_permit_without_calls": 1,
    "http2.max_pings_without_data": 0,
}
"""The store pings idle clients every five minutes, for as long as they are connected. gRPC's own two hours, and two
pings at most, are longer than meshes and tables of connections wait before they reset one (gRPC Core, keepalive.md)."""
_TYPES = "type.googleapis.com/envoy.extensions"


def metadata(component: AnyKfp, stores: Stores) -> None:
    """The store, its proxy, and the writer where v1 pipelines run."""
    _store(component, stores)
    _proxy(component)
    if stores.cache:
        _writer(component)


def _store(component: AnyKfp, stores: Stores) -> None:
    account = "metadata-grpc-server"
    grant(component, account, ())
    sizes = {"max_metadata_size": HEADERS, "max_receive_message_length": LARGEST, "max_send_message_length": LARGEST}
    channel = {**sizes, **KEEPALIVE}
    made = program("container", component.release.store, {}, cpu="50m", memory="128Mi", limit="1Gi")
    arguments = {"grpc_port": str(METADATA_PORT), **DATABASE_ARGUMENTS, "enable_database_upgrade": "true"}
    made["command"] = ["/bin/metadata_store_server"]
    made["args"] = [
        *(f"--{name}={value}" for name, value in arguments.items()),
        "--grpc_channel_arguments=" + ",".join(f"grpc.{name}={value}" for name, value in channel.items()),
    ]
    made["env"] = stores.metadata.env(
        DB_HOST="host",
        DB_PORT="port",
        DB_NAME="database",
        DB_USER="username",
        DB_PASSWORD="password",  # noqa: S106
    )
    made["ports"] = [{"name": "grpc-api", "containerPort": METADATA_PORT, "protocol": "TCP"}]
    made["readinessProbe"] = tcp_probe("grpc-api", delay=3, period=5, timeout=2)
    made["livenessProbe"] = tcp_probe("grpc-api", delay=30, period=10, timeout=5)
    Deployment(
        component,
        STORE,
        pod={
            "serviceAccountName": account,
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "initContainers": [wait("wait-for-database", stores.metadata.host, stores.metadata.port)],
            "containers": [made],
        },
    )
    Service(component, METADATA, workload=STORE, ports=[port("grpc-api", METADATA_PORT)])


def _proxy(component: AnyKfp) -> None:
    file = yaml_file(proxy(component.service_host(METADATA)))
    config_map(component, PROXY_FILES, {"envoy-config.yaml": file})
    made = program("container", component.release.of("metadata-envoy"), {}, memory="64Mi", limit="256Mi")
    made["args"] = ["/etc/envoy/envoy-config.yaml"]
    made["ports"] = [{"name": "md-envoy", "containerPort": ENVOY_PORT, "protocol": "TCP"}]
    made["readinessProbe"] = tcp_probe("md-envoy", period=10)
    made["volumeMounts"] = [
        *mounts({PROXY_FILES: "/etc/envoy"}, read_only=True),
        *mounts({"tmp": "/tmp"}),  # noqa: S108 - in the container
    ]
    Deployment(
        component,
        PROXY,
        pod={
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "containers": [made],
            "volumes": [*config_files(PROXY_FILES), *scratch("tmp")],
        },
        pod_annotations=restart_on_change(file),
    )
    Service(component, ENVOY, workload=PROXY, ports=[port("md-envoy", ENVOY_PORT)])


def proxy(store: str) -> dict[str, Any]:
    """Envoy's file: gRPC of browsers becomes gRPC. Nothing else listens, its administration included."""
    filters = [
        {"name": name, "typed_config": {"@type": f"{_TYPES}.filters.http.{kind}"}}
        for name, kind in (
            ("envoy.filters.http.grpc_web", "grpc_web.v3.GrpcWeb"),
            ("envoy.filters.http.router", "router.v3.Router"),
        )
    ]
    route = {"cluster": "store", "timeout": "0s", "max_stream_duration": {"grpc_timeout_header_max": "0s"}}
    hosts = [{"name": "store", "domains": ["*"], "routes": [{"match": {"prefix": "/"}, "route": route}]}]
    manager = {
        "@type": f"{_TYPES}.filters.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": "metadata",
        "codec_type": "AUTO",
        "max_request_headers_kb": 96,
        "route_config": {"name": "store", "virtual_hosts": hosts},
        "http_filters": filters,
    }
    options = f"{_TYPES.replace('extensions', 'extensions.upstreams')}.http.v3.HttpProtocolOptions"
    cluster = {
        "name": "store",
        "type": "STRICT_DNS",
        "connect_timeout": "30s",
        "typed_extension_protocol_options": {
            "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
                "@type": options,
                "explicit_http_config": {"http2_protocol_options": {}},
            }
        },
        "load_assignment": {
            "cluster_name": "store",
            "endpoints": [{"lb_endpoints": [{"endpoint": {"address": _address(store, METADATA_PORT)}}]}],
        },
    }
    chain = [{"name": "envoy.filters.network.http_connection_manager", "typed_config": manager}]
    listener = {"name": "web", "address": _address("0.0.0.0", ENVOY_PORT), "filter_chains": [{"filters": chain}]}  # noqa: S104
    return {"static_resources": {"listeners": [listener], "clusters": [cluster]}}


def _address(host: str, number: int) -> dict[str, Any]:
    return {"socket_address": {"address": host, "port_value": number}}


def _writer(component: AnyKfp) -> None:
    account = "kubeflow-pipelines-metadata-writer"
    watched = "" if component.config.serves == "teams" else component.namespace
    grant(component, account, rules.WATCHER, role="kubeflow-pipelines-metadata-writer-role")
    variables = {
        "NAMESPACE_TO_WATCH": watched,
        "POD_NAMESPACE": component.namespace,
        "CLUSTER_DOMAIN": f".svc.{component.platform.dns_domain}",
        "METADATA_GRPC_SERVICE_SERVICE_HOST": component.service_host(METADATA),
        "METADATA_GRPC_SERVICE_SERVICE_PORT": str(METADATA_PORT),
        "METADATA_GRPC_MAX_RECEIVE_MESSAGE_LENGTH": str(LARGEST),
    }
    made = program("main", component.release.of("metadata-writer"), variables, memory="128Mi")
    Deployment(
        component,
        WRITER,
        pod={
            "serviceAccountName": account,
            "enableServiceLinks": False,
            "initContainers": [wait("wait-for-metadata-grpc", component.service_host(METADATA), METADATA_PORT)],
            "containers": [made],
        },
    )
