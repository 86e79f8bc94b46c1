"""Releases of the web app, and the images of notebooks that belong to each, which workspaces start too."""

from __future__ import annotations

from dataclasses import dataclass

from platform_def.constructs import (
    APACHE,
    Release,
    Support,
    Upkeep,
    releases,
)

_SERVERS = "ghcr.io/kubeflow/kubeflow/notebook-servers"
"""Upstream's images of notebooks stay at this address, whichever repository builds them."""


@dataclass(frozen=True, kw_only=True)
class JupyterRelease(Release):
    """The application's image is `image`."""

    jupyter: tuple[str, ...]
    cuda: tuple[str, ...]
    """Of use on NVIDIA GPUs alone."""
    vscode: tuple[str, ...]
    rstudio: tuple[str, ...]


def _servers(tag: str, *names: str) -> tuple[str, ...]:
    return tuple(f"{_SERVERS}/{name}:{tag}" for name in names)


RELEASES = releases(
    JupyterRelease(
        "1.11.0",
        upkeep=Upkeep(Support.CURRENT),  # SECURITY.md: fixes for the two newest minor lines
        image="ghcr.io/kubeflow/notebooks/jupyter-web-app:v1.11.0",
        kubernetes="1.29-1.37",
        jupyter=_servers("v1.11.0", "jupyter-scipy", "jupyter-pytorch-full", "jupyter-tensorflow-full"),
        cuda=_servers("v1.11.0", "jupyter-pytorch-cuda-full", "jupyter-tensorflow-cuda-full"),
        vscode=_servers("v1.11.0", "codeserver-python"),
        rstudio=_servers("v1.11.0", "rstudio-tidyverse"),
    ),
    license=APACHE,
)
