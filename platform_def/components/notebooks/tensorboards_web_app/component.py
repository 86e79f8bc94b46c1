"""TensorBoards web app: people start TensorBoard on the logs of a run, and open it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from platform_def.capabilities import WebLink
from platform_def.components.notebooks import web_apps
from platform_def.constructs import (
    APACHE,
    READ,
    RESTRICTED_LEVEL,
    Component,
    Need,
    Offers,
    PeopleRoles,
    Problem,
    Release,
    Setting,
    Support,
    Upkeep,
    allow,
    releases,
)

PATH = "/tensorboards/"
LINK = WebLink(text="TensorBoards", path=PATH, icon="assessment")
RELEASES = releases(
    Release(
        "1.11.0",
        image="ghcr.io/kubeflow/notebooks/tensorboards-web-app:v1.11.0",
        kubernetes="1.29-1.37",
        upkeep=Upkeep(Support.CURRENT),  # SECURITY.md: fixes for the two newest minor lines
    ),
    license=APACHE,
)
GROUP, BOARDS = "tensorboard.kubeflow.org", "tensorboards tensorboards/finalizers"
RULES = (
    allow(GROUP, BOARDS, verbs="create delete get list"),
    allow("", "namespaces", verbs="get list"),
    allow("", "persistentvolumeclaims", verbs="create delete get list"),
    allow("storage.k8s.io", "storageclasses", verbs=READ),
    allow("kubeflow.org", "poddefaults", verbs=READ),
)


class TensorboardsWebAppConfig(web_apps.CrudAppConfig):
    """What a stack may choose about the page of TensorBoards."""

    releases = RELEASES


class TensorboardsWebApp(Component[TensorboardsWebAppConfig]):
    """The web application, and roles for people who use it."""

    pod_security = RESTRICTED_LEVEL
    gives = (WebLink,)

    @classmethod
    def needs_of(cls, at: Setting[TensorboardsWebAppConfig]) -> tuple[Need[Any], ...]:  # noqa: ARG003 - the same
        """Who people are, where they may come."""
        return web_apps.KNOWS

    @classmethod
    def offers(cls, at: Setting[TensorboardsWebAppConfig]) -> Offers:
        """A link to the list of TensorBoards."""
        return web_apps.offers(at, LINK)

    @classmethod
    def problems(cls, at: Setting[TensorboardsWebAppConfig]) -> Iterator[Problem]:
        """A page that all or none could reach; TensorBoards that nothing serves."""
        yield from web_apps.problems(at)
        if not at.platform.serves(f"Tensorboard.{GROUP}"):
            text = f"components.{at.name}: nothing in the stack serves the TensorBoards that it makes"
            yield Problem(text, hint="add `tensorboard-controller: {}` under components", at=("components", at.name))

    def build(self) -> None:
        """The application."""
        web_apps.CrudApp(self, path=PATH, rules=RULES)
        PeopleRoles(
            self,
            (),
            name="tensorboard-ui",
            edit=[
                allow(GROUP, BOARDS, verbs="create delete get list"),
                allow("kubeflow.org", "poddefaults", verbs=READ),
            ],
            view=[
                allow(GROUP, BOARDS, verbs="get list"),
                allow("kubeflow.org", "poddefaults", verbs=READ),
                allow("storage.k8s.io", "storageclasses", verbs=READ),
            ],
        )
