"""Which API types each release of a component serves: a table of import strings, so that asking costs nothing.

Shared APIs have one owner: JobSet, Gateway API, volume snapshots and the inference extension are defined once each.
Asking for one kind imports the one module that defines it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Any, NamedTuple

from platform_def.crds.index import Entry, entry_of, index
from platform_def.crds.model import Api, Definition
from platform_def.crds.versions import age, preference

GROUP = "platform_def.apis"
"""Entry points by which packages bring API types of their own: `widgets = "my_package.apis:DEFINITIONS"`."""


class Served(NamedTuple):
    """The APIs of one release of a component."""

    component: str
    release: str
    sources: tuple[str, ...]
    """`module:ATTRIBUTE` under `platform_def.apis`; each attribute is a tuple of definitions."""

    @property
    def age(self) -> tuple[int, list[int], bool]:
        """Sorts newer releases above older ones."""
        return age(self.release, self.component)


def _served(component: str, release: str, *sources: str) -> Served:
    return Served(component, release, tuple(name if ":" in name else f"{name}:CRDS" for name in sources))


_TABLE = (
    _served("admission-webhook", "1.10.0", "kubeflow.pod_default_v1alpha1"),
    _served("application", "20231101", "application.v1beta1"),
    _served("argo-cd", "3.3.4", "argocd.release_3_3"),
    _served("argo-cd", "3.5.7", "argocd.release_3_5"),
    _served("argo-cd", "3.6.1", "argocd.v1alpha1"),
    _served("argo-cd", "3.6.2", "argocd.v1alpha1"),
    _served("argo-workflows", "3.7.3", "argo_workflows.v1alpha1", "argo_workflows.internal_v1alpha1"),
    _served("argo-workflows", "3.7.3-full", "argo_workflows.full_v1alpha1"),
    _served("ceph-csi-operator", "1.0.4", "ceph_csi.v1"),
    _served("cert-manager", "1.19.4", "cert_manager.release_1_19"),
    _served("cert-manager", "1.21.2", "cert_manager.v1"),
    _served("chainer-operator", "d8b821e", "kubeflow.chainer_v1alpha1"),
    _served("dex", "2.45.0", "dex.v1"),
    _served("emissary", "3.10.0", "emissary.release_3_10"),
    _served("emissary", "4.1.0", "emissary.v3alpha1"),
    _served("external-secrets", "2.9.0", "external_secrets.v1", "external_secrets.rest_v1"),
    _served("flux", "2.9.4", "flux.release_2_9"),
    _served("flux", "2.9.5", "flux.release_2_9"),
    _served(
        "flux",
        "2.10.0",
        "flux.source_v1",
        "flux.kustomize_v1",
        "flux.helm_v2",
        "flux.notification_v1",
        "flux.image_v1",
        "flux.extensions_v1beta1",
    ),
    _served("flyte", "1.16.8", "flyte.v1alpha1"),
    _served("gateway-api", "1.6.1", "gateway_api.v1"),
    _served("gateway-api", "1.6.1-experimental", "gateway_api.experimental_v1"),
    _served("gpu-operator", "26.7.0", "nvidia.gpu_operator_v1", "nvidia.resource_v1beta1:DEFINITIONS"),
    _served(
        "istio",
        "1.29.1",
        "istio.networking_v1",
        "istio.networking_rest_v1",
        "istio.security_v1",
        "istio.telemetry_v1",
        "istio.extensions_v1alpha1",
    ),
    _served("jobset", "0.11.0", "jobset.v1alpha2"),
    _served(
        "kai-scheduler",
        "0.17.0",
        "kai.config_v1",
        "kai.shard_v1",
        "kai.topology_v1alpha1",
        "kai.queue_v2",
        "kai.pod_group_v2alpha2",
        "kai.bind_request_v1alpha2",
    ),
    _served("katib", "0.19.0", "kubeflow.katib_v1beta1"),
    _served("keda", "2.21.0", "keda.v1alpha1:DEFINITIONS", "keda.eventing_v1alpha1:DEFINITIONS"),
    _served("kfp", "2.16.0", "kubeflow.kfp_v1beta1", "kubeflow.kfp_pipelines_v2beta1", "metacontroller.v1alpha1"),
    _served("knative-serving", "1.21.1", "knative.serving_v1", "knative.internal_v1alpha1"),
    _served("kserve", "0.16.0", "kserve.v1beta1", "kserve.llm_v1alpha1", "gateway_api.inference_v1alpha2"),
    _served("kuberay-operator", "1.6.2", "ray.release_1_6:DEFINITIONS"),
    _served("kuberay-operator", "1.7.0", "ray.definitions:DEFINITIONS"),
    _served("kueue", "0.19.2", "kueue.v1beta2", "kueue.workload_v1beta2"),
    _served("metallb", "0.16.1", "metallb.v1beta1", "metallb.status_v1beta1"),
    _served("minio-operator", "7.1.1", "minio.v2"),
    _served("mpi-operator", "0.6.0", "kubeflow.mpi_v2beta1"),
    _served("multus", "4.3.0", "multi_network.network_attachment_v1"),
    _served("mxnet-operator", "1.1.0", "kubeflow.mxnet_v1"),
    _served(
        "node-feature-discovery", "0.19.0", "node_features.nfd_v1alpha1", "node_features.resource_topology_v1alpha2"
    ),
    _served("notebook-controller", "1.10.0", "kubeflow.notebook_v1"),
    _served("nvidia-dra-driver", "0.4.1", "nvidia.resource_v1beta1:RELEASE_0_4"),
    _served("nvidia-dra-driver", "25.12.0", "nvidia.resource_v1beta1:DEFINITIONS"),
    _served("paddle-operator", "0.3.5", "paddle.v1"),
    _served("profiles", "1.10.0", "kubeflow.profile_v1"),
    _served(
        "prometheus-operator",
        "0.93.0",
        "prometheus_operator.v1",
        "prometheus_operator.servers_v1",
        "prometheus_operator.rest_v1",
    ),
    _served("pvcviewer-controller", "1.10.0", "kubeflow.pvc_viewer_v1alpha1"),
    _served("scheduler-plugins", "0.34.7", "scheduler_plugins.v1alpha1:DEFINITIONS"),
    _served("sealed-secrets", "0.36.6", "sealed_secrets.v1alpha1"),
    _served("seldon-core", "1.17.1", "seldon.v1"),
    _served("seldon-core", "1.18.2", "seldon.v1"),
    _served("snapshot-controller", "8.6.0", "snapshot.v1", "snapshot.group_v1"),
    _served("spark-operator", "2.5.0", "kubeflow.spark_v1beta2"),
    _served("tensorboard-controller", "1.10.0", "kubeflow.tensorboard_v1alpha1"),
    _served("trainer", "2.2.0", "kubeflow.trainer_v1alpha1"),
    _served("training-operator", "1.7.0", "kubeflow.training_v1_release_1_7:JOBS"),
    _served("training-operator", "1.9.2", "kubeflow.training_v1:JOBS"),
    _served("volcano", "1.15.1", "volcano.batch_v1alpha1", "volcano.scheduling_v1beta1", "volcano.internal_v1alpha1"),
    _served("whereabouts", "0.9.4", "multi_network.whereabouts_v1alpha1"),
    _served("xgboost-operator", "0.2.0", "kubeflow.xgboost_v1"),
)


def known() -> Mapping[str, Served]:
    """All entries by `<component>-<release>`; importing nothing."""
    return _KNOWN


_KNOWN = MappingProxyType({f"{entry.component}-{entry.release}": entry for entry in _TABLE})


@cache
def definitions(name: str) -> tuple[Definition, ...]:
    """The CRDs that `<component>-<release>` installs; imports their modules. Raises KeyError for a name not known."""
    return tuple(definition for source in _KNOWN[name].sources for definition in _loaded(source))


def definitions_of(component: str, release: str) -> tuple[Definition, ...]:
    """The CRDs of a release of a component; none where the catalogue has no such release."""
    name = f"{component}-{release}"
    return definitions(name) if name in _KNOWN else ()


def newest_definitions(component: str, version: str = "") -> tuple[Definition, ...]:
    """The CRDs of a component's newest release that `version` (`1.2`, or nothing) fits, else of its newest of all."""
    known = sorted((each for each in _TABLE if each.component == component), key=lambda each: each.age)
    wanted = version.removeprefix("v")
    fitting = [each for each in known if wanted and f"{each.release}.".startswith(f"{wanted}.")]
    chosen = (fitting or known)[-1:]
    return tuple(definition for each in chosen for definition in definitions(f"{each.component}-{each.release}"))


