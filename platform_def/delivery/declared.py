"""Finds what the API types declare about a kind's health, importing only the modules of the groups in a stack."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from platform_def.apis.health import Health
from platform_def.apis.model import Api

MODULES: Mapping[str, tuple[str, ...]] = {
    "bitnami.com": ("sealed_secrets_v1alpha1",),
    "cert-manager.io": ("cert_manager_v1",),
    "external-secrets.io": ("external_secrets_v1", "external_secrets_rest_v1"),
    "gateway.networking.k8s.io": ("gateway_api_v1",),
    "helm.toolkit.fluxcd.io": ("flux_helm_v2",),
    "image.toolkit.fluxcd.io": ("flux_image_v1",),
    "jobset.x-k8s.io": ("jobset_v1alpha2",),
    "kubeflow.org": ("kubeflow_v1", "kubeflow_v1_release_1_7", "mpi_v2beta1", "mxnet_v1", "katib_v1beta1"),
    "kueue.x-k8s.io": ("kueue_v1beta2",),
    "kustomize.toolkit.fluxcd.io": ("flux_kustomize_v1",),
    "machinelearning.seldon.io": ("seldon_v1",),
    "monitoring.coreos.com": ("prometheus_operator_servers_v1",),
    "notification.toolkit.fluxcd.io": ("flux_notification_v1",),
    "nvidia.com": ("nvidia_gpu_operator_v1",),
    "serving.knative.dev": ("knative_serving_v1",),
    "serving.kserve.io": ("kserve_v1beta1", "kserve_llm_v1alpha1"),
    "source.extensions.fluxcd.io": ("flux_extensions_v1beta1",),
    "source.toolkit.fluxcd.io": ("flux_source_v1",),
    "trainer.kubeflow.org": ("trainer_v1alpha1",),
    "xgboostjob.kubeflow.org": ("xgboost_v1",),
}
"""Modules of `platform_def.apis` by API group; where two know a kind, the first counts."""


def declared_health(group: str, kind: str) -> Health | None:
    """The health of a kind; None for kinds that are ready when they exist, and for those that nobody here knows."""
    return _declared(group).get(kind)


@cache
def _declared(group: str) -> Mapping[str, Health]:
    found: dict[str, Health] = {}
    for name in MODULES.get(group, ()):
        for value in vars(import_module(f"platform_def.apis.{name}")).values():
            if isinstance(value, Api) and value.group == group and value.health is not None:
                found.setdefault(value.kind, value.health)
    return found
