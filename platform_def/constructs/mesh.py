"""Pods in a service mesh: the labels by which its injector finds them, and the labels that their namespace needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from platform_def.capabilities import Mesh
from platform_def.constructs.component import AnyComponent, Setting

PROXY_METRICS = ("http-envoy-prom", 15090)
"""Name and number of the port where a proxy says its metrics; connections to it never go through the proxy."""


def in_mesh(at: AnyComponent | Setting[Any]) -> Mapping[str, str]:
    """Labels of a pod that gets a proxy; a revision of the mesh's other than the default one is asked for by name."""
    given = at.maybe(Mesh)
    revision = given.value.revision if given else ""
    return {"sidecar.istio.io/inject": "true", **({"istio.io/rev": revision} if revision else {})}
