"""The settings of Seldon Core's controller: variables, and the ConfigMap with images of servers.

The controller keeps name and tag of a server's image apart and joins them again, so the whole reference stands in the
name here and the tag is empty.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

from platform_def.apis.core.core_v1 import Container, EnvVar, EnvVarSource
from platform_def.capabilities import Gateway
from platform_def.components.serving.seldon_core.config import servers_of
from platform_def.constructs import customized, env, from_field
from platform_def.constructs.route import gateway_of

if TYPE_CHECKING:
    from platform_def.components.serving.seldon_core.config import AnySeldonCore

CONFIG = "seldon-config"
"""Name compiled into the controller."""
LEASE = "a33bd623.machinelearning.seldon.io"
METRICS_PATH = "/prometheus"
KEDA = "ScaledObject.keda.sh"


def routes_of(component: AnySeldonCore) -> Gateway | None:
    """The gateway for which the controller writes routes."""
    return gateway_of(component.platform) if component.config.routes else None


def variables(component: AnySeldonCore) -> list[EnvVar]:
    """Variables of the controller; what it takes for granted without them is left out."""
    config, gateway = component.config, routes_of(component)
    istio = gateway is not None and gateway.api == "istio"
    user = str(config.default_user)
    named: dict[str, str | int | EnvVarSource] = {
        "AMBASSADOR_ENABLED": str(gateway is not None and gateway.api == "emissary").lower(),
        # Version 2 writes Mappings of getambassador.io/v2, which Emissary 4 does not serve; 1 annotates Services.
        "AMBASSADOR_VERSION": "v1",
        "AMBASSADOR_SINGLE_NAMESPACE": str(_short_paths(component)).lower(),
        "ISTIO_ENABLED": str(istio).lower(),
        "KEDA_ENABLED": str(component.platform.serves(KEDA)).lower(),
        "DEFAULT_USER_ID": user,
        "EXECUTOR_CONTAINER_USER": user,
        "EXECUTOR_CONTAINER_IMAGE_PULL_POLICY": "IfNotPresent",
        "EXECUTOR_CONTAINER_SERVICE_ACCOUNT_NAME": "default",
        "EXECUTOR_PROMETHEUS_PATH": METRICS_PATH,
        "EXECUTOR_SERVER_PORT": "8000",
        "EXECUTOR_FULL_HEALTH_CHECKS": "false",
        "EXECUTOR_REQUEST_LOGGER_DEFAULT_ENDPOINT": config.request_log_endpoint,
        "PREDICTIVE_UNIT_HTTP_SERVICE_PORT": "9000",
        "PREDICTIVE_UNIT_GRPC_SERVICE_PORT": "9500",
        "PREDICTIVE_UNIT_DEFAULT_ENV_SECRET_REF_NAME": config.model_secret or "",
        "MANAGER_CREATE_RESOURCES": "false",
        "DEPLOYMENT_NAME_AS_PREFIX": str(config.name_as_prefix).lower(),
        "WATCH_NAMESPACE": config.watch_namespace or "",
        "POD_NAMESPACE": from_field("metadata.namespace"),
        **({"ISTIO_GATEWAY": f"{gateway.namespace}/{gateway.name}"} if gateway and istio else {}),
        **_executor(component),
    }
    return env(named)


def _executor(component: AnySeldonCore) -> dict[str, str]:
    """The program beside every predictor, as the stack wants it."""
    container: Container = {
        "name": "executor",
        "image": component.release.executor,
        # Upstream's requests, without its CPU limit of half a core, which slows the requests of every model.
        "resources": {"requests": {"cpu": "500m", "memory": "512Mi"}, "limits": {"cpu": "2", "memory": "512Mi"}},
    }
    made, _ = customized(component, "executor", container)
    return {
        "EXECUTOR_CONTAINER_IMAGE_AND_VERSION": made["image"],
        **{
            f"EXECUTOR_DEFAULT_{what.upper()}_{kind}": amount
            for what in ("cpu", "memory")
            for kind, amount in (("REQUEST", _amount(made, "requests", what)), ("LIMIT", _amount(made, "limits", what)))
        },
    }


def _amount(container: Container, kind: str, what: str) -> str:
    """An amount of a container; the controller takes none for its own default, so no limit is the request."""
    resources = cast("dict[str, dict[str, object]]", container.get("resources", {}))
    found = resources.get(kind, {}).get(what)
    return str(found if found is not None else resources["requests"][what])


def files(component: AnySeldonCore) -> dict[str, str]:
    """The ConfigMap: each key is a document in JSON."""
    release, image = component.release, component.image
    servers = {
        server: {
            "protocols": {
                protocol: {"image": image(reference), "defaultImageVersion": ""}
                for protocol, reference in servers_of(release, component.config, server).items()
            }
        }
        for server in release.servers
    }
    content: dict[str, object] = {
        "credentials": {
            "gcs": {"gcsCredentialFileName": "gcloud-application-credentials.json"},
            "s3": {"s3AccessKeyIDName": "awsAccessKeyID", "s3SecretAccessKeyName": "awsSecretAccessKey"},
        },
        "explainer": {field: image(reference) for field, reference in release.explainers.items()},
        "predictor_servers": servers,
        "storageInitializer": _storage_initializer(component),
    }
    return {key: json.dumps(value, indent=2, sort_keys=True) + "\n" for key, value in content.items()}


def _storage_initializer(component: AnySeldonCore) -> dict[str, str]:
    container: Container = {
        "name": "storage-initializer",
        "image": component.release.storage_initializer,
        "resources": {"requests": {"cpu": "100m", "memory": "100Mi"}, "limits": {"cpu": "1", "memory": "1Gi"}},
    }
    made, _ = customized(component, "storage-initializer", container)
    return {
        "image": made["image"],
        "cpuRequest": _amount(made, "requests", "cpu"),
        "cpuLimit": _amount(made, "limits", "cpu"),
        "memoryRequest": _amount(made, "requests", "memory"),
        "memoryLimit": _amount(made, "limits", "memory"),
    }


def _short_paths(component: AnySeldonCore) -> bool:
    """Whether models also have paths without their namespace."""
    chosen = component.config.short_paths
    return len(component.platform.teams) <= 1 if chosen is None else chosen
