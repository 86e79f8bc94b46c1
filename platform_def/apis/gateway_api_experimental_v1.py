"""Gateway API 1.6, experimental channel: instead of the standard one."""

from __future__ import annotations

from pathlib import Path

from platform_def.apis.health import Health
from platform_def.apis.model import AGE, Api, Column, DataSchema, Definition

_DATA = Path(__file__).with_name("gateway_api_experimental_v1.json")

BACKEND_TLS_POLICY = Api(
    group="gateway.networking.k8s.io",
    version="v1",
    kind="BackendTLSPolicy",
    plural="backendtlspolicies",
    spec=dict[str, object],
    data=DataSchema(_DATA, "backendtlspolicies/v1"),
    core="1.37",
    status_subresource=True,
    columns=(AGE,),
)

BACKEND_TLS_POLICY_V1ALPHA3 = Api(
    group="gateway.networking.k8s.io",
    version="v1alpha3",
    kind="BackendTLSPolicy",
    plural="backendtlspolicies",
    spec=dict[str, object],
    data=DataSchema(_DATA, "backendtlspolicies/v1alpha3"),
    core="1.37",
    status_subresource=True,
    storage=False,
    deprecated=True,
    deprecation_warning="gateway.networking.k8s.io/v1alpha3 BackendTLSPolicy is on its way out: write v1",
)

GATEWAY_CLASS = Api(
    group="gateway.networking.k8s.io",
    version="v1",
    kind="GatewayClass",
    plural="gatewayclasses",
    namespaced=False,
    spec=dict[str, object],
    data=DataSchema(_DATA, "gatewayclasses/v1"),
    core="1.37",
    status_subresource=True,
    columns=(
        Column("Controller", ".spec.controllerName"),
        Column("Accepted", '.status.conditions[?(@.type=="Accepted")].status'),
        AGE,
        Column("Description", ".spec.description", priority=1),
    ),
    health=Health(ready=("Accepted",)),
)

GATEWAY_CLASS_V1BETA1 = Api(
    group="gateway.networking.k8s.io",
    version="v1beta1",
    kind="GatewayClass",
    plural="gatewayclasses",
    namespaced=False,
    spec=dict[str, object],
    data=DataSchema(_DATA, "gatewayclasses/v1beta1"),
    core="1.37",
    status_subresource=True,
    columns=(
        Column("Controller", ".spec.controllerName"),
        Column("Accepted", '.status.conditions[?(@.type=="Accepted")].status'),
        AGE,
        Column("Description", ".spec.description", priority=1),
    ),
    storage=False,
    health=Health(ready=("Accepted",)),
)

GATEWAY = Api(
    group="gateway.networking.k8s.io",
    version="v1",
    kind="Gateway",
    plural="gateways",
    spec=dict[str, object],
    data=DataSchema(_DATA, "gateways/v1"),
    core="1.37",
    status_subresource=True,
    columns=(
        Column("Class", ".spec.gatewayClassName"),
        Column("Address", ".status.addresses[*].value"),
        Column("Programmed", '.status.conditions[?(@.type=="Programmed")].status'),
        AGE,
    ),
    health=Health(
        ready=(
            "Accepted",
            "Programmed",
        )
    ),
)

GATEWAY_V1BETA1 = Api(
    group="gateway.networking.k8s.io",
    version="v1beta1",
    kind="Gateway",
    plural="gateways",
    spec=dict[str, object],
    data=DataSchema(_DATA, "gateways/v1beta1"),
    core="1.37",
    status_subresource=True,
    columns=(
        Column("Class", ".spec.gatewayClassName"),
        Column("Address", ".status.addresses[*].value"),
        Column("Programmed", '.status.conditions[?(@.type=="Programmed")].status'),
        AGE,
    ),
    storage=False,
    health=Health(
        ready=(
            "Accepted",
            "Programmed",
        )
    ),
)

GRPC_ROUTE = Api(
    group="gateway.networking.k8s.io",
    version="v1",
    kind="GRPCRoute",
    plural="grpcroutes",
    spec=dict[str, object],
    data=DataSchema(_DATA, "grpcroutes/v1"),
    core="1.37",
    status_subresource=True,
    columns=(Column("Hostnames", ".spec.hostnames"), AGE),
)

HTTP_ROUTE = Api(
    group="gateway.networking.k8s.io",
    version="v1",
    kind="HTTPRoute",
    plural="httproutes",
    spec=dict[str, object],
    data=DataSchema(_DATA, "httproutes/v1"),
    core="1.37",
    status_subresource=True,
    columns=(Column("Hostnames", ".spec.hostnames"), AGE),
)

HTTP_ROUTE_V1BETA1 = Api(
    group="gateway.networking.k8s.io",
    version="v1beta1",
    kind="HTTPRoute",
    plural="httproutes",
    spec=dict[str, object],
    data=DataSchema(_DATA, "httproutes/v1beta1"),
    core="1.37",
    status_subresource=True,
    columns=(Column("Hostnames", ".spec.hostnames"), AGE),
    storage=False,
)

