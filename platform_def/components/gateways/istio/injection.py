"""The injector's ConfigMap: templates for the proxies of pods and, where istiod makes those, of gateways.

Facts: the fields and functions that istiod gives templates (pkg/kube/inject and the Gateway deployments of Istio 1.31).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from platform_def.components.gateways.istio.templates import BareExpressions, own
from platform_def.components.gateways.istio_proxies.pods import (
    FOLDERS,
    RESOURCES,
    SECURE,
    USER,
    arguments,
    environment,
    volumes,
)
from platform_def.constructs.mesh import PROXY_METRICS
from platform_def.yaml import dump

NAMES = (
    "{{- $names := list -}}{{- $ports := list -}}"
    "{{- range .Spec.Containers }}{{ if ne .Name `istio-proxy` }}{{ $names = append $names .Name }}{{ end }}"
    "{{- range .Ports }}{{ $ports = append $ports . }}{{ end }}{{ end -}}\n"
)
"""Collects the pod's containers and ports."""
TLS_MODE = "{{ index .ObjectMeta.Labels `security.istio.io/tlsMode` | default `istio` }}"
CANONICAL = (
    "{{ index .ObjectMeta.Labels `service.istio.io/canonical-name` | default (index .ObjectMeta.Labels "
    "`app.kubernetes.io/name`) | default (index .ObjectMeta.Labels `app`) | default .DeploymentMeta.Name "
    "| trunc 63 | trimAll `-_.` }}"
)
TRAFFIC = "traffic.sidecar.istio.io"
_EXCLUDED = "excludeOutboundIPRanges"
_CHOSEN: Mapping[str, tuple[str, str]] = {
    "-i": ("includeOutboundIPRanges", "*"),
    "-x": (_EXCLUDED, ""),
    "-b": ("includeInboundPorts", "*"),
    "-q": ("includeOutboundPorts", ""),
    "-o": ("excludeOutboundPorts", ""),
}
"""Annotations, with their defaults, that say which traffic goes through the proxy, by the flag of istio-iptables."""
_LEFT_OUT = "excludeInboundPort `15020` (annotation .ObjectMeta `traffic.sidecar.istio.io/excludeInboundPorts` ``)"
"""Ports of the pod that traffic reaches without the proxy: the agent's own, and what the pod names."""
VERSION = (
    "{{ index .ObjectMeta.Labels `service.istio.io/canonical-revision` | default (index .ObjectMeta.Labels "
    "`app.kubernetes.io/version`) | default (index .ObjectMeta.Labels `version`) | default `latest` }}"
)
OWNER = (
    "kubernetes://apis/{{ .TypeMeta.APIVersion }}/namespaces/{{ .DeploymentMeta.Namespace | default `default` }}/"
    "{{ toLower .TypeMeta.Kind }}s/{{ .DeploymentMeta.Name }}"
)


