"""How an object has each engine delete and recreate it where the API server refuses to change it.

Argo CD: `kubectl replace --force` whenever it syncs the object (gitops-engine, `applyObject`). Its comparison is a dry
run, which the API server refuses as well; so the part's Application compares on the client meanwhile, and syncs only
what differs, or each sync would recreate the object. Flux: whenever the API server calls the object invalid
(fluxcd/pkg/ssa, `shouldForceApply`).
"""

from __future__ import annotations

from collections.abc import Mapping

from platform_def.manifests.loose import at, mapping, text
from platform_def.manifests.rendered import Manifest, RenderedObject

SYNC = "argocd.argoproj.io/sync-options"
_OPTIONS = ("Force=true", "Replace=true")
_FLUX = ("kustomize.toolkit.fluxcd.io/force", "enabled")


def with_consent(item: RenderedObject, engine: str) -> RenderedObject:
    """The object as the engine may delete and recreate it; as it is where no engine reads it."""
    notes = dict(mapping(at(item.manifest, "metadata.annotations")))
    if engine == "argocd":
        notes[SYNC] = ",".join(dict.fromkeys([*filter(None, _listed(notes)), *_OPTIONS]))
    elif engine == "flux":
        notes[_FLUX[0]] = _FLUX[1]
    else:
        return item
    metadata = {**mapping(item.manifest.get("metadata")), "annotations": dict(sorted(notes.items()))}
    return item.changed({**item.manifest, "metadata": metadata})


def has_consent(manifest: Manifest, engine: str) -> bool:
    """Whether the object tells the engine so."""
    notes = mapping(at(manifest, "metadata.annotations"))
    if engine == "argocd":
        return {*_OPTIONS} <= {*_listed(notes)}
    return engine == "flux" and text(notes.get(_FLUX[0])).lower() == _FLUX[1]


def _listed(notes: Mapping[str, object]) -> list[str]:
    return [option.strip() for option in text(notes.get(SYNC)).split(",")]
