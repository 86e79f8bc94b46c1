"""Services of Knative that its webhook takes, and those that it refuses, with what the checks say of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.cluster.client import Manifest

TEAM = "team-vision"
ECHO = "dev.local/echo"
"""An image of a registry that Knative asks for no digest."""
SERVING, SCALING = "serving.knative.dev/v1", "autoscaling.knative.dev"


def service(
    name: str,
    version: str = "one",
    *,
    scaling: Mapping[str, str] | None = None,
    container: Mapping[str, Any] | None = None,
    traffic: list[Manifest] | None = None,
    labels: Mapping[str, str] | None = None,
    **spec: Any,
) -> Manifest:
    """A service of the team's, which says what it is asked. `scaling` are its annotations, `spec` more of its pods."""
    own = {
        "image": f"{ECHO}:1",
        "env": [{"name": "VERSION", "value": version}],
        "ports": [{"containerPort": 8080}],
        **(container or {}),
    }
    noted = {f"{SCALING}/{key}": value for key, value in (scaling or {}).items()}
    # A pod that goes has as much time as a request.
    template = {"metadata": {"annotations": noted}, "spec": {"containers": [own], "timeoutSeconds": 10, **spec}}
    return {
        "apiVersion": SERVING,
        "kind": "Service",
        "metadata": {"name": name, "namespace": TEAM, "labels": dict(labels or {})},
        "spec": {"template": template, **({"traffic": traffic} if traffic else {})},
    }


def _port(number: int, **more: Any) -> dict[str, Any]:
    return {"ports": [{"containerPort": number, **more}]}


def _mounted(source: Mapping[str, Any]) -> dict[str, Any]:
    mounted = {"image": f"{ECHO}:1", "volumeMounts": [{"name": "files", "mountPath": "/files", "readOnly": True}]}
    return {"containers": [mounted], "volumes": [{"name": "files", **source}]}


def _probe(**how: Any) -> dict[str, Any]:
    return {"readinessProbe": how, "livenessProbe": how}


_GPU = {"requests": {"cpu": "1"}, "limits": {"nvidia.com/gpu": "1"}}
_SIDECAR: list[dict[str, Any]] = [
    {"image": f"{ECHO}:1", "name": "main", "ports": [{"containerPort": 8080}]},
    {"image": f"{ECHO}:1", "name": "beside"},
]
_ON_A_POOL: dict[str, Any] = {
    "nodeSelector": {"pool": "serve"},
    "tolerations": [{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}],
    "runtimeClassName": "nvidia",
    "priorityClassName": "system-cluster-critical",
    "schedulerName": "default-scheduler",
    "affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []}},
}
_HALVES: list[Manifest] = [
    {"revisionName": "old-00001", "percent": 50, "tag": "old"},
    {"latestRevision": True, "percent": 50},
]

TAKEN: Mapping[str, Manifest] = {
    "plain": service("plain"),
    "variables": service(
        "variables",
        container={
            "env": [
                {"name": "TARGET", "value": "world"},
                {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "keys", "key": "one"}}},
                {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
            ],
            "envFrom": [{"configMapRef": {"name": "settings"}}],
        },
    ),
    "scaled": service("scaled", scaling={"min-scale": "1", "max-scale": "5", "target": "10", "window": "30s"}),
    "requests-a-second": service("rps", scaling={"metric": "rps", "target": "150", "target-burst-capacity": "-1"}),
    "processors": service("cpu", scaling={"class": f"hpa.{SCALING}", "metric": "cpu", "target": "70"}),
    "one-at-a-time": service("one", containerConcurrency=1, timeoutSeconds=600, responseStartTimeoutSeconds=60),
    "grpc": service("grpc", container={**_port(50051, name="h2c"), **_probe(grpc={"port": 50051})}),
    "http-probe": service("http", container=_probe(httpGet={"path": "/ready", "port": 8080}, periodSeconds=2)),
    "tcp-probe": service("tcp", container=_probe(tcpSocket={"port": 8080})),
    "command-probe": service("command", container=_probe(exec={"command": ["true"]})),
    "sidecar": service("sidecar", containers=_SIDECAR),
    "config-files": service("config", **_mounted({"configMap": {"name": "settings"}})),
    "secret-files": service("secret", **_mounted({"secret": {"secretName": "keys"}})),
    "projected": service("projected", **_mounted({"projected": {"sources": [{"secret": {"name": "keys"}}]}})),
    "scratch": service("scratch", **_mounted({"emptyDir": {"sizeLimit": "1Gi"}})),
    "claim": service("claim", **_mounted({"persistentVolumeClaim": {"claimName": "models", "readOnly": True}})),
    "fetched": service("fetched", initContainers=[{"name": "fetch", "image": f"{ECHO}:1"}]),
    "on-a-pool": service("pool", container={"resources": _GPU}, **_ON_A_POOL),
    "private": service("private", labels={"networking.knative.dev/visibility": "cluster-local"}),
    "halves": service("old", traffic=_HALVES),
    "account": service("account", serviceAccountName="default", imagePullSecrets=[{"name": "registry"}]),
    "restricted": service(
        "restricted",
        container={
            "securityContext": {
                "allowPrivilegeEscalation": False,
                "capabilities": {"drop": ["ALL"]},
                "runAsNonRoot": True,
                "seccompProfile": {"type": "RuntimeDefault"},
            }
        },
    ),
}
"""What upstream's documentation shows of Services, and what GPUs and claims need, in the words of a stack here."""
REFUSED: Mapping[str, Manifest] = {
    "less than none": service("a", scaling={"min-scale": "-1"}),
    "more at least than at most": service("a", scaling={"min-scale": "3", "max-scale": "2"}),
    "a target of nothing": service("a", scaling={"target": "0"}),
    "more than all": service("a", scaling={"target-utilization-percentage": "170"}),
    "too short a window": service("a", scaling={"window": "5s"}),
    "too long a delay": service("a", scaling={"scale-down-delay": "2h"}),
    "a metric of another class": service("a", scaling={"metric": "cpu"}),
    "a class that there is not": service("a", scaling={"class": f"hpb.{SCALING}"}),
    "concurrency below none": service("a", containerConcurrency=-1),
    "two ports": service("a", containers=[{**each, **_port(8080)} for each in _SIDECAR]),
    "the proxy's port": service("a", container=_port(8012)),
    "a protocol that there is not": service("a", container=_port(8080, name="web")),
    "ninety of a hundred": service("a", traffic=[{"latestRevision": True, "percent": 90}]),
    "no revision": service("a", traffic=[{"latestRevision": False, "percent": 100}]),
    "the newest and a named one": service(
        "a", traffic=[{"latestRevision": True, "revisionName": "a-00001", "percent": 100}]
    ),
}
"""Each of what a check of ours says that the webhook refuses."""
