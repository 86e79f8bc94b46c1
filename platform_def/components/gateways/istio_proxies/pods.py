"""Proxies as pods run them: folders, variables and arguments of pilot-agent, which starts Envoy (Istio 1.31)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

AUDIENCE = "istio-ca"
USER = 1337
"""User of the proxy; traffic of its own is not led back to it."""
FOLDERS: Mapping[str, str] = {
    "workload-socket": "/var/run/secrets/workload-spiffe-uds",
    "credential-socket": "/var/run/secrets/credential-uds",
    "workload-certs": "/var/run/secrets/workload-spiffe-credentials",
    "istiod-ca-cert": "/var/run/secrets/istio",
    "istio-data": "/var/lib/istio/data",
    "istio-envoy": "/etc/istio/proxy",
    "istio-token": "/var/run/secrets/tokens",
    "istio-podinfo": "/etc/istio/pod",
}
"""Where the proxy has its sockets, certificates and configuration, by volume."""
CA = "istio-ca-root-cert"
"""ConfigMap with the mesh's authority, which istiod writes into every namespace."""


def volumes() -> list[dict[str, Any]]:
    """The volumes behind `FOLDERS`."""
    fields = [
        {"path": each, "fieldRef": {"apiVersion": "v1", "fieldPath": f"metadata.{each}"}}
        for each in ("labels", "annotations")
    ]
    token = {"path": "istio-token", "expirationSeconds": 43200, "audience": AUDIENCE}
    return [
        *({"name": name, "emptyDir": {}} for name in ("workload-socket", "credential-socket", "workload-certs")),
        {"name": "istio-envoy", "emptyDir": {"medium": "Memory"}},
        {"name": "istio-data", "emptyDir": {}},
        {"name": "istio-podinfo", "downwardAPI": {"items": fields}},
        {"name": "istio-token", "projected": {"sources": [{"serviceAccountToken": token}]}},
        {"name": "istiod-ca-cert", "configMap": {"name": CA}},
    ]


def environment(*, discovery: str, trust_domain: str) -> list[dict[str, Any]]:
    """Variables of every proxy."""
    fields = {
        "POD_NAME": "metadata.name",
        "POD_NAMESPACE": "metadata.namespace",
        "INSTANCE_IP": "status.podIP",
        "HOST_IP": "status.hostIP",
        "SERVICE_ACCOUNT": "spec.serviceAccountName",
        "ISTIO_META_NODE_NAME": "spec.nodeName",
    }
    amounts = {
        "ISTIO_CPU_LIMIT": "limits.cpu",
        "GOMAXPROCS": "limits.cpu",
        "GOMEMLIMIT": "limits.memory",
    }
    values = {
        "PILOT_CERT_PROVIDER": "istiod",
        "CA_ADDR": discovery,
        "ISTIO_META_CLUSTER_ID": "Kubernetes",
        "ISTIO_META_MESH_ID": trust_domain,
        "TRUST_DOMAIN": trust_domain,
    }
    return [
        *({"name": name, "value": value} for name, value in values.items()),
        *({"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}} for name, path in fields.items()),
        *(
            {"name": name, "valueFrom": {"resourceFieldRef": {"resource": what, "divisor": "1"}}}
            for name, what in amounts.items()
        ),
    ]


def arguments(kind: str, domain: str) -> list[str]:
    """Arguments of pilot-agent, which starts Envoy; `kind` is `sidecar` or `router`."""
    return [
        "proxy",
        kind,
        "--domain",
        f"$(POD_NAMESPACE).svc.{domain}",
        "--proxyLogLevel=warning",
        "--proxyComponentLogLevel=misc:error",
        "--log_output_level=default:info",
    ]


RESOURCES: Mapping[str, Mapping[str, str]] = {
    "requests": {"cpu": "100m", "memory": "128Mi"},
    "limits": {"cpu": "2", "memory": "1Gi"},
}
"""Upstream's; pilot-agent sizes Envoy by the limit of cores, so there is one."""

SECURE: Mapping[str, Any] = {
    "allowPrivilegeEscalation": False,
    "privileged": False,
    "readOnlyRootFilesystem": True,
    "runAsNonRoot": True,
    "runAsUser": USER,
    "runAsGroup": USER,
    "capabilities": {"drop": ["ALL"]},
    "seccompProfile": {"type": "RuntimeDefault"},
}
"""Of every proxy, as upstream has it."""