@dataclass(frozen=True, kw_only=True)
class Injection:
    """What the templates say of a mesh."""

    image: str
    """Of the proxy, as the cluster pulls it."""
    discovery: str
    trust_domain: str
    domain: str
    """Of Service names."""
    redirected: bool
    """A CNI plugin leads the traffic of pods to their proxies, so that no container of theirs must."""
    revision: str
    makes_gateways: bool
    pull_secrets: Sequence[str] = ()
    """Of the accounts of gateways that it makes."""
    excluded: Sequence[str] = ()
    """Networks that pods reach without their proxy."""
    resources: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: RESOURCES)
    """Of proxies beside pods, unless these say otherwise."""

    def files(self) -> dict[str, str]:
        """The ConfigMap's files."""
        templates = {"sidecar": self.sidecar()}
        if self.makes_gateways:
            templates["kube-gateway"] = self.gateway()
        config = {
            "defaultTemplates": ["sidecar"],
            "policy": "enabled",
            "alwaysInjectSelector": [],
            "neverInjectSelector": [],
            "injectedAnnotations": {},
            "templates": templates,
        }
        return {"config": dump(config, kubernetes=False), "values": dump(self.values(), kubernetes=False)}

    def values(self) -> dict[str, object]:
        """What istiod's own code and the templates look up; YAML is as good to it as JSON."""
        return {
            "global": {
                "proxy": {"image": self.image, "clusterDomain": self.domain},
                "multiCluster": {"clusterName": "Kubernetes"},
            },
            "sidecarInjectorWebhook": {"rewriteAppHTTPProbe": True},
            "pilot": {"cni": {"enabled": self.redirected}},
            "revision": self.revision,
        }

    def sidecar(self) -> str:
        """A proxy beside the pod's containers, as a native sidecar: Jobs end though it runs, and it is up before them.

        istiod has the same setting (`ENABLE_NATIVE_SIDECARS`).
        """
        bare = BareExpressions()
        proxy = {
            **self._proxy("sidecar", bare, own(bare, "sidecar.istio.io/proxyImage", self.image)),
            "restartPolicy": "Always",
            "ports": [{"containerPort": PROXY_METRICS[1], "protocol": "TCP", "name": PROXY_METRICS[0]}],
            "resources": _resources(bare, self.resources),
            "startupProbe": _ready(period=1, failures=600),
            "readinessProbe": _ready(period=15, failures=4),
            "lifecycle": {
                "preStop": {
                    "exec": {"command": ["pilot-agent", "request", "--debug-port=15020", "POST", "drain"]},
                }
            },
        }
        proxy["env"] += [
            {"name": "ISTIO_META_POD_PORTS", "value": bare("{{ $ports | toJson | quote }}")},
            {"name": "ISTIO_META_APP_CONTAINERS", "value": bare("{{ $names | join `,` | quote }}")},
            {"name": "ISTIO_META_INTERCEPTION_MODE", "value": _mode(bare)},
            {"name": "ISTIO_META_WORKLOAD_NAME", "value": bare("{{ .DeploymentMeta.Name | quote }}")},
            {"name": "ISTIO_META_OWNER", "value": OWNER},
        ]
        pod = {
            "metadata": {
                "labels": {
                    "security.istio.io/tlsMode": TLS_MODE,
                    "service.istio.io/canonical-name": CANONICAL,
                    "service.istio.io/canonical-revision": VERSION,
                },
                "annotations": {"istio.io/rev": "{{ .Revision | default `default` }}", **self._redirection(bare)},
            },
            "spec": {"initContainers": [self._init(bare), proxy], "volumes": volumes()},
        }
        return NAMES + bare.text(pod)

    def _redirection(self, bare: BareExpressions) -> dict[str, str]:
        """What the CNI plugin reads."""
        if not self.redirected:
            return {}
        return {
            "sidecar.istio.io/interceptionMode": _mode(bare),
            f"{TRAFFIC}/includeOutboundIPRanges": own(bare, f"{TRAFFIC}/includeOutboundIPRanges", "*"),
            **(
                {f"{TRAFFIC}/{_EXCLUDED}": own(bare, f"{TRAFFIC}/{_EXCLUDED}", ",".join(self.excluded))}
                if self.excluded
                else {}
            ),
            f"{TRAFFIC}/includeInboundPorts": own(bare, f"{TRAFFIC}/includeInboundPorts", "*"),
            f"{TRAFFIC}/excludeInboundPorts": bare(f"{{{{ {_LEFT_OUT} | quote }}}}"),
        }

    def _init(self, bare: BareExpressions) -> dict[str, Any]:
        """Leads the pod's traffic to the proxy, or with a CNI plugin proves that it is led there."""
        without = bare(f"{{{{ printf `15090,15021,%s` ({_LEFT_OUT}) | quote }}}}")
        args = ["istio-iptables", "-p", "15001", "-z", "15006", "-u", str(USER), "-m", _mode(bare), "-d", without]
        for flag, (word, usual) in _CHOSEN.items():
            default = ",".join(self.excluded) if word == _EXCLUDED else usual
            args += [flag, own(bare, f"{TRAFFIC}/{word}", default)]
        if self.redirected:
            args += ["--run-validation", "--skip-rule-apply"]
        rights = (
            {"runAsUser": USER, "runAsGroup": USER, "runAsNonRoot": True, "readOnlyRootFilesystem": True}
            if self.redirected
            else {"runAsUser": 0, "runAsGroup": 0, "runAsNonRoot": False, "readOnlyRootFilesystem": False}
        )
        capabilities = {"drop": ["ALL"], **({} if self.redirected else {"add": ["NET_ADMIN", "NET_RAW"]})}
        context = {**rights, "allowPrivilegeEscalation": False, "privileged": False, "capabilities": capabilities}
        return {
            "name": "istio-validation" if self.redirected else "istio-init",
            "image": own(bare, "sidecar.istio.io/proxyImage", self.image),
            "args": args,
            "resources": _resources(bare, self.resources),
            "securityContext": {**context, "seccompProfile": {"type": "RuntimeDefault"}},
        }

    def _proxy(self, kind: str, bare: BareExpressions, image: str) -> dict[str, Any]:
        return {
            "name": "istio-proxy",
            "image": image,
            "args": arguments(kind, self.domain),
            "env": [
                *environment(discovery=self.discovery, trust_domain=self.trust_domain),
                {"name": "PROXY_CONFIG", "value": bare("{{ protoToJSON .ProxyConfig | quote }}")},
            ],
            "securityContext": SECURE,
            "volumeMounts": [{"name": name, "mountPath": path} for name, path in FOLDERS.items()],
        }

    def gateway(self) -> str:
        """Account, pods and Service of a Gateway of Gateway API, which istiod makes and owns."""
        bare = BareExpressions()
        labels = {
            "gateway.networking.k8s.io/gateway-name": "{{ .Name }}",
            "gateway.networking.k8s.io/gateway-class-name": "{{ .GatewayClass }}",
        }
        every = bare(f"{{{{ toJsonMap .InfrastructureLabels (strdict {_pairs(labels)}) }}}}")
        managed = {**labels, "gateway.istio.io/managed": "istio.io-gateway-controller"}
        pods = bare(
            "{{ toJsonMap (strdict `sidecar.istio.io/inject` `false` `service.istio.io/canonical-name` .DeploymentName "
            f"`service.istio.io/canonical-revision` `latest`) .InfrastructureLabels (strdict {_pairs(managed)}) }}}}"
        )
        owners = [
            {
                "apiVersion": "gateway.networking.k8s.io/v1",
                "kind": "Gateway",
                "name": "{{ .Name }}",
                "uid": "{{ .UID }}",
            }
        ]
        chosen = {"{{ .GatewayNameLabel }}": "{{ .Name }}"}

        def metadata(name: str) -> dict[str, Any]:
            return {"name": name, "namespace": "{{ .Namespace }}", "labels": every, "ownerReferences": owners}

        proxy = {
            **self._proxy("router", bare, self.image),
            "ports": [
                {"containerPort": 15020, "name": "metrics", "protocol": "TCP"},
                {"containerPort": 15021, "name": "status-port", "protocol": "TCP"},
                {"containerPort": PROXY_METRICS[1], "name": PROXY_METRICS[0], "protocol": "TCP"},
            ],
            "resources": RESOURCES,
            "startupProbe": _ready(period=1, failures=30),
            "readinessProbe": _ready(period=15, failures=4),
        }
        proxy["env"] += [
            {"name": "ISTIO_META_POD_PORTS", "value": "[]"},
            {"name": "ISTIO_META_INTERCEPTION_MODE", "value": "REDIRECT"},
            {"name": "ISTIO_META_WORKLOAD_NAME", "value": "{{ .DeploymentName }}"},
        ]
        pod = {
            "serviceAccountName": "{{ .ServiceAccount }}",
            "securityContext": {"sysctls": [{"name": "net.ipv4.ip_unprivileged_port_start", "value": "0"}]},
            "containers": [proxy],
            "volumes": volumes(),
        }
        account: dict[str, Any] = {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": metadata("{{ .ServiceAccount }}"),
        }
        if self.pull_secrets:
            account["imagePullSecrets"] = [{"name": each} for each in self.pull_secrets]
        deployment = {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": metadata("{{ .DeploymentName }}"),
            "spec": {
                "selector": {"matchLabels": chosen},
                "template": {
                    "metadata": {
                        "labels": pods,
                        "annotations": {"istio.io/rev": "{{ .Revision | default `default` }}"},
                    },
                    "spec": pod,
                },
            },
        }
        ports = bare(
            "{{- range .Ports }}\n  - {name: {{ .Name | quote }}, port: {{ .Port }}, protocol: TCP, "
            "appProtocol: {{ .AppProtocol }}}{{ end }}"
        )
        service = {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": metadata("{{ .DeploymentName }}"),
            "spec": {
                "ipFamilyPolicy": "PreferDualStack",
                "ports": ports,
                "selector": chosen,
                "type": "{{ .ServiceType }}",
            },
        }
        return bare.text(account) + "---\n" + bare.text(deployment) + "---\n" + bare.text(service)


def _mode(bare: BareExpressions) -> str:
    return own(bare, "sidecar.istio.io/interceptionMode", "REDIRECT")


def _ready(*, period: int, failures: int) -> dict[str, Any]:
    return {
        "httpGet": {"path": "/healthz/ready", "port": 15021},
        "periodSeconds": period,
        "timeoutSeconds": 3,
        "failureThreshold": failures,
    }


def _resources(bare: BareExpressions, usual: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """The mesh's amounts, unless the pod's annotations name others."""
    words = {"requests": ("proxyCPU", "proxyMemory"), "limits": ("proxyCPULimit", "proxyMemoryLimit")}
    return {
        kind: {
            what: own(bare, f"sidecar.istio.io/{word}", usual[kind][what])
            for what, word in zip(("cpu", "memory"), each, strict=True)
        }
        for kind, each in words.items()
    }


def _pairs(labels: Mapping[str, str]) -> str:
    """Arguments of `strdict`: an expression without its braces, text in backquotes."""
    return " ".join(
        f"`{key}` {value.strip('{} ') if value.startswith('{{') else f'`{value}`'}" for key, value in labels.items()
    )
