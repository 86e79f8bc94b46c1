"""Routes: how a component's Service is reached through the stack's gateway, whichever that is.

Components say path and Service in neutral words; what is rendered is the gateway's own kind. The defaults of gateways
differ (Emissary ends requests after three seconds and rewrites each prefix to `/`), so every one is written out.
"""

from __future__ import annotations

from platform_def.apis.emissary_v3alpha1 import MAPPING, MappingSpec
from platform_def.config.platform import Platform
from platform_def.constructs.component import Piece, Scope
from platform_def.constructs.resource import Resource
from platform_def.errors import ConfigError

ANY_HOST = "*"


def gateway_components(platform: Platform) -> tuple[str, ...]:
    """The components that serve the stack's routes: what a component with routes adds in its `requires_of`."""
    return ("emissary",) if platform.gateway == "emissary" else ()


class Route(Piece):
    """A path of the gateway that leads to a Service; nothing where the stack has no gateway."""

    def __init__(
        self,
        scope: Scope,
        name: str,
        *,
        path: str,
        service: str,
        port: int = 80,
        exact: bool = False,
        rewrite: str | None = None,
        timeout_seconds: int = 60,
        websocket: bool = False,
        host: str = ANY_HOST,
        namespace: str = "",
    ):
        """Lead all paths that begin with `path`, or with `exact` that one alone, to `service`.

        `rewrite` replaces `path` in what the Service is asked for; None leaves it. `timeout_seconds` is for a request
        with its answer, 0 for no limit. `websocket` lets connections be upgraded. `host` narrows the route to one of
        the gateway's hosts, compared with the whole Host header, port and all. `namespace` is the Service's, by default
        the component's. Raises ConfigError for a gateway whose routes cannot be made.
        """
        super().__init__(scope, name)
        if not path.startswith("/"):
            raise ValueError(f"route {name}: path {path!r} does not begin with '/'")
        home = namespace or self.owner.namespace
        gateway = self.owner.platform.gateway
        if gateway == "emissary":
            spec = mapping(path, f"{service}.{home}:{port}", exact=exact, rewrite=rewrite, host=host)
            spec["timeout_ms"] = timeout_seconds * 1000
            if websocket:
                spec["allow_upgrade"] = ["websocket"]
            Resource(self, MAPPING, name, spec=spec, part="after")
        elif gateway != "none":
            raise ConfigError(
                f"gateway '{gateway}': routes for it cannot be rendered yet",
                hint="write `gateway: emissary`, or `gateway: none` and reach the Services by port-forward",
            )


def mapping(path: str, service: str, *, exact: bool, rewrite: str | None, host: str) -> MappingSpec:
    """A route in Emissary's words; `service` is `name.namespace:port`."""
    spec: MappingSpec = {
        # A Mapping without a hostname belongs to no Host.
        "hostname": host,
        "prefix": path,
        "service": service,
        # Emissary takes a missing rewrite for "/", and an empty one for none.
        "rewrite": rewrite or "",
    }
    if exact:
        spec["prefix_exact"] = True
    return spec
