"""Jupyter web app: people make, start and stop notebooks; its form offers what the stack has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field

from platform_def.capabilities import MeshCaller, WebLink
from platform_def.components.notebooks import web_apps
from platform_def.components.notebooks.jupyter_web_app.spawner import Offer, configuration
from platform_def.components.notebooks.server_images import RELEASES, JupyterRelease
from platform_def.config.model import Image, Model, Name, Quantity
from platform_def.constructs import (
    READ,
    RESTRICTED_LEVEL,
    Component,
    Need,
    Offers,
    PeopleRoles,
    Problem,
    Setting,
    allow,
    yaml_file,
)

PATH = "/jupyter/"
LINK = WebLink(text="Notebooks", path=PATH, icon="book")
RULES = (
    allow("kubeflow.org", "notebooks notebooks/finalizers poddefaults", verbs="create delete get list patch update"),
    allow("", "persistentvolumeclaims", verbs="create delete get list"),
    allow("", "events nodes", verbs="list"),
    allow("", "pods pods/log", verbs="get list"),
    allow("storage.k8s.io", "storageclasses", verbs=READ),
)
Cores = Annotated[str, Field(pattern=r"^[0-9]{1,3}(\.[0-9]{1,2})?$")]
Gibibytes = Annotated[str, Field(pattern=r"^[0-9]{1,4}(\.[0-9]{1,2})?Gi$")]


class Images(Model):
    """Images that the form offers; the first of each list is chosen at first."""

    jupyter: list[Image] | None = None
    """Those that serve below `NB_PREFIX`, as Jupyter does; by default upstream's, CUDA ones where there are GPUs."""
    vscode: list[Image] | None = None
    """Those that serve at the root, as code-server does; by default upstream's, none where idle ones are stopped."""
    rstudio: list[Image] | None = None
    """Those that read `X-RStudio-Root-Path`; by default upstream's, none where idle ones are stopped."""
    custom: bool = True
    """Whether people may type another image."""


class JupyterWebAppConfig(web_apps.CrudAppConfig):
    """What a stack may choose about the form of notebooks."""

    releases = RELEASES

    images: Images = Images.of_defaults()
    """Images that the form offers."""
    cpu: Cores = "0.5"
    """Cores that a notebook asks for at first."""
    memory: Gibibytes = "1.0Gi"
    """Memory that a notebook asks for at first."""
    limit_factor: Annotated[float, Field(ge=1, le=100)] | Literal["none"] = 1.2
    """Limits of processor and memory, as a multiple of what is asked for; `none`: no limits."""
    home_size: Quantity = "5Gi"
    """Size of the volume with a notebook's home folder."""
    home_storage: Name | None = None
    """Entry of `storage:` that homes are on; by default the cluster's default class."""
    configurations: list[Name] = Field(default_factory=list)
    """PodDefaults that are chosen at first, by their labels."""


class JupyterWebApp(Component[JupyterWebAppConfig, JupyterRelease]):
    """The web application with its configuration, and roles for people who use it."""

    pod_security = RESTRICTED_LEVEL
    gives = (WebLink,)

    @classmethod
    def needs_of(cls, at: Setting[JupyterWebAppConfig]) -> tuple[Need[Any], ...]:  # noqa: ARG003 - the same everywhere
        """Who people are, where they may come."""
        return web_apps.KNOWS

    @classmethod
    def offers(cls, at: Setting[JupyterWebAppConfig]) -> Offers:
        """A link to the list of notebooks."""
        return web_apps.offers(at, LINK)

    @classmethod
    def problems(cls, at: Setting[JupyterWebAppConfig]) -> Iterator[Problem]:
        """A page that all or none could reach; notebooks that nothing runs, or that do not start."""
        yield from web_apps.problems(at)
        yield from web_apps.account_problems(at, "notebooks")
        if not at.platform.serves("Notebook.kubeflow.org"):
            text = f"components.{at.name}: nothing in the stack serves the notebooks that it makes"
            yield Problem(text, hint="add `notebook-controller: {}` under components", at=("components", at.name))

    @classmethod
    def runtime_images(cls, at: Setting[JupyterWebAppConfig]) -> tuple[str, ...]:
        """The images that the form offers."""
        chosen = offer(at, cls.release_of(at.config))
        return (*chosen.jupyter, *chosen.vscode, *chosen.rstudio)

    def build(self) -> None:
        """The application."""
        config, chosen = self.config, offer(self.setting, self.release)
        storage = config.home_storage
        who = f"components.{self.name}.homeStorage"
        entry = self.platform.storage_for(storage, mode="ReadWriteOnce", who=who) if storage else None
        content = configuration(
            chosen.through(self.image),
            pools=self.platform.node_pools,
            custom=config.images.custom,
            cpu=config.cpu,
            memory=config.memory,
            limit_factor=str(config.limit_factor),
            home_size=config.home_size,
            storage_class=entry.class_name if entry else None,
            configurations=config.configurations,
        )
        file = web_apps.AppFile(
            config_map="jupyter-web-app-config", name="spawner_ui_config.yaml", text=yaml_file(content)
        )
        web_apps.CrudApp(self, path=PATH, rules=RULES, files=[file], variables={"UI": "default"})
        seen = "notebooks notebooks/finalizers poddefaults"
        PeopleRoles(
            self,
            (),
            name="notebook-ui",
            edit=[allow("kubeflow.org", seen, verbs="create delete get list")],
            view=[
                allow("kubeflow.org", seen, verbs="get list"),
                allow("storage.k8s.io", "storageclasses", verbs=READ),
            ],
        )


def offer(at: Setting[JupyterWebAppConfig], release: JupyterRelease) -> Offer:
    """The images of the form: what the stack says, else upstream's that are of use in it.

    The notebook controller asks Jupyter's API whether a notebook is idle. Others do not have it, and would be stopped
    that long after their start, however busy they are.
    """
    images, pools = at.config.images, at.platform.node_pools
    stopped = any(each.value.purpose == "notebook-activity" for each in at.platform.all(MeshCaller))
    cuda = release.cuda if any(pool.gpu for pool in pools) else ()
    return Offer(
        jupyter=tuple(images.jupyter if images.jupyter is not None else (*release.jupyter, *cuda)),
        vscode=tuple(images.vscode if images.vscode is not None else () if stopped else release.vscode),
        rstudio=tuple(images.rstudio if images.rstudio is not None else () if stopped else release.rstudio),
    )
