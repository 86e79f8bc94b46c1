"""Which kinds a delivery engine must never delete, and how each engine is told so."""

from __future__ import annotations

from collections.abc import Mapping

PROTECTED = frozenset({"CustomResourceDefinition", "Namespace", "PersistentVolume", "PersistentVolumeClaim"})
"""Kinds whose deletion loses what cannot be made again."""

_BY_ENGINE: Mapping[str, Mapping[str, str]] = {
    # Argo CD's finalizer deletes what carries only Prune=false when the Application goes: both are needed.
    "argocd": {"argocd.argoproj.io/sync-options": "Delete=false,Prune=false"},
    "flux": {"kustomize.toolkit.fluxcd.io/prune": "disabled"},
    "none": {},
}


def protection(kind: str, engine: str) -> Mapping[str, str]:
    """Annotations that keep an object of this kind from being deleted by the engine."""
    return _BY_ENGINE[engine] if kind in PROTECTED else {}
