"""Central dashboard: one page with a menu of what the stack has, and the namespaces of the person who is signed in.

The menu is gathered: each component with a page offers a link.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import Field

from platform_def.apis.core.core_v1 import Container
from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.capabilities import AccessManagement, DashboardReader, Identity, MeshCaller, Metrics, WebLink
from platform_def.config.model import Model, Name
from platform_def.constructs import (
    APACHE,
    READ,
    RESTRICTED_LEVEL,
    Component,
    ComponentConfig,
    ImageFacts,
    Need,
    Offers,
    Release,
    Setting,
    WebApp,
    allow,
    config_map,
    env,
    from_field,
    http_probe,
    need,
    releases,
)

NAME, PORT = "dashboard", 8082
CONFIG = "dashboard-config"
RELEASES = releases(
    Release("2.0.0", image="ghcr.io/kubeflow/dashboard/dashboard:v2.0.0", kubernetes="1.29-1.37"),
    license=APACHE,
)
FACTS = ImageFacts(runs_as=1000, source="Dockerfile at v2.0.0: user node of Node's image, and base/deployment.yaml")
EVERYWHERE: tuple[PolicyRule, ...] = (allow("", "events namespaces nodes", verbs=READ),)
AT_HOME: tuple[PolicyRule, ...] = (
    allow("", "configmaps", verbs="get"),
    allow("", "pods pods/log", verbs=READ),
    allow("app.k8s.io", "applications", verbs=READ),
)
METRICS = need(Metrics, order="any", optional=True)
GRAFANA = need(DashboardReader, order="any", optional=True)


class DashboardLink(Model):
    """A link of your own on the dashboard."""

    text: Annotated[str, Field(min_length=1, max_length=60)]
    """What it is called."""
    link: Annotated[str, Field(pattern=r"^(/|https://)[^\s]*$", max_length=500)]
    """A path at the stack's gateway, or an address elsewhere."""
    group: Literal["menu", "external", "documentation", "shortcut"] = "external"
    """Where it is: `menu` and `shortcut` open in the dashboard's frame, `external` and `documentation` in a new tab."""
    icon: Annotated[str, Field(pattern=r"^[a-z][a-z0-9:-]*$", max_length=60)] = "icons:launch"
    """Name of a Material or Iron icon, for `menu` and `external`."""
    description: Annotated[str, Field(max_length=200)] = ""
    """A line beneath, for `documentation` and `shortcut`."""


class CentralDashboardConfig(ComponentConfig):
    """What a stack may choose about the dashboard."""

    releases = RELEASES

    namespace: Name = "kubeflow"
    """Namespace of the dashboard, upstream's."""
    links: list[DashboardLink] = Field(default_factory=list)
    """Links of your own, after those of the stack's components."""
    logout: Annotated[str, Field(pattern=r"^(/|https://)[^\s]*$", max_length=500)] = "/oauth2/sign_out"
    """Where people sign out; by default at oauth2-proxy."""


class CentralDashboard(Component[CentralDashboardConfig]):
    """The dashboard with its menu."""

    pod_security = RESTRICTED_LEVEL
    gives = (MeshCaller,)
    needs = (need(AccessManagement, order="any"), need(Identity, order="any"), METRICS, GRAFANA)

    @classmethod
    def needs_of(cls, at: Setting[CentralDashboardConfig]) -> tuple[Need[Any], ...]:  # noqa: ARG003 - the same
        """Who knows the namespaces of people, and who people are; metrics where the stack has them."""
        return cls.needs

    @classmethod
    def offers(cls, at: Setting[CentralDashboardConfig]) -> Offers:
        """Itself, as who asks access management."""
        return Offers(capabilities=(MeshCaller(purpose="dashboard", namespace=at.config.namespace, account=NAME),))

    def build(self) -> None:
        """The dashboard."""
        # It reads the file with each request, so a changed link restarts nothing.
        config_map(self, CONFIG, {"links": _json(self.links()), "settings": _json({"DASHBOARD_FORCE_IFRAME": True})})
        made = WebApp(
            self,
            NAME,
            container=self._container(),
            access="people",
            path="/",
            target=PORT,
            rules=EVERYWHERE,
            facts=FACTS,
        )
        made.account.allow_in(self.namespace, AT_HOME)

    def links(self) -> dict[str, list[dict[str, object]]]:
        """The file of links: those of components by who offers them, then the stack's own."""
        given = [each.value for each in self.platform.all(WebLink)]
        links = [DashboardLink(text=x.text, link=x.path, group=x.group, icon=x.icon or "icons:launch") for x in given]
        found: dict[str, list[dict[str, object]]] = {name: [] for name in _LISTS.values()}
        for link in (*links, *self.config.links):
            found[_LISTS[link.group]].append(_entry(link))
        return found

    def _container(self) -> Container:
        identity, access = self.one(Identity).value, self.one(AccessManagement).value
        metrics, grafana = self.maybe(METRICS), self.maybe(GRAFANA)
        told = {
            "PROFILES_KFAM_SERVICE_HOST": access.host,
            "PROFILES_KFAM_SERVICE_PORT": str(access.port),
            "USERID_HEADER": identity.user_header,
            "USERID_PREFIX": identity.user_prefix,
            "REGISTRATION_FLOW": "true" if access.registration else "false",
            # The mesh lets in the gateway alone, so that no Prometheus could read them.
            "COLLECT_METRICS": "false",
            "DASHBOARD_CONFIGMAP": CONFIG,
            "LOGOUT_URL": self.config.logout,
            **({"PROMETHEUS_URL": metrics.value.address} if metrics and metrics.value.address else {}),
            **({"METRICS_DASHBOARD": grafana.value.address} if grafana and grafana.value.address else {}),
        }
        return {
            "name": NAME,
            "image": self.release.image,
            "env": env({"POD_NAMESPACE": from_field("metadata.namespace"), **told}),
            "readinessProbe": http_probe("/healthz", PORT),
            "livenessProbe": http_probe("/healthz", PORT, delay=30, period=30),
            "resources": {"requests": {"cpu": "20m", "memory": "128Mi"}, "limits": {"memory": "512Mi"}},
        }


_LISTS = {
    "menu": "menuLinks",
    "external": "externalLinks",
    "documentation": "documentationItems",
    "shortcut": "quickLinks",
}


def _entry(link: DashboardLink) -> dict[str, object]:
    if link.group == "menu":
        return {"type": "item", "text": link.text, "link": link.link, "icon": link.icon}
    if link.group == "external":
        return {"type": "item", "iframe": False, "text": link.text, "link": link.link, "icon": link.icon}
    return {"text": link.text, "desc": link.description, "link": link.link}


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