LISTENER_SET = Api(
    group="gateway.networking.k8s.io",
    version="v1",
    kind="ListenerSet",
    plural="listenersets",
    spec=dict[str, object],
    data=DataSchema(_DATA, "listenersets/v1"),
    core="1.37",
    status_subresource=True,
    columns=(
        Column("Accepted", '.status.conditions[?(@.type=="Accepted")].status'),
        Column("Programmed", '.status.conditions[?(@.type=="Programmed")].status'),
        AGE,
    ),
)

REFERENCE_GRANT_V1 = Api(
    group="gateway.networking.k8s.io",
    version="v1",
    kind="ReferenceGrant",
    plural="referencegrants",
    spec=dict[str, object],
    data=DataSchema(_DATA, "referencegrants/v1"),
    core="1.37",
    columns=(AGE,),
    storage=False,
)

REFERENCE_GRANT = Api(
    group="gateway.networking.k8s.io",
    version="v1beta1",
    kind="ReferenceGrant",
    plural="referencegrants",
    spec=dict[str, object],
    data=DataSchema(_DATA, "referencegrants/v1beta1"),
    core="1.37",
    columns=(AGE,),
)

TCP_ROUTE = Api(
    group="gateway.networking.k8s.io",
    version="v1",
    kind="TCPRoute",
    plural="tcproutes",
    spec=dict[str, object],
    data=DataSchema(_DATA, "tcproutes/v1"),
    core="1.37",
    status_subresource=True,
    columns=(AGE,),
)

TCP_ROUTE_V1ALPHA2 = Api(
    group="gateway.networking.k8s.io",
    version="v1alpha2",
    kind="TCPRoute",
    plural="tcproutes",
    spec=dict[str, object],
    data=DataSchema(_DATA, "tcproutes/v1alpha2"),
    core="1.37",
    status_subresource=True,
    columns=(AGE,),
    storage=False,
    deprecated=True,
    deprecation_warning="gateway.networking.k8s.io/v1alpha2 TCPRoute is on its way out: write v1",
)

TLS_ROUTE = Api(
    group="gateway.networking.k8s.io",
    version="v1",
    kind="TLSRoute",
    plural="tlsroutes",
    spec=dict[str, object],
    data=DataSchema(_DATA, "tlsroutes/v1"),
    core="1.37",
    status_subresource=True,
    columns=(AGE,),
)

TLS_ROUTE_V1ALPHA2 = Api(
    group="gateway.networking.k8s.io",
    version="v1alpha2",
    kind="TLSRoute",
    plural="tlsroutes",
    spec=dict[str, object],
    data=DataSchema(_DATA, "tlsroutes/v1alpha2"),
    core="1.37",
    status_subresource=True,
    columns=(AGE,),
    storage=False,
    deprecated=True,
    deprecation_warning="gateway.networking.k8s.io/v1alpha2 TLSRoute is on its way out: write v1",
)

TLS_ROUTE_V1ALPHA3 = Api(
    group="gateway.networking.k8s.io",
    version="v1alpha3",
    kind="TLSRoute",
    plural="tlsroutes",
    spec=dict[str, object],
    data=DataSchema(_DATA, "tlsroutes/v1alpha3"),
    core="1.37",
    status_subresource=True,
    columns=(AGE,),
    storage=False,
    deprecated=True,
    deprecation_warning="gateway.networking.k8s.io/v1alpha3 TLSRoute is on its way out: write v1",
)

UDP_ROUTE = Api(
    group="gateway.networking.k8s.io",
    version="v1",
    kind="UDPRoute",
    plural="udproutes",
    spec=dict[str, object],
    data=DataSchema(_DATA, "udproutes/v1"),
    core="1.37",
    status_subresource=True,
    columns=(AGE,),
)

UDP_ROUTE_V1ALPHA2 = Api(
    group="gateway.networking.k8s.io",
    version="v1alpha2",
    kind="UDPRoute",
    plural="udproutes",
    spec=dict[str, object],
    data=DataSchema(_DATA, "udproutes/v1alpha2"),
    core="1.37",
    status_subresource=True,
    columns=(AGE,),
    storage=False,
    deprecated=True,
    deprecation_warning="gateway.networking.k8s.io/v1alpha2 UDPRoute is on its way out: write v1",
)

X_BACKEND = Api(
    group="gateway.networking.x-k8s.io",
    version="v1alpha1",
    kind="XBackend",
    plural="xbackends",
    spec=dict[str, object],
    data=DataSchema(_DATA, "xbackends/v1alpha1"),
    core="1.37",
    status_subresource=True,
    columns=(AGE,),
)

