"""Either engine, by the word that a stack has for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from platform_def.components.delivery.flux.words import ENGINE
from tests.cluster.control_plane import ControlPlane
from tests.cluster.engines.argocd import ArgoCd
from tests.cluster.engines.flux import Flux
from tests.cluster.engines.story import Engine

GATED = "argocd, order: gates"
"""Argo CD in the form that is not its default, as `delivery: {engine: …}` of a stack may say it."""
Start = Callable[[ControlPlane, Mapping[str, Path]], Engine]
ENGINES: Mapping[str, Start] = {
    "argocd": ArgoCd,
    "flux": lambda cluster, programs: Flux(cluster, programs, flags=ENGINE.flags),
}
"""Started on a control plane, from the programs that the tests have."""
FORMS: Mapping[str, Start] = {**ENGINES, GATED: ArgoCd}
"""The same, where the forms of Argo CD's delivery differ."""
