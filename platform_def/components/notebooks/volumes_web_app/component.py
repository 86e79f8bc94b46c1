"""Volumes web app: people make and delete volumes, and open the files of one in the browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from platform_def.capabilities import WebLink
from platform_def.components.notebooks import web_apps
from platform_def.components.notebooks.viewer import FILE_BROWSER, pod
from platform_def.config.model import Image
from platform_def.constructs import (
    APACHE,
    READ,
    RESTRICTED_LEVEL,
    WRITE,
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
    yaml_file,
)

PATH = "/volumes/"
LINK = WebLink(text="Volumes", path=PATH, icon="device:storage")
RELEASES = releases(
    Release(
        "1.11.0",
        image="ghcr.io/kubeflow/notebooks/volumes-web-app:v1.11.0",
        kubernetes="1.29-1.37",
        upkeep=Upkeep(Support.CURRENT),  # SECURITY.md: fixes for the two newest minor lines
    ),
    license=APACHE,
)
VIEWERS = allow("kubeflow.org", "pvcviewers", verbs="create delete get list")
RULES = (
    allow("", "namespaces", verbs="get list"),
    allow("", "persistentvolumeclaims", verbs=WRITE),
    allow("", "pods", verbs="get list"),
    allow("", "events", verbs="list"),
    allow("storage.k8s.io", "storageclasses", verbs=READ),
    allow("kubeflow.org", "notebooks", verbs="list"),
    VIEWERS,
)


class VolumesWebAppConfig(web_apps.CrudAppConfig):
    """What a stack may choose about the page of volumes."""

    releases = RELEASES

    viewer_image: Image = FILE_BROWSER
    """File browser that shows the files of a volume."""


class VolumesWebApp(Component[VolumesWebAppConfig]):
    """The web application, what a viewer of files looks like, and roles for people who use it."""

    pod_security = RESTRICTED_LEVEL
    gives = (WebLink,)

    @classmethod
    def needs_of(cls, at: Setting[VolumesWebAppConfig]) -> tuple[Need[Any], ...]:  # noqa: ARG003 - the same everywhere
        """Who people are, where they may come."""
        return web_apps.KNOWS

    @classmethod
    def offers(cls, at: Setting[VolumesWebAppConfig]) -> Offers:
        """A link to the list of volumes."""
        return web_apps.offers(at, LINK)

    @classmethod
    def problems(cls, at: Setting[VolumesWebAppConfig]) -> Iterator[Problem]:
        """A page that all or none could reach; kinds that it lists and nothing serves."""
        yield from web_apps.problems(at)
        yield from web_apps.account_problems(at, "viewers of files")
        for api, name in (("PVCViewer", "pvcviewer-controller"), ("Notebook", "notebook-controller")):
            if not at.platform.serves(f"{api}.kubeflow.org"):
                text = f"components.{at.name}: its pages fail where nothing serves {api}s"
                yield Problem(text, hint=f"add `{name}: {{}}` under components", at=("components", at.name))

    @classmethod
    def runtime_images(cls, at: Setting[VolumesWebAppConfig]) -> tuple[str, ...]:
        """The file browser."""
        return (at.config.viewer_image,)

    def build(self) -> None:
        """The application."""
        spec = {
            "pvc": "$NAME",
            "podSpec": {
                **pod(self.image(self.config.viewer_image), base="/pvcviewers/$NAMESPACE/$NAME/"),
                "volumes": [{"name": "viewer-volume", "persistentVolumeClaim": {"claimName": "$NAME"}}],
            },
            "networking": {"targetPort": 8080, "basePrefix": "/pvcviewers", "rewrite": "/", "timeout": "30s"},
            "rwoScheduling": True,
        }
        file = web_apps.AppFile(config_map="volumes-web-app-viewer-spec", name="viewer-spec.yaml", text=yaml_file(spec))
        web_apps.CrudApp(self, path=PATH, rules=RULES, files=[file])
        PeopleRoles(
            self,
            (),
            name="volume-ui",
            edit=[allow("", "persistentvolumeclaims", verbs=WRITE), VIEWERS],
            view=[
                allow("", "persistentvolumeclaims", verbs=READ),
                allow("kubeflow.org", "pvcviewers", verbs="get list"),
                allow("storage.k8s.io", "storageclasses", verbs=READ),
            ],
        )
