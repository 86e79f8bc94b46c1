"""Istio 1.31 (networking.istio.io): the kinds that the catalogue does not write."""

from __future__ import annotations

from pathlib import Path

from platform_def.crds.model import AGE, Api, Column, DataSchema, Definition
from platform_def.crds.schema import Ref

_DATA = Path(__file__).with_name("networking_rest_v1.json")

_ACCOUNT = Ref("ServiceAccount", optional=True, weak=True)
_ENTRY = {"spec.serviceAccount": _ACCOUNT}
_WORKLOADS = {"spec.template.serviceAccount": _ACCOUNT}
_TARGET = Ref("Gateway", group="gateway.networking.k8s.io", kind_field="kind", group_field="group", weak=True)


WORKLOAD_ENTRY = Api(
    group="networking.istio.io",
    version="v1",
    kind="WorkloadEntry",
    plural="workloadentries",
    spec=dict[str, object],
    data=DataSchema(_DATA, "workloadentries/v1"),
    status_subresource=True,
    columns=(AGE, Column("Address", ".spec.address")),
    references=_ENTRY,
)

WORKLOAD_ENTRY_V1ALPHA3 = Api(
    group="networking.istio.io",
    version="v1alpha3",
    kind="WorkloadEntry",
    plural="workloadentries",
    spec=dict[str, object],
    data=DataSchema(_DATA, "workloadentries/v1alpha3"),
    status_subresource=True,
    columns=(AGE, Column("Address", ".spec.address")),
    storage=False,
    references=_ENTRY,
)

WORKLOAD_ENTRY_V1BETA1 = Api(
    group="networking.istio.io",
    version="v1beta1",
    kind="WorkloadEntry",
    plural="workloadentries",
    spec=dict[str, object],
    data=DataSchema(_DATA, "workloadentries/v1beta1"),
    status_subresource=True,
    columns=(AGE, Column("Address", ".spec.address")),
    storage=False,
    references=_ENTRY,
)

WORKLOAD_GROUP = Api(
    group="networking.istio.io",
    version="v1",
    kind="WorkloadGroup",
    plural="workloadgroups",
    spec=dict[str, object],
    data=DataSchema(_DATA, "workloadgroups/v1"),
    status_subresource=True,
    columns=(AGE,),
    references=_WORKLOADS,
)

WORKLOAD_GROUP_V1ALPHA3 = Api(
    group="networking.istio.io",
    version="v1alpha3",
    kind="WorkloadGroup",
    plural="workloadgroups",
    spec=dict[str, object],
    data=DataSchema(_DATA, "workloadgroups/v1alpha3"),
    status_subresource=True,
    columns=(AGE,),
    storage=False,
    references=_WORKLOADS,
)

WORKLOAD_GROUP_V1BETA1 = Api(
    group="networking.istio.io",
    version="v1beta1",
    kind="WorkloadGroup",
    plural="workloadgroups",
    spec=dict[str, object],
    data=DataSchema(_DATA, "workloadgroups/v1beta1"),
    status_subresource=True,
    columns=(AGE,),
    storage=False,
    references=_WORKLOADS,
)

PROXY_CONFIG = Api(
    group="networking.istio.io",
    version="v1beta1",
    kind="ProxyConfig",
    plural="proxyconfigs",
    spec=dict[str, object],
    data=DataSchema(_DATA, "proxyconfigs/v1beta1"),
    status_subresource=True,
)

ENVOY_FILTER = Api(
    group="networking.istio.io",
    version="v1alpha3",
    kind="EnvoyFilter",
    plural="envoyfilters",
    spec=dict[str, object],
    data=DataSchema(_DATA, "envoyfilters/v1alpha3"),
    status_subresource=True,
    references={"spec.targetRefs[].name": _TARGET},
)

CRDS = (
    Definition(
        (WORKLOAD_ENTRY, WORKLOAD_ENTRY_V1ALPHA3, WORKLOAD_ENTRY_V1BETA1),
        short_names=("we",),
        categories=("istio-io", "networking-istio-io"),
    ),
    Definition(
        (WORKLOAD_GROUP, WORKLOAD_GROUP_V1ALPHA3, WORKLOAD_GROUP_V1BETA1),
        short_names=("wg",),
        categories=("istio-io", "networking-istio-io"),
    ),
    Definition((PROXY_CONFIG,), categories=("istio-io", "networking-istio-io")),
    Definition((ENVOY_FILTER,), categories=("istio-io", "networking-istio-io")),
)