@cache
def components_with_apis() -> frozenset[str]:
    """Names of everything whose kinds are known, rendered by this tool or not."""
    return frozenset(each.component for each in _TABLE)


def entries(name: str) -> tuple[Entry, ...]:
    """The names of the CRDs that `<component>-<release>` installs; imports nothing that the index has."""
    return tuple(entry for source in _KNOWN[name].sources for entry in _entries(source))


def api_of(group: str, kind: str, version: str = "") -> Api[Any] | None:
    """The API of a custom kind, from the newest release that serves it; imports one module.

    `version` empty: the stored one, of several components' the most stable. None for what the catalogue lacks.
    """
    definition = definition_of(group, kind, version)
    wanted = version or (definition.api.version if definition else "")
    return next((api for api in definition.versions if api.version == wanted), None) if definition else None


def definition_of(group: str, kind: str, version: str = "") -> Definition | None:
    """The CRD of a custom kind, from the newest release that serves it (in `version`, if that is said)."""
    source = _sources().get((group, kind, version))
    known = _loaded(source) if source else _brought()
    found = (one for one in known if (one.api.group, one.api.kind) == (group, kind))
    return next((one for one in found if not version or version in (api.version for api in one.versions)), None)


@cache
def _brought() -> tuple[Definition, ...]:
    """The APIs of installed packages, by the order of their names; asked for where the catalogue lacks a kind."""
    points = sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value))
    return tuple(definition for point in points for definition in point.load())


def _loaded(source: str) -> tuple[Definition, ...]:
    module, _, attribute = source.partition(":")
    found: tuple[Definition, ...] = getattr(import_module(f"platform_def.apis.{module}"), attribute)
    return found


def _entries(source: str) -> tuple[Entry, ...]:
    known = index().get(source)
    return tuple(map(entry_of, _loaded(source))) if known is None else known


@cache
def _sources() -> Mapping[tuple[str, str, str], str]:
    """Group, kind, and a served version or nothing → where the best definition is."""
    newest: dict[tuple[str, str, str, str], tuple[Served, Entry, str]] = {}
    for served in sorted(_TABLE, key=lambda served: served.age):
        for source in served.sources:
            for entry in _entries(source):
                for version in ("", *entry.versions):
                    newest[served.component, entry.group, entry.kind, version] = (served, entry, source)
    found: dict[tuple[str, str, str], str] = {}
    rising = sorted(newest.items(), key=lambda each: (preference(each[1][1].stored), each[1][0].age))
    for (_, group, kind, version), (_, _, source) in rising:
        found[group, kind, version] = source
    return found
