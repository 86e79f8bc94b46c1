"""What pods of all its programs share: user, wait, tokens, and where each server is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from platform_def.apis.core.core_v1 import Container, SecurityContext, Volume
from platform_def.components.pipelines.kfp.releases import WAIT
from platform_def.constructs import env

if TYPE_CHECKING:
    from platform_def.components.pipelines.kfp.config import AnyKfp, KfpConfig
    from platform_def.config.platform import Platform

SERVER, UI, METADATA, ENVOY, CACHE = (
    "ml-pipeline",
    "ml-pipeline-ui",
    "metadata-grpc-service",
    "metadata-envoy-service",
    "cache-server",
)
GRPC, HTTP, METADATA_PORT, ENVOY_PORT, UI_PORT = 8887, 8888, 8080, 9090, 3000
AUDIENCE = "pipelines.kubeflow.org"
"""For whom tokens of accounts are that the server takes."""
PLACEHOLDER = "the-namespace-that-someone-registers"
"""What the template of a namespace has for its name."""
REGISTERED = {"pipelines.kubeflow.org/enabled": "true"}
"""Labels that upstream's profile controller gives the namespaces that it makes, and teams' that become Profiles."""
CONTEXT: SecurityContext = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsUser": 1000,
    "runAsGroup": 0,
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}
"""Upstream's, for all its images."""
_WAIT = """\
for try in $(seq 60); do
  if nc -z -w 2 "$HOST" "$PORT"; then exit 0; fi
  echo "waiting for $HOST:$PORT"; sleep 5
done
echo "$HOST:$PORT does not answer"; exit 1
"""


def program(
    name: str,
    image: str,
    variables: Mapping[str, str],
    *,
    cpu: str = "20m",
    memory: str = "64Mi",
    limit: str = "512Mi",
) -> Container:
    """A container of one of its programs, whose image's own command reads these variables."""
    return {
        "name": name,
        "image": image,
        "env": env(dict(variables)),
        "resources": {"requests": {"cpu": cpu, "memory": memory}, "limits": {"memory": limit}},
        "securityContext": CONTEXT,
    }


def wait(name: str, host: str, port: int) -> Container:
    """An init container that ends when a server answers, after five minutes at the latest."""
    made = program(name, WAIT, {"HOST": host, "PORT": str(port)}, cpu="10m", memory="16Mi", limit="64Mi")
    return {**made, "command": ["/bin/sh", "-ec"], "args": [_WAIT]}


def token(path: str) -> Volume:
    """The account's token for the server, as a file."""
    made = {"audience": AUDIENCE, "expirationSeconds": 3600, "path": path}
    return {"name": "token", "projected": {"sources": [{"serviceAccountToken": made}]}}  # type: ignore[typeddict-item]


def homes(component: AnyKfp) -> Sequence[str]:
    """Namespaces with runs."""
    return homes_of(component.config, component.platform)


def homes_of(config: KfpConfig, platform: Platform) -> Sequence[str]:
    """Namespaces with runs."""
    if config.serves == "one":
        return (config.namespace,)
    return tuple(home for team in platform.teams for home in team.homes)
