"""KServe's models web app: InferenceServices of a team in the browser, with their state, logs and YAML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from platform_def.apis.core.core_v1 import Container
from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.capabilities import Identity, ModelServing, WebLink
from platform_def.config.model import Name
from platform_def.constructs import (
    APACHE,
    RESTRICTED_LEVEL,
    Access,
    Component,
    ComponentConfig,
    ImageFacts,
    Need,
    Offers,
    Problem,
    Release,
    Setting,
    Support,
    Upkeep,
    WebApp,
    access_problems,
    allow,
    env,
    http_probe,
    need,
    releases,
    user_env,
    web_links,
)

NAME, PATH, PORT = "kserve-models-web-application", "/kserve-endpoints/", 5000
LINK = WebLink(text="KServe Endpoints", path=PATH, icon="kubeflow:models")
RELEASES = releases(
    # The manifests of the tag name an older image. SECURITY.md: the newest major release and the one before are mended.
    Release(
        "1.0.1",
        kubernetes="1.25-1.37",
        image="ghcr.io/kserve/models-web-app:1.0.1",
        upkeep=Upkeep(Support.CURRENT),
        needs={"kserve": ">=0.16"},
    ),
    license=APACHE,
)
FACTS = ImageFacts(
    runs_as=1000, source="manifests/kustomize/base/deployment.yaml at v1.0.1; gunicorn writes below /tmp"
)
READ = "get list"
RULES = (
    allow("", "events", verbs=f"{READ} watch"),
    allow("", "namespaces pods pods/log", verbs=READ),
    allow("authorization.k8s.io", "subjectaccessreviews", verbs="create"),  # it asks what the person may do
    allow(
        "serving.kserve.io",
        "inferencegraphs inferenceservices trainedmodels",
        verbs="create delete deletecollection get list patch update watch",
    ),
    allow("serving.kserve.io", "inferencegraphs/status inferenceservices/status trainedmodels/status", verbs=READ),
)
KNATIVE = (
    allow(
        "serving.knative.dev",
        "configurations configurations/status revisions revisions/status routes routes/status services services/status",
        verbs=READ,
    ),
)


class ModelsWebAppConfig(ComponentConfig):
    """What a stack may choose about the models web app."""

    releases = RELEASES

    namespace: Name = "kubeflow"
    """Namespace of the application, upstream's."""
    access: Access = "people"
    """Who may use it: `people` whom the identity provider knows, with their own rights; `everyone` who reaches the
    gateway, with all rights that it has; `administrators`, likewise, by port-forward alone, without a route."""


class ModelsWebApp(Component[ModelsWebAppConfig]):
    """The application behind the gateway."""

    pod_security = RESTRICTED_LEVEL
    gives = (WebLink,)

    @classmethod
    def needs_of(cls, at: Setting[ModelsWebAppConfig]) -> tuple[Need[Any], ...]:  # noqa: ARG003 - the same everywhere
        """KServe, and who people are."""
        return need(ModelServing, order="any"), need(Identity, order="any", optional=True)

    @classmethod
    def offers(cls, at: Setting[ModelsWebAppConfig]) -> Offers:
        """A link to its pages."""
        return Offers(capabilities=web_links(at, at.config.access, LINK))

    @classmethod
    def problems(cls, at: Setting[ModelsWebAppConfig]) -> Iterator[Problem]:
        """Pages that no one, or everyone, could reach."""
        yield from access_problems(at, at.config.access, "access")

    def build(self) -> None:
        """The application; it is configured with its path, and called without it."""
        WebApp(
            self,
            NAME,
            container=self._container(),
            access=self.config.access,
            path=PATH,
            target=PORT,
            rules=self._rules(),
            rewrite="/",
            # It keeps streams of events open.
            timeout_seconds=0,
            facts=FACTS,
        )

    def _container(self) -> Container:
        # Tokens of identity providers make long headers.
        settings = {
            "GUNICORN_CMD_ARGS": "--limit-request-field_size 32000",
            "APP_PREFIX": PATH.rstrip("/"),
            **user_env(self, self.config.access),
        }
        return {
            "name": NAME,
            "image": self.release.image,
            "env": env(settings),
            "livenessProbe": http_probe("/healthz/liveness", "http"),
            "readinessProbe": http_probe("/healthz/readiness", "http"),
            "resources": {"requests": {"cpu": "20m", "memory": "128Mi"}, "limits": {"memory": "512Mi"}},
        }

    def _rules(self) -> list[PolicyRule]:
        knative = self.platform.serves("Service.serving.knative.dev")
        return [*RULES, *(KNATIVE if knative else ())]
