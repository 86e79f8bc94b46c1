"""Environment variables of a container: plain values, and what the cluster alone knows."""

from __future__ import annotations

from collections.abc import Mapping

from platform_def.apis.core.core_v1 import EnvVar, EnvVarSource
from platform_def.config.component import Proxy

API_SERVER = "$(KUBERNETES_SERVICE_HOST)"
"""Address of the API server, which the kubelet fills in: clients in pods take it, not a name, from this variable."""


def env(values: Mapping[str, str | int | EnvVarSource]) -> list[EnvVar]:
    """Variables by name: `env({"LOG_LEVEL": "info", "POD_IP": from_field("status.podIP")})`."""
    return [
        {"name": name, "valueFrom": value} if isinstance(value, Mapping) else {"name": name, "value": str(value)}
        for name, value in values.items()
    ]


def from_field(path: str) -> EnvVarSource:
    """A field of the pod, such as `metadata.namespace`, `spec.nodeName`, `status.podIP`."""
    return {"fieldRef": {"fieldPath": path}}


def from_secret(name: str, key: str, *, optional: bool = False) -> EnvVarSource:
    """A key of a Secret in the pod's namespace."""
    if optional:
        return {"secretKeyRef": {"name": name, "key": key, "optional": True}}
    return {"secretKeyRef": {"name": name, "key": key}}


def from_config(name: str, key: str, *, optional: bool = False) -> EnvVarSource:
    """A key of a ConfigMap in the pod's namespace."""
    if optional:
        return {"configMapKeyRef": {"name": name, "key": key, "optional": True}}
    return {"configMapKeyRef": {"name": name, "key": key}}


def from_amount(resource: str) -> EnvVarSource:
    """A request or limit of the container itself, such as `limits.memory`."""
    return {"resourceFieldRef": {"resource": resource}}


def proxied(proxy: Proxy, domain: str) -> dict[str, str]:
    """Variables of a proxy, in both spellings: curl reads http_proxy in small letters alone.

    What is inside the cluster is left out: names of Services below `domain`, and the API server.
    """
    inside = ",".join([*proxy.no_proxy, "localhost", "127.0.0.1", API_SERVER, ".svc", f".{domain}"])
    values = {"HTTP_PROXY": proxy.http, "HTTPS_PROXY": proxy.https, "NO_PROXY": inside}
    return {each: value for name, value in values.items() if value for each in (name, name.lower())}
