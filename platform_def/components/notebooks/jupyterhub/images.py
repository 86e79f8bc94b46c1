"""Images of notebooks, and what must be known of each so that people can write in their home folders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Self

from pydantic import Field, model_validator

from platform_def.config.model import Image, MisfitError, Model

Identifier = Annotated[int, Field(ge=1, le=2**31 - 1)]
Folder = Annotated[str, Field(pattern=r"^/[^\s:{}]+$", max_length=200)]


@dataclass(frozen=True)
class NotebookUser:
    """As whom an image runs, and where that user's files are."""

    user: int
    group: int
    home: str
    source: str


KNOWN: Mapping[str, NotebookUser] = {
    "quay.io/jupyterhub/k8s-singleuser-sample": NotebookUser(
        1000, 1000, "/home/jovyan", "images/singleuser-sample/Dockerfile of the chart: NB_UID 1000, jovyan"
    ),
    "quay.io/jupyter/": NotebookUser(
        1000, 100, "/home/jovyan", "images/docker-stacks-foundation/Dockerfile: NB_UID 1000, NB_GID 100"
    ),
    "ghcr.io/kubeflow/kubeflow/notebook-servers/": NotebookUser(
        1000, 100, "/home/jovyan", "components/example-notebook-servers/base/Dockerfile: NB_UID 1000, users"
    ),
}
"""Users by what the image's name begins with."""


class NotebookImage(Model):
    """An image that people may start; it must have `jupyterhub-singleuser`, of JupyterHub 4 or newer."""

    image: Image
    """The image, with its tag."""
    title: str = ""
    """What people read; by default the name of the entry."""
    cuda: bool = False
    """It is made for NVIDIA's cards: offered where a profile has some, and nowhere else."""
    user: Identifier | None = None
    """User that it runs as; known for images of Jupyter Docker Stacks, of this chart and of Kubeflow."""
    group: Identifier | None = None
    """That user's group, which owns the home folder."""
    home: Folder | None = None
    """That user's home folder, where the volume is mounted."""

    @model_validator(mode="after")
    def _known(self) -> Self:
        if None in (self.user, self.group, self.home) and self._found() is None:
            text = f"of {self.image} neither user, group nor home folder is known: write all three, as its Dockerfile "
            raise MisfitError(f"{text}has them", "image")
        return self

    def runs(self) -> NotebookUser:
        """As whom it runs: what is written, else what is known."""
        known = self._found() or NotebookUser(0, 0, "", "")
        return NotebookUser(self.user or known.user, self.group or known.group, self.home or known.home, known.source)

    def _found(self) -> NotebookUser | None:
        return next((known for start, known in KNOWN.items() if self.image.startswith(start)), None)
