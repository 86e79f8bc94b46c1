"""Either engine, by the name that a stack calls it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from platform_def.components.delivery.flux.words import ENGINE
from tests.cluster.control_plane import ControlPlane
from tests.cluster.engines.argocd import ArgoCd
from tests.cluster.engines.flux import Flux
from tests.cluster.engines.story import Engine

Start = Callable[[ControlPlane, Mapping[str, Path]], Engine]
ENGINES: Mapping[str, Start] = {
    "argocd": ArgoCd,
    "flux": lambda cluster, programs: Flux(cluster, programs, flags=ENGINE.flags),
}
"""Started on a control plane, from the programs that the tests have."""
