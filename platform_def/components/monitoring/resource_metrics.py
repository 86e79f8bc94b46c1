"""The API metrics.k8s.io, which one server of a cluster may serve: its APIService and the rights around it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from platform_def.apis.core.apiregistration_v1 import API_SERVICE, APIServiceSpec
from platform_def.capabilities import ResourceMetrics
from platform_def.constructs import KUBERNETES, READ, Problem, Resource, Setting, aggregated, allow
from platform_def.constructs.component import AnyComponent

API = "v1beta1.metrics.k8s.io"
CLOUDS = {"gke": "GKE", "aks": "AKS", "openshift": "OpenShift", "k3s": "k3s", "rke2": "RKE2"}
"""Distributions that bring a server of this API."""


def serve(component: AnyComponent, service: str) -> None:
    """The APIService, and the right to read for everyone who may see pods."""
    spec: APIServiceSpec = {
        "group": "metrics.k8s.io",
        "version": "v1beta1",
        "groupPriorityMinimum": 100,
        "versionPriority": 100,
        "insecureSkipTLSVerify": True,  # it signs its certificate itself when it starts, and keeps the key in memory
        "service": {"name": service, "namespace": component.namespace},
    }
    Resource(component, API_SERVICE, API, spec=spec, part="after")
    reading = [allow("metrics.k8s.io", "nodes pods", verbs=READ)]
    aggregated(component, "system:aggregated-metrics-reader", reading, KUBERNETES, "view", "edit", "admin")


def problems(at: Setting[Any]) -> Iterator[Problem]:
    """Another server of the same API, in the stack or of the distribution."""
    here = ("components", at.name)
    for other in at.platform.all(ResourceMetrics):
        if other.by != at.name:
            text = f"components.{at.name}: {other.by} serves {API} as well, and a cluster has one such API"
            yield Problem(text, hint=f"remove {max(at.name, other.by)}", at=here)
    name = CLOUDS.get(at.platform.distribution)
    if name:
        text = f"components.{at.name}: {name} brings a server of {API}"
        yield Problem(text, hint=f"write `{at.name}: {{provided: true}}`, or leave it out", at=here)
