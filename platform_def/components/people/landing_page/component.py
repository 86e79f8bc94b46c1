"""A page at `/` with links to the pages of the stack's components, where no dashboard serves that path."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from platform_def.apis.core.core_v1 import Container, PodSpec
from platform_def.capabilities import WebLink
from platform_def.components.people.landing_page.page import page
from platform_def.config.model import Model, Name
from platform_def.config.platform import Platform
from platform_def.constructs import (
    OUT_OF_MESH,
    RESTRICTED_LEVEL,
    Component,
    ComponentConfig,
    Deployment,
    ImageFacts,
    NetworkPolicy,
    Problem,
    Release,
    Route,
    Service,
    Setting,
    config_map,
    from_everywhere,
    http_probe,
    port,
    releases,
    secured,
)

NAME, PORT, FOLDER = "landing-page", 8080, "/www"
RELEASES = releases(
    # It calls no API.
    Release("1.37.0", image="docker.io/library/busybox:1.37.0", kubernetes="1.25-1.37", license="GPL-2.0-only")
)
FACTS = ImageFacts(runs_as=65532, read_only=True, source="busybox's httpd reads files and writes none")


def _address(value: str) -> str:
    """What a browser may follow; no script, and no other scheme."""
    if value.startswith(("https://", "http://")) or (value.startswith("/") and not value.startswith("//")):
        return value
    raise ValueError(f"'{value[:80]}' is neither a path such as /wiki/ nor an address such as https://wiki.example.com")


class Link(Model):
    """A page that is no component's."""

    text: Annotated[str, Field(min_length=1, max_length=100)]
    """What the link is called."""
    address: Annotated[str, Field(pattern=r"^[^\s<>\"']+$", max_length=1000), AfterValidator(_address)]
    """A path at the gateway, or an address."""
    group: Literal["menu", "external", "documentation"] = "external"
    """Where the page shows it."""


class LandingPageConfig(ComponentConfig):
    """What a stack may choose about its page."""

    releases = RELEASES

    namespace: Name = NAME
    """Namespace of the server."""
    title: Annotated[str, Field(min_length=1, max_length=100)] = "Machine learning platform"
    """Its heading, and the title of the browser's tab."""
    text: Annotated[str, Field(max_length=500)] = "What runs here:"
    """A sentence below the heading."""
    links: list[Link] = Field(default_factory=list)
    """Links beside those of components."""


class LandingPage(Component[LandingPageConfig]):
    """A file of HTML, a small web server, and the route `/`."""

    pod_security = RESTRICTED_LEVEL

    @classmethod
    def problems(cls, at: Setting[LandingPageConfig]) -> Iterator[Problem]:
        """A component whose own pages are at `/`."""
        for given in at.platform.all(WebLink):
            if given.value.path == "/":
                text = f"components.{at.name}: {given.by} serves / already"
                yield Problem(text, hint=f"leave one of the two out: {given.by} links to pages itself")

    def build(self) -> None:
        """The page and what serves it."""
        config_map(self, NAME, {"index.html": page(self.config.title, self.config.text, self._links())})
        Deployment(self, NAME, pod=self.pod(), ha_replicas=2, pod_annotations=OUT_OF_MESH)
        Service(self, NAME, ports=[port("http", 80, PORT)])
        # This path only: what is below it belongs to other routes, or to none.
        Route(self, NAME, path="/", exact=True, service=NAME)
        if self.platform.network_policies:
            NetworkPolicy(self, NAME, openings=[from_everywhere(PORT)])

    def _links(self) -> list[WebLink]:
        own = [WebLink(text=each.text, path=each.address, group=each.group) for each in self.config.links]
        return [*links_of(self.platform), *own]

    def pod(self) -> PodSpec:
        """The web server; the kubelet brings a changed page into the running pod."""
        container: Container = {
            "name": "httpd",
            "image": self.release.image,
            "command": ["httpd", "-f", "-p", str(PORT), "-h", FOLDER],
            "ports": [{"name": "http", "containerPort": PORT, "protocol": "TCP"}],
            "readinessProbe": http_probe("/", "http", period=10),
            "livenessProbe": http_probe("/", "http", delay=10, period=30),
            "volumeMounts": [{"name": "page", "mountPath": FOLDER, "readOnly": True}],
            "securityContext": secured(FACTS),
            "resources": {"requests": {"cpu": "5m", "memory": "8Mi"}, "limits": {"memory": "32Mi"}},
        }
        return {
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "nodeSelector": {"kubernetes.io/os": "linux"},
            "containers": [container],
            "volumes": [{"name": "page", "configMap": {"name": NAME}}],
        }


def links_of(platform: Platform) -> list[WebLink]:
    """Pages of components, each once."""
    return list({(each.value.text, each.value.path): each.value for each in platform.all(WebLink)}.values())
