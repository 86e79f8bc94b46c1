"""Environment variables of a container: plain values, and what the cluster alone knows."""

from __future__ import annotations

from collections.abc import Mapping

from platform_def.apis.core.core_v1 import EnvVar, EnvVarSource


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
