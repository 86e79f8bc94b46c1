"""Defects in what objects lead to: ports, pods, listeners, certificates."""

from __future__ import annotations

import copy

from platform_def.manifests.rendered import Manifest
from tests.unit.checks.seeded.seed import Seed, lacking, missing, wrong
from tests.unit.checks.seeded.stacks import CAMPUS, CLOUD, GUESTS, MESH, ONPREM, TENANTS

_POD = "spec.template.spec"
_SHOP, _GUARD = "Deployment guests/shop", "Deployment guests/guard"
_ROUTE, _VIRTUAL = "HTTPRoute shop/web", "VirtualService shop/web"
_DOOR = "istio-system/istio-ingressgateway"
_REDIRECT = f"HTTPRoute {_DOOR}-redirect"
_WEBHOOK = "ValidatingWebhookConfiguration guests-guard"


def _reached(service: Manifest, name: str, prefix: str) -> Manifest:
    """A VirtualService like it, under a path."""
    made = copy.deepcopy(service)
    made["metadata"]["name"] = name
    made["spec"]["http"][0]["match"] = [{"uri": {"prefix": prefix}}]
    return made


PORTS = (
    wrong(GUESTS, "Service guests/shop", "spec.ports[0].targetPort", "htp", "service-target", "'htp'"),
    wrong(GUESTS, "Service guests/shop", "spec.ports[0].targetPort", 8081, "service-target", "8081", warns=True),
    wrong(GUESTS, "Service guests/shop", "spec.selector.app", "shpo", "service-target", "no pod here", warns=True),
    wrong(
        GUESTS,
        _SHOP,
        f"{_POD}.containers[0].ports[0].name",
        "web",
        "service-target",
        "'http'",
        at="Service guests/shop",
    ),
    wrong(
        GUESTS,
        "Ingress guests/shop",
        "spec.rules[0].http.paths[0].backend.service.port.name",
        "https",
        "service-target",
        "no port https",
    ),
    wrong(
        GUESTS,
        "Ingress guests/shop",
        "spec.defaultBackend",
        {"service": {"name": "shop", "port": {"number": 81}}},
        "service-target",
        "no port 81",
    ),
    wrong(GUESTS, "Mapping guests/shop", "spec.service", "shop.guests:8080", "service-target", "no port 8080"),
    wrong(GUESTS, "Mapping guests/shop", "spec.service", "https://shop.guests", "service-target", "no port 443"),
    wrong(GUESTS, _WEBHOOK, "webhooks[0].clientConfig.service.port", 9443, "service-target", "no port 9443"),
    wrong(ONPREM, "Service emissary/emissary-ingress", "spec.ports[0].targetPort", "htpp", "service-target", "'htpp'"),
    wrong(MESH, _ROUTE, "spec.rules[0].backendRefs[0].port", 8080, "service-target", "no port 8080", warns=True),
    wrong(
        MESH,
        _VIRTUAL,
        "spec.http[0].route[0].destination.port.number",
        8080,
        "service-target",
        "no port 8080",
        warns=True,
    ),
)

SELECTORS = (
    wrong(
        ONPREM,
        "PodDisruptionBudget cert-manager/cert-manager",
        'spec.selector.matchLabels["app.kubernetes.io/name"]',
        "cert",
        "selects-pods",
        warns=True,
    ),
    wrong(
        ONPREM,
        "NetworkPolicy cert-manager/cert-manager-webhook",
        'spec.podSelector.matchLabels["app.kubernetes.io/name"]',
        "hook",
        "selects-pods",
        warns=True,
    ),
    wrong(MESH, "PodMonitor shop/web", "spec.selector.matchLabels.app", "wbe", "selects-pods", warns=True),
    wrong(MESH, "AuthorizationPolicy shop/web", "spec.selector.matchLabels.app", "wbe", "selects-pods", warns=True),
    wrong(MESH, "ServiceMonitor shop/web", "spec.selector.matchLabels.app", "wbe", "monitor-target", warns=True),
    wrong(MESH, "ServiceMonitor shop/web", "metadata.labels.read-by", "shpo", "monitor-selected", warns=True),
    wrong(
        MESH, "ServiceMonitor shop/web", "spec.endpoints[0].port", "metrics", "monitor-target", "'metrics'", warns=True
    ),
    wrong(
        MESH,
        "PodMonitor shop/web",
        "spec.podMetricsEndpoints[0].port",
        "metrics",
        "monitor-target",
        "'metrics'",
        warns=True,
    ),
    lacking(
        GUESTS,
        _SHOP,
        f"{_POD}.containers[0].resources.requests.cpu",
        "autoscaler-target",
        "requests no cpu",
        at="HorizontalPodAutoscaler guests/shop",
    ),
    wrong(GUESTS, _SHOP, "spec.replicas", 3, "autoscaler-target", "sets them back", warns=True),
    wrong(GUESTS, _SHOP, f"{_POD}.schedulerName", "volcan", "scheduler-exists", "'volcan'"),
    wrong(
        TENANTS,
        "PyTorchJob tenants/translate",
        "spec.runPolicy.schedulingPolicy",
        {"minAvailable": 2},
        "scheduler-exists",
        "gang scheduler",
        warns=True,
    ),
)

