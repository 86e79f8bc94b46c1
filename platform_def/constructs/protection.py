"""What a delivery engine must never delete or never change, and how an object declares it to each engine."""

from __future__ import annotations

from collections.abc import Mapping

PROTECTED = frozenset({"CustomResourceDefinition", "Namespace", "PersistentVolume", "PersistentVolumeClaim", "Profile"})
"""Kinds whose deletion loses what cannot be made again; a namespace goes with the Profile that made it."""

_BY_ENGINE: Mapping[str, Mapping[str, str]] = {
    # Argo CD's finalizer deletes what carries only Prune=false when the Application goes: both are needed.
    # Without the second line an Application would stay out of sync once Git no longer has the object.
    "argocd": {
        "argocd.argoproj.io/sync-options": "Delete=false,Prune=false",
        "argocd.argoproj.io/compare-options": "IgnoreExtraneous",
    },
    "flux": {"kustomize.toolkit.fluxcd.io/prune": "disabled"},
    "none": {},
}


PROTECTING = frozenset(key for annotations in _BY_ENGINE.values() for key in annotations)
"""The annotations that say so."""

_CREATED_ONLY: Mapping[str, Mapping[str, str]] = {
    # Argo CD's setting is in the job's Application: its options of an object have nothing like it.
    "argocd": {},
    "flux": {"kustomize.toolkit.fluxcd.io/ssa": "IfNotPresent"},
    "none": {},
}


_BEFORE_OTHERS: Mapping[str, Mapping[str, str]] = {
    "argocd": {"argocd.argoproj.io/sync-wave": "-1"},
    # Flux asks the API server of all objects before it makes one: it has a Kustomization of its own for these.
    "flux": {},
    "none": {},
}


def protection(kind: str, engine: str) -> Mapping[str, str]:
    """Annotations that keep an object of this kind from being deleted by the engine."""
    return _BY_ENGINE[engine] if kind in PROTECTED else {}


def created_only(engine: str) -> Mapping[str, str]:
    """Annotations of an object that the engine makes where it is missing, and leaves alone where it is there."""
    return _CREATED_ONLY[engine]


def before_others(engine: str) -> Mapping[str, str]:
    """Annotations of an object that the engine makes before the others of the same job, which an admission asks for."""
    return _BEFORE_OTHERS[engine]
