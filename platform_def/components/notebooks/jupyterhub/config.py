"""What a stack may choose about JupyterHub."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field

from platform_def.capabilities.identity import ClientId
from platform_def.components.notebooks.jupyterhub.images import NotebookImage
from platform_def.components.notebooks.jupyterhub.releases import RELEASES, WITHDRAWN, HubRelease
from platform_def.config.model import MisfitError, Model, Name, Quantity, conflict
from platform_def.config.secrets import GENERATED
from platform_def.constructs import Access, Component, ComponentConfig, SecretSource
from platform_def.errors import nearest

Duration = Annotated[str, Field(pattern=r"^([1-9][0-9]{0,4}[mhd]|never)$")]
"""Minutes, hours or days: `90m`, `12h`, `2d`; or `never`."""
PersonName = Annotated[str, Field(min_length=1, max_length=253, pattern=r"^[^\s*]+$")]
_SECONDS = {"m": 60, "h": 3600, "d": 86400}

IMAGES = {
    "minimal": NotebookImage(image="quay.io/jupyterhub/k8s-singleuser-sample:4.4.0", title="Python"),
    "pytorch": NotebookImage(
        image="quay.io/jupyter/pytorch-notebook:cuda12-notebook-7.4.4", title="PyTorch with CUDA 12", cuda=True
    ),
}


class Profile(Model):
    """A choice that people have when they start a server."""

    title: str = ""
    """What they read; by default made of what the server gets."""
    description: str = ""
    """A sentence below it."""
    pool: Name | None = None
    """Node pool; absent: any node without a taint."""
    gpus: Annotated[int, Field(ge=0, le=16)] = 0
    """Devices of the pool: cards, shares of cards, MIG devices, other accelerators."""
    mig_profile: str | None = None
    """MIG profile of the device, on a pool with several."""
    cpu: Quantity | None = None
    """Cores that it asks for; by default 1, or the share of its node that its devices are."""
    memory: Quantity | None = None
    """Memory that it asks for, and gets at most; by default 2Gi, or the share of its node that its devices are."""
    teams: list[Name] = Field(default_factory=list)
    """Teams that have it; by default all."""
    images: list[Name] = Field(default_factory=list)
    """Images, by their names under `images`; by default all that fit: those for CUDA with NVIDIA's devices."""


class Home(Model):
    """Where people's own files are: a claim for each person in each namespace, which outlives the server."""

    storage: Name | None = None
    """Entry of the stack's `storage:`, or a kind of it; by default the cluster's default class."""
    size: Quantity = "10Gi"
    """Size of each claim."""


class JupyterhubConfig(ComponentConfig):
    """What a stack may choose about JupyterHub."""

    releases = RELEASES
    withdrawn = WITHDRAWN

    namespace: Name = "jupyterhub"
    """Namespace of hub and proxy; servers run in the namespaces of teams."""
    access: Access = "people"
    """Who may sign in: `people` whom the stack's identity provider knows; `everyone` who reaches the gateway and knows
    the password in the Secret `hub-password`; `administrators`, who know it too, by port-forward alone."""
    guests: Name | None = None
    """Team whose servers people may start who are in no team; absent: they are sent away."""
    admins: list[PersonName] = Field(default_factory=list)
    """People who see, open and stop other people's servers."""
    admin_groups: list[PersonName] = Field(default_factory=list)
    """Groups of the identity provider whose people do so too."""
    client_id: ClientId = "jupyterhub"
    """With `access: people`: what the hub is called at the identity provider."""
    client_secret: SecretSource = GENERATED
    """Secret with the key `client-secret`. Generated for an issuer of the stack, which reads the same Secret; an issuer
    outside gives one."""
    scopes: list[Annotated[str, Field(pattern=r"^[!-~]+$", max_length=200)]] = Field(default_factory=list)
    """Scopes to ask for; by default `openid`, `email`, `profile`, and for an issuer of the stack `groups`."""
    unverified_email: bool = False
    """Accept addresses that the issuer does not call verified: only where people cannot choose their address there."""
    secrets: SecretSource = GENERATED
    """Secret with the keys `proxy-token`, `cookie-secret` and `metrics-token`. A new one signs everyone out."""
    password: SecretSource = GENERATED
    """Without `access: people`: Secret with the keys `password` and `admin-password`, of 8 and of 32 characters."""
    keeps: Literal["volume", "sql"] = "volume"
    """Where the hub keeps who has which server: on a volume, or in a database of the stack's SQL server."""
    images: dict[Name, NotebookImage] = Field(default_factory=dict)
    """Images that people may choose, sorted by name unless a profile lists its own; by default `minimal`, Python alone,
    and `pytorch`, PyTorch with CUDA."""
    profiles: dict[Name, Profile] = Field(default_factory=dict)
    """What people may start; by default one for each kind of device that the node pools have, and one without."""
    home: Home = Home.of_defaults()
    """Their home folders."""
    idle_after: Duration = "12h"
    """Time without use after which a server ends, or `never`. Files stay, what runs in it is lost. Use is a request to
    the server, and what computes in a notebook while no page is open."""
    outside_queues: bool = False
    """Offer devices also to teams whose queue takes no pods by themselves, as Kueue's does here: their servers then
    hold devices that the queue takes for free."""
    user_scheduler: bool = True
    """A second scheduler that fills one node with servers before it takes the next."""
    pull_images: bool = True
    """Have the images on the nodes before anyone starts a server."""

    @conflict
    def _images_known(self) -> Iterator[ValueError]:
        for name, profile in self.profiles.items():
            for index, image in enumerate(profile.images):
                if image not in self.notebooks:
                    text = f"there is no image '{image}': {nearest(image, self.notebooks)}"
                    yield MisfitError(text, "profiles", name, "images", index)

    @property
    def notebooks(self) -> Mapping[str, NotebookImage]:
        """The images."""
        return self.images or IMAGES

    @property
    def idle_seconds(self) -> int:
        """Seconds until an unused server ends; 0: never."""
        found = re.fullmatch(r"(\d+)([mhd])", self.idle_after)
        return int(found[1]) * _SECONDS[found[2]] if found else 0


AnyJupyterhub = Component[JupyterhubConfig, HubRelease]
"""The component, as its parts see it."""
