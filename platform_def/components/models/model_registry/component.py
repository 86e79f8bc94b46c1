"""Kubeflow's model registry: a registry for each team, one catalogue, pages, and what ties models to KServe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from platform_def.apis.core.core_v1 import Container
from platform_def.capabilities import AuthorizationService, GatewayPath, Identity, SqlDatabase, WebLink
from platform_def.capabilities.secrets import needs_of
from platform_def.components.models.model_registry import catalog, kserve, server
from platform_def.components.models.model_registry.config import UI, ModelRegistryConfig, Registry
from platform_def.constructs import (
    READ,
    RESTRICTED_LEVEL,
    Alerts,
    Component,
    Need,
    Offers,
    Problem,
    Setting,
    WebApp,
    access_problems,
    allow,
    database_need,
    need,
    web_links,
)
from platform_def.constructs.route import gateway_of

UI_NAME, UI_PORT, PATH = "model-registry-ui", 8080, "/model-registry/"
LINK = WebLink(text="Model Registry", path=PATH, icon="kubeflow:models")
UI_RULES = (
    # Registries are Services that it finds by a label; people see those of namespaces in which they may read Services.
    allow("", "services", verbs=READ),
    allow("", "namespaces", verbs="list"),  # upstream's role lacks it, and its list of namespaces then stays empty
    allow("rbac.authorization.k8s.io", "clusterrolebindings", verbs=READ),
    allow("authorization.k8s.io", "subjectaccessreviews", verbs="create"),
)
HEADER = "kubeflow-userid"
"""The header that the pages believe; no flag changes it."""


class ModelRegistry(Component[ModelRegistryConfig]):
    """Registries, catalogue, pages, and the controller for KServe."""

    pod_security = RESTRICTED_LEVEL
    gives = (WebLink, GatewayPath)

    @classmethod
    def needs_of(cls, at: Setting[ModelRegistryConfig]) -> tuple[Need[Any], ...]:
        """A database; who people are; who keeps the token of Hugging Face."""
        optional = (
            need(Identity, order="any", optional=True),
            need(AuthorizationService, order="any", optional=True),
        )
        return (database_need(order="any"), *optional, *needs_of(at.config.catalog.hugging_face))

    @classmethod
    def offers(cls, at: Setting[ModelRegistryConfig]) -> Offers:
        """A link to the pages, and the paths where programs come."""
        links = web_links(at, at.config.access, LINK) if at.config.ui else ()
        served = at.config.access != "administrators" and at.platform.gateway != "none"
        paths = [server.path_of(name) for name in registries(at)] if served else []
        return Offers(capabilities=(*links, *(GatewayPath(path=each, access="api") for each in paths)))

    @classmethod
    def problems(cls, at: Setting[ModelRegistryConfig]) -> Iterator[Problem]:
        """Pages that no one or everyone could reach, a header that they do not read, a catalogue without PostgreSQL."""
        here, knob = ("components", at.name), f"components.{at.name}"
        yield from access_problems(at, at.config.access, "access")
        served = gateway_of(at.platform) is not None and at.config.access == "people"
        if served and at.maybe(AuthorizationService) is None:
            text = f"{knob}.access: nothing in the stack asks who a request is from, and a registry lets everyone in"
            hint = "add oauth2-proxy, name an `external: {authorizationService: …}`, or write `access: administrators`"
            yield Problem(text, hint=hint, at=(*here, "access"))
        identity = at.maybe(Identity)
        if at.config.ui and at.config.access == "people" and identity and identity.value.user_header != HEADER:
            text = f"{knob}.ui: its pages read who people are from the header {HEADER}, and {identity.by} writes"
            hint = f"let it write {HEADER}, or leave the pages out: `ui: false`"
            yield Problem(f"{text} {identity.value.user_header}", hint=hint, at=here)
        database = at.maybe(SqlDatabase)
        if at.config.catalog.enabled and database and database.value.engine != "postgresql":
            text = f"{knob}.catalog: it works on PostgreSQL only, and {database.by} gives {database.value.engine}"
            yield Problem(text, hint="choose a PostgreSQL by `uses: {sqlDatabase: …}`", at=(*here, "catalog"))

    @classmethod
    def runtime_images(cls, at: Setting[ModelRegistryConfig]) -> tuple[str, ...]:
        """What fetches models that InferenceServices name by a registry."""
        chosen = at.config.controller
        tied = at.platform.serves(kserve.KIND) if chosen is None else chosen
        return (cls.release_of(at.config).images["storage"],) if tied else ()

    @property
    def cataloged(self) -> bool:
        """Whether there is a catalogue."""
        chosen = self.config.catalog.enabled
        return self.one(SqlDatabase).value.engine == "postgresql" if chosen is None else chosen

    @property
    def tied(self) -> bool:
        """Whether InferenceServices are written down."""
        chosen = self.config.controller
        return self.platform.serves(kserve.KIND) if chosen is None else chosen

    def build(self) -> None:
        """Everything that registers."""
        for name, registry in registries(self.setting).items():
            server.registry(self, name, registry)
        if self.cataloged:
            catalog.catalog(self)
        if self.config.ui:
            self._ui()
        if self.tied:
            kserve.controller(self, next(iter(registries(self.setting))))
            Alerts(self, kserve.RULES)

    def _ui(self) -> None:
        container: Container = {
            "name": UI_NAME,
            "image": self.release.images["ui"],
            "args": ["--deployment-mode=kubeflow", f"--port={UI_PORT}"],
            "readinessProbe": {"httpGet": {"path": "/healthcheck", "port": UI_PORT}},
            "livenessProbe": {"httpGet": {"path": "/healthcheck", "port": UI_PORT}},
            # Upstream asks for half a core and two gigabytes, for a program that hands requests on.
            "resources": {"requests": {"cpu": "20m", "memory": "128Mi"}, "limits": {"memory": "2Gi"}},
        }
        WebApp(
            self,
            UI_NAME,
            container=container,
            access=self.config.access,
            path=PATH,
            rewrite="/",
            target=UI_PORT,
            rules=UI_RULES,
            facts=UI,
        )


def registries(at: Setting[ModelRegistryConfig]) -> Mapping[str, Registry]:
    """The registries by name."""
    if at.config.registries is not None:
        return at.config.registries
    return {team.name: Registry() for team in at.platform.teams} or {server.ONLY: Registry()}
