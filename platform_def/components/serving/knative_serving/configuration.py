"""Knative's ConfigMaps, written from the stack. What they leave out is the programs' default."""

from __future__ import annotations

from typing import TYPE_CHECKING

from platform_def.capabilities import LocalGateway
from platform_def.components.serving.entry import ServingEntry
from platform_def.components.serving.knative_serving.config import Switch
from platform_def.constructs import yaml_file

if TYPE_CHECKING:
    from platform_def.components.serving.knative_serving.config import AnyKnativeServing

INGRESS_GATEWAY = "knative-ingress-gateway"
GPU_FEATURES = (
    "affinity",
    "nodeselector",
    "tolerations",
    "topologyspreadconstraints",
    "runtimeclassname",
    "priorityclassname",
    "schedulername",
    "securitycontext",
    "fieldref",
    "init-containers",
    "persistent-volume-claim",
    "persistent-volume-write",
)
"""Fields of pods that Knative refuses by default; services need them on pools with GPUs, and to read a claim."""
UNRESOLVED = ("kind.local", "ko.local", "dev.local")
"""Registries that exist on one machine alone: Knative's default."""
DOCKER_HUB = {"docker.io": "index.docker.io"}
"""What Knative calls it where it looks whether a registry is to be left alone (go-containerregistry, pkg/name)."""


def config_maps(component: AnyKnativeServing, entry: ServingEntry) -> dict[str, dict[str, str]]:
    """Data of each ConfigMap by its name."""
    config = component.config
    return {
        "config-autoscaler": {"enable-scale-to-zero": _flag(config.scale_to_zero)},
        "config-certmanager": {},
        "config-defaults": {
            "revision-timeout-seconds": str(config.timeout_seconds),
            "max-revision-timeout-seconds": str(max(config.timeout_seconds, config.most_timeout_seconds)),
        },
        "config-deployment": {
            "queue-sidecar-image": component.image(component.release.queue),
            "registries-skipping-tag-resolving": ",".join(_unresolved(component)),
            "progress-deadline": f"{config.progress_seconds}s",
        },
        "config-domain": {entry.domain: ""},
        "config-features": _features(config.features),
        "config-gc": {},
        "config-istio": _gateways(component, entry),
        "config-leader-election": {},
        "config-logging": {},
        "config-network": {
            "ingress-class": "istio.ingress.networking.knative.dev",
            # One level below the domain, so that one wildcard certificate is enough for all.
            "domain-template": "{{.Name}}-{{.Namespace}}.{{.Domain}}",
            "default-external-scheme": entry.scheme,
        },
        "config-observability": {"metrics-protocol": "prometheus", "request-metrics-protocol": "prometheus"},
    }


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _features(chosen: dict[str, Switch]) -> dict[str, str]:
    return {**{f"kubernetes.podspec-{each}": "enabled" for each in GPU_FEATURES}, **chosen}


def _unresolved(component: AnyKnativeServing) -> list[str]:
    """Knative asks a registry for the digest of each tag itself, with the CAs of its own image: never the mirror."""
    mirror = component.platform.mirror
    hosts = [each.partition("/")[0] for each in (mirror.registry, *dict(mirror.rules).values()) if each]
    hosts = [*UNRESOLVED, *hosts, *component.config.skip_tag_resolving]
    return list(dict.fromkeys(DOCKER_HUB.get(host, host) for host in hosts))


def _gateways(component: AnyKnativeServing, entry: ServingEntry) -> dict[str, str]:
    local, gateway = component.one(LocalGateway).value, entry.gateway
    inside = {
        "name": local.name,
        "namespace": local.namespace,
        "service": component.service_host(local.service, local.namespace),
    }
    outside = []
    if gateway:
        host = component.service_host(gateway.service, gateway.namespace)
        outside = [{"name": INGRESS_GATEWAY, "namespace": component.namespace, "service": host}]
    return {"external-gateways": yaml_file(outside), "local-gateways": yaml_file([inside])}
