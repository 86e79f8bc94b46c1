"""What the API server fills into the pods of a template, by the names that lead to the place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from platform_def.manifests.loose import text
from platform_def.manifests.updates.comparing import Defaults


def _pull_policy(container: Mapping[str, Any]) -> str:
    name = text(container.get("image")).rpartition("/")[2]
    latest = "@" not in name and (name.endswith(":latest") or ":" not in name)
    return "Always" if latest else "IfNotPresent"


_CONTAINER = {
    "imagePullPolicy": _pull_policy,
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
    # Written or not, the server stores a map.
    "resources": {},
}
_PROBE = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}
_MODE = {"defaultMode": 0o644}

POD_DEFAULTS: Defaults = {
    "template.spec": {
        "dnsPolicy": "ClusterFirst",
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "terminationGracePeriodSeconds": 30,
    },
    "containers": _CONTAINER,
    "initContainers": _CONTAINER,
    "containers.ports": {"protocol": "TCP"},
    "initContainers.ports": {"protocol": "TCP"},
    "livenessProbe": _PROBE,
    "readinessProbe": _PROBE,
    "startupProbe": _PROBE,
    "httpGet": {"path": "/", "scheme": "HTTP"},
    "fieldRef": {"apiVersion": "v1"},
    "volumes.secret": _MODE,
    "volumes.configMap": _MODE,
    "volumes.downwardAPI": _MODE,
    "volumes.projected": _MODE,
    "sources.serviceAccountToken": {"expirationSeconds": 3600},
    "ephemeral.volumeClaimTemplate.spec": {"volumeMode": "Filesystem"},
}
