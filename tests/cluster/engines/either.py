"""Either engine, by the name that a stack calls it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from platform_def.config.cluster import FLUX_FLAGS
from tests.cluster.control_plane import ControlPlane
from tests.cluster.engines.argocd import ArgoCd
from tests.cluster.engines.flux import Flux
from tests.cluster.engines.story import Engine

Start = Callable[[ControlPlane, Mapping[str, Path]], Engine]
ENGINES: Mapping[str, Start] = {
    "argocd": ArgoCd,
    "flux": lambda cluster, programs: Flux(cluster, programs, flags=FLUX_FLAGS),
}
"""Started on a control plane, from the programs that the tests have."""
