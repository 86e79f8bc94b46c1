"""Gateway API 1.6, experimental channel: instead of the standard one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from platform_def.apis.gateway_api import v1 as gateway_api_v1
from platform_def.crds.health import HealthConditions
from platform_def.crds.model import AGE, Api, Column, DataSchema, Definition
from platform_def.crds.schema import Ref

_DATA = Path(__file__).with_name("experimental_v1.json")

_GROUP = "gateway.networking.k8s.io"
_LOCAL = Ref("ConfigMap", kind_field="kind", group_field="group")
_ELSEWHERE = Ref("ConfigMap", kind_field="kind", group_field="group", namespace="namespace")
_SERVICE = Ref("Service", kind_field="kind", group_field="group", weak=True)
_BACKEND, _PARENT, _CERTIFICATE = gateway_api_v1.BACKEND, gateway_api_v1.PARENT, gateway_api_v1.CERTIFICATE
_CLASS = {"spec.parametersRef.name": _ELSEWHERE}
_GATEWAY = {
    "spec.gatewayClassName": Ref("GatewayClass", group=_GROUP),
    "spec.infrastructure.parametersRef.name": _LOCAL,
    "spec.listeners[].tls.certificateRefs[].name": _CERTIFICATE,
    "spec.tls.backend.clientCertificateRef.name": _CERTIFICATE,
    "spec.tls.frontend.default.validation.caCertificateRefs[].name": _ELSEWHERE,
    "spec.tls.frontend.perPort[].tls.validation.caCertificateRefs[].name": _ELSEWHERE,
}
_ROUTE = {"spec.parentRefs[].name": _PARENT, "spec.rules[].backendRefs[].name": _BACKEND}
_FILTERED_ROUTE = _ROUTE | {
    f"spec.rules[].{at}filters[].{path}.name": ref
    for at in ("", "backendRefs[].")
    for path, ref in {
        "extensionRef": _LOCAL,
        "requestMirror.backendRef": _BACKEND,
    }.items()
}
_HTTP_ROUTE = _FILTERED_ROUTE | {
    f"spec.rules[].{at}filters[].externalAuth.backendRef.name": _BACKEND for at in ("", "backendRefs[].")
}

BACKEND_TLS_POLICY = gateway_api_v1.BACKEND_TLS_POLICY

BACKEND_TLS_POLICY_V1ALPHA3 = replace(gateway_api_v1.BACKEND_TLS_POLICY_V1ALPHA3, served=True)

GATEWAY_CLASS = gateway_api_v1.GATEWAY_CLASS

GATEWAY_CLASS_V1BETA1 = gateway_api_v1.GATEWAY_CLASS_V1BETA1

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
    health=HealthConditions(
        ready=(
            "Accepted",
            "Programmed",
        )
    ),
    references=_GATEWAY,
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
    health=HealthConditions(
        ready=(
            "Accepted",
            "Programmed",
        )
    ),
    references=_GATEWAY,
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
    references=_FILTERED_ROUTE,
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
    references=_HTTP_ROUTE,
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
    references=_HTTP_ROUTE,
)

LISTENER_SET = gateway_api_v1.LISTENER_SET

REFERENCE_GRANT_V1 = gateway_api_v1.REFERENCE_GRANT_V1

REFERENCE_GRANT = gateway_api_v1.REFERENCE_GRANT

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
    references=_ROUTE,
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
    references=_ROUTE,
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
    references=_ROUTE,
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
    references=_ROUTE,
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
    references=_ROUTE,
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
    references=_ROUTE,
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
    references=_ROUTE,
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
    references={
        "spec.tls.clientCertificateRef.name": _CERTIFICATE,
        "spec.tls.validation.caCertificateRefs[].name": _LOCAL,
    },
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
    references={"spec.targetRefs[].name": _SERVICE},
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
    references=_CLASS,
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
