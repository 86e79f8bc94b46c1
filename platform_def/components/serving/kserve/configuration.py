"""`inferenceservice-config`: what KServe's programs go by, written from the stack. Each key is a JSON text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from platform_def.capabilities import Serverless
from platform_def.components.serving.kserve.config import mode_of
from platform_def.components.serving.kserve.stores import authority, credentials
from platform_def.components.serving.kserve.ways import Way

if TYPE_CHECKING:
    from platform_def.components.serving.entry import ServingEntry
    from platform_def.components.serving.kserve.config import AnyKserve

NAME = "inferenceservice-config"
NO_KNATIVE = "knative-serving/knative-ingress-gateway"
"""KServe refuses to start without a name here, and reads it in the Knative mode alone."""
SMALL = {"cpuRequest": "100m", "cpuLimit": "1", "memoryRequest": "100Mi", "memoryLimit": "1Gi"}


def configuration(component: AnyKserve, entry: ServingEntry, way: Way) -> dict[str, str]:
    """The keys of the ConfigMap."""
    made: dict[str, object] = {
        "ingress": _ingress(component, entry, way),
        "deploy": {"defaultDeploymentMode": mode_of(component.setting).capitalize()},
        "credentials": credentials(component),
        "storageInitializer": _fetcher(component),
        "localModel": _caches(component),
        **_sidecars(component),
        "explainers": _explainers(component),
        "inferenceService": {
            "resource": {"cpuRequest": "1", "cpuLimit": "1", "memoryRequest": "2Gi", "memoryLimit": "2Gi"}
        },
        # A PodMonitor finds the pods by the annotations of their runtime.
        "metricsAggregator": {"enableMetricAggregation": "false", "enablePrometheusScraping": "false"},
        "security": {"autoMountServiceAccountToken": component.config.service_account_tokens},
        "autoscaler": {"scaleUpStabilizationWindowSeconds": "0", "scaleDownStabilizationWindowSeconds": "300"},
        "opentelemetryCollector": _collector(),
    }
    return {key: json.dumps(value, indent=2) + "\n" for key, value in made.items()}


def _ingress(component: AnyKserve, entry: ServingEntry, way: Way) -> dict[str, object]:
    given = component.maybe(Serverless)
    local = f"knative-local-gateway.istio-system.svc.{component.platform.dns_domain}"
    return {
        "ingressDomain": entry.domain,
        "domainTemplate": "{{ .Name }}-{{ .Namespace }}.{{ .IngressDomain }}",
        "urlScheme": entry.scheme,
        "enableGatewayApi": way.http_routes,
        "kserveIngressGateway": way.gateway,
        "ingressClassName": way.ingress_class,
        "ingressGateway": given.value.ingress_gateway if given else NO_KNATIVE,
        "localGateway": given.value.local_gateway if given else "knative-serving/knative-local-gateway",
        "localGatewayService": given.value.local_service if given else local,
        "disableIngressCreation": not entry.public,
        "disableIstioVirtualHost": False,
        "disableHTTPRouteTimeout": False,
    }


def _fetcher(component: AnyKserve) -> dict[str, object]:
    return {
        "image": component.image(component.release.fetcher),
        **SMALL,
        "caBundleConfigMapName": authority(component),
        "caBundleVolumeMountPath": "/etc/ssl/custom-certs",
        "enableModelcar": True,
        "cpuModelcar": "10m",
        "memoryModelcar": "15Mi",
        "uidModelcar": 1010,
    }


def _caches(component: AnyKserve) -> dict[str, object]:
    caches = component.config.caches
    return {
        "enabled": caches is not None,
        "jobNamespace": caches.job_namespace if caches else "kserve-localmodel-jobs",
        "defaultJobImage": component.image(component.release.fetcher),
        "fsGroup": 1000,
        "jobTTLSecondsAfterFinished": 3600,
        "reconcilationFrequencyInSecs": 60,
        "disableVolumeManagement": False,
    }


def _sidecars(component: AnyKserve) -> dict[str, object]:
    agent = component.image(component.release.agent)
    large = {"cpuRequest": "1", "cpuLimit": "1", "memoryRequest": "1Gi", "memoryLimit": "1Gi"}
    receiver = component.config.log_receiver
    return {
        "agent": {"image": agent, **SMALL},
        # Without a receiver of the stack's an InferenceService that logs must name one.
        "logger": {"image": agent, **SMALL, **({"defaultUrl": receiver} if receiver else {})},
        "batcher": {"image": agent, **large, "maxBatchSize": "32", "maxLatency": "5000"},
        "router": {"image": component.image(component.release.router), **SMALL, "imagePullPolicy": "IfNotPresent"},
    }


def _explainers(component: AnyKserve) -> dict[str, object]:
    name, _, tag = component.image(component.release.explainer).rpartition(":")
    return {"art": {"image": name, "defaultImageVersion": tag}}


def _collector() -> dict[str, object]:
    """For autoscaling by metrics of pods: where KEDA's add-on for OpenTelemetry listens."""
    return {
        "scrapeInterval": "5s",
        "metricReceiverEndpoint": "keda-otel-scaler.keda.svc:4317",
        "metricScalerEndpoint": "keda-otel-scaler.keda.svc:4318",
        "resource": {"cpuRequest": "200m", "cpuLimit": "1", "memoryRequest": "512Mi", "memoryLimit": "2Gi"},
    }
