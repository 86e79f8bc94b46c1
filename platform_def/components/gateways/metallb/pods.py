"""Pods of MetalLB's two programs."""

from __future__ import annotations

from platform_def.apis.core.core_v1 import Container, HTTPGetAction, PodSpec, Probe
from platform_def.components.gateways.metallb.rules import CONTROLLER
from platform_def.constructs import ImageFacts, env, from_field, http_probe, mounts, secured

SPEAKER = "speaker"
WEBHOOK_SECRET = "metallb-webhook-cert"  # noqa: S105 - the name of a Secret that the controller fills
MEMBERS = "memberlist"
"""Secret with the key by which speakers know each other; the controller makes it."""
EXCLUDED = "metallb-excludel2"
METRICS, HEALTH, WEBHOOK = 9120, 17472, 9443
CONTROLLER_FACTS = ImageFacts(read_only=True, runs_as=65534, source="upstream's manifests at v0.16.2")
SPEAKER_FACTS = ImageFacts(read_only=True, user=0, capabilities=("NET_RAW",), source="upstream's manifests at v0.16.2")


def controller_pod(image: str) -> PodSpec:
    """Gives out addresses; one pod, for it leads no election."""
    container: Container = {
        "name": CONTROLLER,
        "image": image,
        "args": [f"--port={METRICS}", "--log-level=info", f"--webhook-secret={WEBHOOK_SECRET}"],
        "env": env(
            {
                "METALLB_POD_NAME": from_field("metadata.name"),
                "METALLB_NAMESPACE": from_field("metadata.namespace"),
                "METALLB_ML_SECRET_NAME": MEMBERS,
                "METALLB_DEPLOYMENT": CONTROLLER,
            }
        ),
        "ports": [
            {"name": "metricshttps", "containerPort": METRICS, "protocol": "TCP"},
            {"name": "webhook-server", "containerPort": WEBHOOK, "protocol": "TCP"},
        ],
        "livenessProbe": http_probe("/healthz", HEALTH, delay=10, period=10),
        "readinessProbe": http_probe("/readyz", HEALTH, delay=10, period=10),
        "resources": {"requests": {"cpu": "20m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        "securityContext": secured(CONTROLLER_FACTS),
        "volumeMounts": mounts({"cert": "/tmp/k8s-webhook-server/serving-certs"}, read_only=True),  # noqa: S108
    }
    return {
        "serviceAccountName": CONTROLLER,
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "securityContext": {"fsGroup": 65534},
        "terminationGracePeriodSeconds": 0,
        "containers": [container],
        "volumes": [{"name": "cert", "secret": {"secretName": WEBHOOK_SECRET, "defaultMode": 0o644}}],
    }


def _local_probe(path: str) -> Probe:
    """Speakers answer on the loopback interface alone, for they are on the node's network."""
    asked: HTTPGetAction = {"host": "127.0.0.1", "port": HEALTH, "path": path}
    return {"httpGet": asked, "initialDelaySeconds": 10, "periodSeconds": 10}


def speaker_pod(image: str, labels: str, *flags: str) -> PodSpec:
    """Answers for addresses, on every node; `labels` are those by which speakers find each other."""
    container: Container = {
        "name": SPEAKER,
        "image": image,
        "args": [f"--port={METRICS}", "--log-level=info", *flags],
        "env": env(
            {
                "METALLB_NODE_NAME": from_field("spec.nodeName"),
                "METALLB_POD_NAME": from_field("metadata.name"),
                "METALLB_NAMESPACE": from_field("metadata.namespace"),
                "METALLB_HOST": from_field("status.hostIP"),
                "METALLB_ML_BIND_ADDR": from_field("status.podIP"),
                "METALLB_ML_LABELS": labels,
                "METALLB_ML_SECRET_KEY_PATH": "/etc/ml_secret_key",
            }
        ),
        "ports": [
            {"name": "metricshttps", "containerPort": METRICS, "hostPort": METRICS, "protocol": "TCP"},
            {"name": "memberlist-tcp", "containerPort": 7946, "hostPort": 7946, "protocol": "TCP"},
            {"name": "memberlist-udp", "containerPort": 7946, "hostPort": 7946, "protocol": "UDP"},
        ],
        "livenessProbe": _local_probe("/healthz"),
        "readinessProbe": _local_probe("/readyz"),
        "resources": {"requests": {"cpu": "20m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        "securityContext": secured(SPEAKER_FACTS),
        "volumeMounts": mounts({MEMBERS: "/etc/ml_secret_key", EXCLUDED: "/etc/metallb"}, read_only=True),
    }
    return {
        "serviceAccountName": SPEAKER,
        "hostNetwork": True,
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "terminationGracePeriodSeconds": 2,
        "tolerations": [
            {"key": f"node-role.kubernetes.io/{role}", "operator": "Exists", "effect": "NoSchedule"}
            for role in ("control-plane", "master")
        ],
        "containers": [container],
        "volumes": [
            {"name": MEMBERS, "secret": {"secretName": MEMBERS, "defaultMode": 0o644}},
            {"name": EXCLUDED, "configMap": {"name": EXCLUDED, "defaultMode": 0o444}},
        ],
    }
