"""Istio 1.29 (networking.istio.io): the kinds that nobody here writes."""

from __future__ import annotations

from pathlib import Path

from platform_def.apis.model import AGE, Api, Column, DataSchema, Definition

_DATA = Path(__file__).with_name("istio_networking_rest_v1.json")

WORKLOAD_ENTRY = Api(
    group="networking.istio.io",
    version="v1",
    kind="WorkloadEntry",
    plural="workloadentries",
    spec=dict[str, object],
    data=DataSchema(_DATA, "workloadentries/v1"),
    status_subresource=True,
    columns=(AGE, Column("Address", ".spec.address")),
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