TRUST = (
    lacking(GUESTS, _WEBHOOK, "metadata.annotations", "webhook-certificate", "no CA"),
    wrong(
        GUESTS,
        "Certificate guests/guard",
        "spec.dnsNames",
        ["guard"],
        "webhook-certificate",
        "guard.guests.svc",
        at=_WEBHOOK,
    ),
    wrong(
        GUESTS,
        "CustomResourceDefinition pytorchjobs.kubeflow.org",
        "spec.conversion",
        {
            "strategy": "Webhook",
            "webhook": {
                "conversionReviewVersions": ["v1"],
                "clientConfig": {"service": {"name": "guard", "namespace": "guests"}},
            },
        },
        "webhook-certificate",
        "no CA",
    ),
    missing(
        MESH,
        "ReferenceGrant shop/mesh",
        "reference-grant",
        "without a ReferenceGrant",
        at="HTTPRoute mesh/abroad",
        warns=True,
    ),
    wrong(
        MESH,
        "ReferenceGrant shop/mesh",
        "spec.to[0].name",
        "wbe",
        "reference-grant",
        at="HTTPRoute mesh/abroad",
        warns=True,
    ),
    wrong(
        MESH,
        "ReferenceGrant shop/mesh",
        "spec.from[0].namespace",
        "other",
        "reference-grant",
        at="HTTPRoute mesh/abroad",
        warns=True,
    ),
    wrong(MESH, _ROUTE, "spec.parentRefs[0].sectionName", "https", "route-parent", "no listener 'https'", warns=True),
    wrong(MESH, _ROUTE, "spec.parentRefs[0].sectionName", "own", "route-parent", "of namespace shop", warns=True),
    wrong(MESH, _ROUTE, "spec.hostnames[0]", "web.example.org", "route-parent", "host", warns=True),
    wrong(MESH, "HTTPRoute mesh/abroad", "spec.parentRefs[0].port", 443, "route-parent", "port 443", warns=True),
    wrong(CAMPUS, _REDIRECT, "kind", "UDPRoute", "route-reader", "reads no UDPRoute", at=f"UDPRoute {_DOOR}-redirect"),
    wrong(MESH, _VIRTUAL, "spec.hosts[0]", "web.example.org", "route-parent", "none of its hosts", warns=True),
    wrong(MESH, _VIRTUAL, "spec.http[0].route[0].destination.subset", "v2", "mesh-subset", "'v2'", warns=True),
    missing(MESH, "DestinationRule shop/web", "mesh-subset", "'v1'", at=_VIRTUAL, warns=True),
    Seed(
        MESH,
        _VIRTUAL,
        lambda manifest: [_reached(manifest, "web", "/web/"), _reached(manifest, "admin", "/web/admin/")],
        "route-overlap",
        "two paths",
        "'/web/admin/' begins with '/web/' of VirtualService shop/web",
        at="VirtualService shop/admin",
        warns=True,
    ),
    wrong(
        CLOUD,
        "Deployment kubeflow/dashboard",
        "spec.template.metadata.annotations",
        {"sidecar.istio.io/logLevel": "debug"},
        "ignored-annotation",
        "does not read sidecar.istio.io/logLevel",
        warns=True,
    ),
    wrong(MESH, "Namespace shop", 'metadata.labels["istio.io/rev"]', "stabel", "mesh-revision", "'stabel'", warns=True),
    wrong(
        MESH,
        "PeerAuthentication shop/web",
        'spec.portLevelMtls["8080"].mode',
        "STRICT",
        "strict-mesh",
        "port 8080",
        at="Deployment shop/web",
        warns=True,
    ),
)

_POLICY = "NetworkPolicy guests/shop"
_FROM = "spec.ingress[0].from"

NETWORKS = (
    wrong(
        GUESTS,
        _POLICY,
        _FROM,
        [{"namespaceSelector": {"matchLabels": {"name": "kube-system"}}}],
        "network-peer",
        "no label name",
        warns=True,
    ),
    wrong(
        GUESTS,
        _POLICY,
        _FROM,
        [{"namespaceSelector": {"matchLabels": {"team": "nobody"}}}],
        "network-peer",
        "team=nobody",
        warns=True,
    ),
    wrong(GUESTS, _POLICY, "spec.ingress[0].ports[0].port", "htp", "network-peer", "'htp'", warns=True),
    wrong(GUESTS, _POLICY, "spec.ingress[0].ports[0].port", 80, "network-peer", "8080", warns=True),
    wrong(GUESTS, _POLICY, "spec.ingress[0].ports[0].port", 9090, "network-reach", "port 8080", warns=True),
    wrong(GUESTS, _POLICY, "spec.podSelector.matchLabels.app", "guard", "network-reach", "port 8443", warns=True),
    wrong(
        ONPREM,
        "NetworkPolicy cert-manager/cert-manager-webhook",
        "spec.ingress[0].from",
        [{"namespaceSelector": {}}],
        "network-reach",
        "the API server calls it",
        at="NetworkPolicy cert-manager/*",
        warns=True,
    ),
    wrong(
        GUESTS,
        _POLICY,
        "spec",
        {
            "policyTypes": ["Egress"],
            "podSelector": {"matchLabels": {"app": "shop"}},
            "egress": [{"ports": [{"port": 443}]}],
        },
        "network-reach",
        "not DNS",
        warns=True,
    ),
)

SEEDS = PORTS + SELECTORS + TRUST + NETWORKS
