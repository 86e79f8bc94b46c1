"""How the pods of databases run."""

from __future__ import annotations

from platform_def.apis.core.core_v1 import SecurityContext

CONTEXT: SecurityContext = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}
"""The one that Kubeflow's own manifests run such images with."""
