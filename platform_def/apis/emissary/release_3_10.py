"""Emissary 3.10: getambassador.io in its three versions, which a conversion webhook turns into each other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from platform_def.apis.emissary import v3alpha1 as emissary_v3alpha1
from platform_def.crds.model import AGE, Api, Column, DataSchema, Definition, WebhookConversion
from platform_def.crds.schema import Ref

_DATA = Path(__file__).with_name("release_3_10.json")

# `name.namespace`, true and false are names too, which no reference can say: what is not found is no error.
_CONTEXT = Ref("TLSContext", group="getambassador.io", optional=True, weak=True)
_SECRET = Ref("Secret", optional=True, weak=True)
_BY_CONTEXT = {"spec.tls": _CONTEXT}
_HOST = {
    "spec.acmeProvider.privateKeySecret.name": Ref("Secret", optional=True),
    "spec.tls.ca_secret": _SECRET,
    "spec.tls.crl_secret": _SECRET,
    "spec.tls.v3CRLSecret": _SECRET,
    "spec.tlsContext.name": Ref("TLSContext", group="getambassador.io"),
}
_SECRETS = {f"spec.{field}": _SECRET for field in ("secret", "ca_secret", "crl_secret", "v3CRLSecret")}

AUTH_SERVICE_V1 = Api(
    group="getambassador.io",
    version="v1",
    kind="AuthService",
    plural="authservices",
    spec=dict[str, object],
    data=DataSchema(_DATA, "authservices/v1"),
    core="1.37",
    storage=False,
    references=_BY_CONTEXT,
)

AUTH_SERVICE = Api(
    group="getambassador.io",
    version="v2",
    kind="AuthService",
    plural="authservices",
    spec=dict[str, object],
    data=DataSchema(_DATA, "authservices/v2"),
    core="1.37",
    references=_BY_CONTEXT,
)

AUTH_SERVICE_V3ALPHA1 = replace(emissary_v3alpha1.AUTH_SERVICE, storage=False)

CONSUL_RESOLVER_V1 = Api(
    group="getambassador.io",
    version="v1",
    kind="ConsulResolver",
    plural="consulresolvers",
    spec=dict[str, object],
    data=DataSchema(_DATA, "consulresolvers/v1"),
    core="1.37",
    storage=False,
)

CONSUL_RESOLVER = Api(
    group="getambassador.io",
    version="v2",
    kind="ConsulResolver",
    plural="consulresolvers",
    spec=dict[str, object],
    data=DataSchema(_DATA, "consulresolvers/v2"),
    core="1.37",
)

CONSUL_RESOLVER_V3ALPHA1 = replace(emissary_v3alpha1.CONSUL_RESOLVER, storage=False)

DEV_PORTAL_V1 = Api(
    group="getambassador.io",
    version="v1",
    kind="DevPortal",
    plural="devportals",
    spec=dict[str, object],
    data=DataSchema(_DATA, "devportals/v1"),
    core="1.37",
    storage=False,
)

DEV_PORTAL = Api(
    group="getambassador.io",
    version="v2",
    kind="DevPortal",
    plural="devportals",
    spec=dict[str, object],
    data=DataSchema(_DATA, "devportals/v2"),
    core="1.37",
)

DEV_PORTAL_V3ALPHA1 = replace(emissary_v3alpha1.DEV_PORTAL, storage=False)

HOST = Api(
    group="getambassador.io",
    version="v2",
    kind="Host",
    plural="hosts",
    spec=dict[str, object],
    data=DataSchema(_DATA, "hosts/v2"),
    core="1.37",
    status_subresource=True,
    columns=(
        Column("Hostname", ".spec.hostname"),
        Column("State", ".status.state"),
        Column("Phase Completed", ".status.phaseCompleted"),
        Column("Phase Pending", ".status.phasePending"),
        AGE,
    ),
    references=_HOST,
)

HOST_V3ALPHA1 = replace(emissary_v3alpha1.HOST, storage=False)

KUBERNETES_ENDPOINT_RESOLVER_V1 = Api(
    group="getambassador.io",
    version="v1",
    kind="KubernetesEndpointResolver",
    plural="kubernetesendpointresolvers",
    spec=dict[str, object],
    data=DataSchema(_DATA, "kubernetesendpointresolvers/v1"),
    core="1.37",
    storage=False,
)

KUBERNETES_ENDPOINT_RESOLVER = Api(
    group="getambassador.io",
    version="v2",
    kind="KubernetesEndpointResolver",
    plural="kubernetesendpointresolvers",
    spec=dict[str, object],
    data=DataSchema(_DATA, "kubernetesendpointresolvers/v2"),
    core="1.37",
)

KUBERNETES_ENDPOINT_RESOLVER_V3ALPHA1 = replace(emissary_v3alpha1.KUBERNETES_ENDPOINT_RESOLVER, storage=False)

KUBERNETES_SERVICE_RESOLVER_V1 = Api(
    group="getambassador.io",
    version="v1",
    kind="KubernetesServiceResolver",
    plural="kubernetesserviceresolvers",
    spec=dict[str, object],
    data=DataSchema(_DATA, "kubernetesserviceresolvers/v1"),
    core="1.37",
    storage=False,
)

KUBERNETES_SERVICE_RESOLVER = Api(
    group="getambassador.io",
    version="v2",
    kind="KubernetesServiceResolver",
    plural="kubernetesserviceresolvers",
    spec=dict[str, object],
    data=DataSchema(_DATA, "kubernetesserviceresolvers/v2"),
    core="1.37",
)

KUBERNETES_SERVICE_RESOLVER_V3ALPHA1 = replace(emissary_v3alpha1.KUBERNETES_SERVICE_RESOLVER, storage=False)

LISTENER = Api(
    group="getambassador.io",
    version="v3alpha1",
    kind="Listener",
    plural="listeners",
    spec=emissary_v3alpha1.ListenerFields,
    core=emissary_v3alpha1.LISTENER.core,
    columns=emissary_v3alpha1.LISTENER.columns,
    doc=emissary_v3alpha1.LISTENER.doc,
)

LOG_SERVICE_V1 = Api(
    group="getambassador.io",
    version="v1",
    kind="LogService",
    plural="logservices",
    spec=dict[str, object],
    data=DataSchema(_DATA, "logservices/v1"),
    core="1.37",
    storage=False,
)

LOG_SERVICE = Api(
    group="getambassador.io",
    version="v2",
    kind="LogService",
    plural="logservices",
    spec=dict[str, object],
    data=DataSchema(_DATA, "logservices/v2"),
    core="1.37",
)

LOG_SERVICE_V3ALPHA1 = replace(emissary_v3alpha1.LOG_SERVICE, storage=False)

MAPPING_V1 = Api(
    group="getambassador.io",
    version="v1",
    kind="Mapping",
    plural="mappings",
    spec=dict[str, object],
    data=DataSchema(_DATA, "mappings/v1"),
    core="1.37",
    status_subresource=True,
    columns=(
        Column("Source Host", ".spec.host"),
        Column("Source Prefix", ".spec.prefix"),
        Column("Dest Service", ".spec.service"),
        Column("State", ".status.state"),
        Column("Reason", ".status.reason"),
    ),
    storage=False,
    references=_BY_CONTEXT,
)

MAPPING = Api(
    group="getambassador.io",
    version="v2",
    kind="Mapping",
    plural="mappings",
    spec=dict[str, object],
    data=DataSchema(_DATA, "mappings/v2"),
    core="1.37",
    status_subresource=True,
    columns=(
        Column("Source Host", ".spec.host"),
        Column("Source Prefix", ".spec.prefix"),
        Column("Dest Service", ".spec.service"),
        Column("State", ".status.state"),
        Column("Reason", ".status.reason"),
    ),
    references=_BY_CONTEXT,
)

MAPPING_V3ALPHA1 = replace(emissary_v3alpha1.MAPPING, storage=False)

MODULE_V1 = Api(
    group="getambassador.io",
    version="v1",
    kind="Module",
    plural="modules",
    spec=dict[str, object],
    data=DataSchema(_DATA, "modules/v1"),
    core="1.37",
    storage=False,
)

MODULE = Api(
    group="getambassador.io",
    version="v2",
    kind="Module",
    plural="modules",
    spec=dict[str, object],
    data=DataSchema(_DATA, "modules/v2"),
    core="1.37",
)

MODULE_V3ALPHA1 = replace(emissary_v3alpha1.MODULE, storage=False)

RATE_LIMIT_SERVICE_V1 = Api(
    group="getambassador.io",
    version="v1",
    kind="RateLimitService",
    plural="ratelimitservices",
    spec=dict[str, object],
    data=DataSchema(_DATA, "ratelimitservices/v1"),
    core="1.37",
    storage=False,
    references=_BY_CONTEXT,
)

RATE_LIMIT_SERVICE = Api(
    group="getambassador.io",
    version="v2",
    kind="RateLimitService",
    plural="ratelimitservices",
    spec=dict[str, object],
    data=DataSchema(_DATA, "ratelimitservices/v2"),
    core="1.37",
    references=_BY_CONTEXT,
)

RATE_LIMIT_SERVICE_V3ALPHA1 = replace(emissary_v3alpha1.RATE_LIMIT_SERVICE, storage=False)

TCP_MAPPING_V1 = Api(
    group="getambassador.io",
    version="v1",
    kind="TCPMapping",
    plural="tcpmappings",
    spec=dict[str, object],
    data=DataSchema(_DATA, "tcpmappings/v1"),
    core="1.37",
    storage=False,
    references=_BY_CONTEXT,
)

TCP_MAPPING = Api(
    group="getambassador.io",
    version="v2",
    kind="TCPMapping",
    plural="tcpmappings",
    spec=dict[str, object],
    data=DataSchema(_DATA, "tcpmappings/v2"),
    core="1.37",
    references=_BY_CONTEXT,
)

TCP_MAPPING_V3ALPHA1 = replace(emissary_v3alpha1.TCP_MAPPING, storage=False)

TLS_CONTEXT_V1 = Api(
    group="getambassador.io",
    version="v1",
    kind="TLSContext",
    plural="tlscontexts",
    spec=dict[str, object],
    data=DataSchema(_DATA, "tlscontexts/v1"),
    core="1.37",
    storage=False,
    references=_SECRETS,
)

TLS_CONTEXT = Api(
    group="getambassador.io",
    version="v2",
    kind="TLSContext",
    plural="tlscontexts",
    spec=dict[str, object],
    data=DataSchema(_DATA, "tlscontexts/v2"),
    core="1.37",
    references=_SECRETS,
)

TLS_CONTEXT_V3ALPHA1 = replace(emissary_v3alpha1.TLS_CONTEXT, storage=False)

TRACING_SERVICE_V1 = Api(
    group="getambassador.io",
    version="v1",
    kind="TracingService",
    plural="tracingservices",
    spec=dict[str, object],
    data=DataSchema(_DATA, "tracingservices/v1"),
    core="1.37",
    storage=False,
)

TRACING_SERVICE = Api(
    group="getambassador.io",
    version="v2",
    kind="TracingService",
    plural="tracingservices",
    spec=dict[str, object],
    data=DataSchema(_DATA, "tracingservices/v2"),
    core="1.37",
)

TRACING_SERVICE_V3ALPHA1 = replace(emissary_v3alpha1.TRACING_SERVICE, storage=False)

CRDS = (
    Definition(
        (AUTH_SERVICE_V1, AUTH_SERVICE, AUTH_SERVICE_V3ALPHA1),
        categories=("ambassador-crds",),
        conversion=WebhookConversion(
            service="emissary-apiext", namespace="emissary-system", path="/webhooks/crd-convert", port=443
        ),
    ),
    Definition(
        (CONSUL_RESOLVER_V1, CONSUL_RESOLVER, CONSUL_RESOLVER_V3ALPHA1),
        categories=("ambassador-crds",),
        conversion=WebhookConversion(
            service="emissary-apiext", namespace="emissary-system", path="/webhooks/crd-convert", port=443
        ),
    ),
    Definition(
        (DEV_PORTAL_V1, DEV_PORTAL, DEV_PORTAL_V3ALPHA1),
        categories=("ambassador-crds",),
        conversion=WebhookConversion(
            service="emissary-apiext", namespace="emissary-system", path="/webhooks/crd-convert", port=443
        ),
    ),
    Definition(
        (HOST, HOST_V3ALPHA1),
        categories=("ambassador-crds",),
        conversion=WebhookConversion(
            service="emissary-apiext", namespace="emissary-system", path="/webhooks/crd-convert", port=443
        ),
    ),
    Definition(
        (KUBERNETES_ENDPOINT_RESOLVER_V1, KUBERNETES_ENDPOINT_RESOLVER, KUBERNETES_ENDPOINT_RESOLVER_V3ALPHA1),
        categories=("ambassador-crds",),
        conversion=WebhookConversion(
            service="emissary-apiext", namespace="emissary-system", path="/webhooks/crd-convert", port=443
        ),
    ),
    Definition(
        (KUBERNETES_SERVICE_RESOLVER_V1, KUBERNETES_SERVICE_RESOLVER, KUBERNETES_SERVICE_RESOLVER_V3ALPHA1),
        categories=("ambassador-crds",),
        conversion=WebhookConversion(
            service="emissary-apiext", namespace="emissary-system", path="/webhooks/crd-convert", port=443
        ),
    ),
    Definition((LISTENER,), categories=("ambassador-crds",)),
    Definition(
        (LOG_SERVICE_V1, LOG_SERVICE, LOG_SERVICE_V3ALPHA1),
        categories=("ambassador-crds",),
        conversion=WebhookConversion(
            service="emissary-apiext", namespace="emissary-system", path="/webhooks/crd-convert", port=443
        ),
    ),
    Definition(
        (MAPPING_V1, MAPPING, MAPPING_V3ALPHA1),
        categories=("ambassador-crds",),
        conversion=WebhookConversion(
            service="emissary-apiext", namespace="emissary-system", path="/webhooks/crd-convert", port=443
        ),
    ),
    Definition(
        (MODULE_V1, MODULE, MODULE_V3ALPHA1),
        categories=("ambassador-crds",),
        conversion=WebhookConversion(
            service="emissary-apiext", namespace="emissary-system", path="/webhooks/crd-convert", port=443
        ),
    ),
    Definition(
        (RATE_LIMIT_SERVICE_V1, RATE_LIMIT_SERVICE, RATE_LIMIT_SERVICE_V3ALPHA1),
        categories=("ambassador-crds",),
        conversion=WebhookConversion(
            service="emissary-apiext", namespace="emissary-system", path="/webhooks/crd-convert", port=443
        ),
    ),
    Definition(
        (TCP_MAPPING_V1, TCP_MAPPING, TCP_MAPPING_V3ALPHA1),
        categories=("ambassador-crds",),
        conversion=WebhookConversion(
            service="emissary-apiext", namespace="emissary-system", path="/webhooks/crd-convert", port=443
        ),
    ),
    Definition(
        (TLS_CONTEXT_V1, TLS_CONTEXT, TLS_CONTEXT_V3ALPHA1),
        categories=("ambassador-crds",),
        conversion=WebhookConversion(
            service="emissary-apiext", namespace="emissary-system", path="/webhooks/crd-convert", port=443
        ),
    ),
    Definition(
        (TRACING_SERVICE_V1, TRACING_SERVICE, TRACING_SERVICE_V3ALPHA1),
        categories=("ambassador-crds",),
        conversion=WebhookConversion(
            service="emissary-apiext", namespace="emissary-system", path="/webhooks/crd-convert", port=443
        ),
    ),
)
