"""What the controllers of notebooks, viewers and TensorBoards share: the gateway that their routes name, and the mesh.

They write VirtualServices at run time, so no other gateway than one of Istio's leads to what they make.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from platform_def.constructs import Component, Problem, Setting
from platform_def.constructs.route import ANY_HOST, gateway_of, runtime_routes

HOST = ANY_HOST
"""Of their routes: the gateway itself says for which hosts it is."""
EXCLUDED = "traffic.sidecar.istio.io/excludeInboundPorts"
"""Annotation of pods in the mesh: ports that Prometheus reads around the proxy."""


def gateway(component: Component[Any, Any]) -> str:
    """The Gateway object that routes name, as `namespace/name`; without one there is a problem."""
    found = gateway_of(component.platform)
    return f"{found.namespace}/{found.name}" if found else "none/none"


def problems(at: Setting[Any], what: str) -> Iterator[Problem]:
    """Why what a controller makes could not be reached."""
    yield from runtime_routes(at, what, instead="jupyterhub")