X_BACKEND_TRAFFIC_POLICY = Api(
    group="gateway.networking.x-k8s.io",
    version="v1alpha1",
    kind="XBackendTrafficPolicy",
    plural="xbackendtrafficpolicies",
    spec=dict[str, object],
    data=DataSchema(_DATA, "xbackendtrafficpolicies/v1alpha1"),
    core="1.37",
    status_subresource=True,
    columns=(AGE,),
)

X_MESH = Api(
    group="gateway.networking.x-k8s.io",
    version="v1alpha1",
    kind="XMesh",
    plural="xmeshes",
    namespaced=False,
    spec=dict[str, object],
    data=DataSchema(_DATA, "xmeshes/v1alpha1"),
    core="1.37",
    status_subresource=True,
    columns=(Column("Accepted", '.status.conditions[?(@.type=="Accepted")].status'), AGE),
)

CRDS = (
    Definition(
        (BACKEND_TLS_POLICY, BACKEND_TLS_POLICY_V1ALPHA3),
        short_names=("btlspolicy",),
        categories=("gateway-api",),
        annotations={
            "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/4530",
            "gateway.networking.k8s.io/bundle-version": "v1.6.1",
            "gateway.networking.k8s.io/channel": "experimental",
        },
    ),
    Definition(
        (GATEWAY_CLASS, GATEWAY_CLASS_V1BETA1),
        short_names=("gc",),
        categories=("gateway-api",),
        annotations={
            "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/4530",
            "gateway.networking.k8s.io/bundle-version": "v1.6.1",
            "gateway.networking.k8s.io/channel": "experimental",
        },
    ),
    Definition(
        (GATEWAY, GATEWAY_V1BETA1),
        short_names=("gtw",),
        categories=("gateway-api",),
        annotations={
            "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/4530",
            "gateway.networking.k8s.io/bundle-version": "v1.6.1",
            "gateway.networking.k8s.io/channel": "experimental",
        },
    ),
    Definition(
        (GRPC_ROUTE,),
        categories=("gateway-api",),
        annotations={
            "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/4530",
            "gateway.networking.k8s.io/bundle-version": "v1.6.1",
            "gateway.networking.k8s.io/channel": "experimental",
        },
    ),
    Definition(
        (HTTP_ROUTE, HTTP_ROUTE_V1BETA1),
        categories=("gateway-api",),
        annotations={
            "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/4530",
            "gateway.networking.k8s.io/bundle-version": "v1.6.1",
            "gateway.networking.k8s.io/channel": "experimental",
        },
    ),
    Definition(
        (LISTENER_SET,),
        short_names=("lset",),
        categories=("gateway-api",),
        annotations={
            "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/4530",
            "gateway.networking.k8s.io/bundle-version": "v1.6.1",
            "gateway.networking.k8s.io/channel": "experimental",
        },
    ),
    Definition(
        (REFERENCE_GRANT_V1, REFERENCE_GRANT),
        short_names=("refgrant",),
        categories=("gateway-api",),
        annotations={
            "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/4530",
            "gateway.networking.k8s.io/bundle-version": "v1.6.1",
            "gateway.networking.k8s.io/channel": "experimental",
        },
    ),
    Definition(
        (TCP_ROUTE, TCP_ROUTE_V1ALPHA2),
        categories=("gateway-api",),
        annotations={
            "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/4530",
            "gateway.networking.k8s.io/bundle-version": "v1.6.1",
            "gateway.networking.k8s.io/channel": "experimental",
        },
    ),
    Definition(
        (TLS_ROUTE, TLS_ROUTE_V1ALPHA2, TLS_ROUTE_V1ALPHA3),
        categories=("gateway-api",),
        annotations={
            "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/4530",
            "gateway.networking.k8s.io/bundle-version": "v1.6.1",
            "gateway.networking.k8s.io/channel": "experimental",
        },
    ),
    Definition(
        (UDP_ROUTE, UDP_ROUTE_V1ALPHA2),
        categories=("gateway-api",),
        annotations={
            "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/4530",
            "gateway.networking.k8s.io/bundle-version": "v1.6.1",
            "gateway.networking.k8s.io/channel": "experimental",
        },
    ),
    Definition(
        (X_BACKEND,),
        short_names=("xbackend",),
        categories=("gateway-api",),
        annotations={
            "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/4530",
            "gateway.networking.k8s.io/bundle-version": "v1.6.1",
            "gateway.networking.k8s.io/channel": "experimental",
        },
    ),
    Definition(
        (X_BACKEND_TRAFFIC_POLICY,),
        short_names=("xbtrafficpolicy",),
        categories=("gateway-api",),
        annotations={
            "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/4530",
            "gateway.networking.k8s.io/bundle-version": "v1.6.1",
            "gateway.networking.k8s.io/channel": "experimental",
        },
    ),
    Definition(
        (X_MESH,),
        short_names=("mesh",),
        categories=("gateway-api",),
        annotations={
            "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/4530",
            "gateway.networking.k8s.io/bundle-version": "v1.6.1",
            "gateway.networking.k8s.io/channel": "experimental",
        },
    ),
)
