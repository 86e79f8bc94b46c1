"""Kubeflow's web applications for notebooks, volumes and TensorBoards: three programs on one frame.

The frame (`crud_backend`) serves port 5000 below a prefix that the gateway takes off, believes the header with the
user's name, and asks the API server by SubjectAccessReviews what that person may do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from platform_def.apis.core.core_v1 import Container, PodSpec
from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.capabilities import AccessManagement, Identity, WebLink
from platform_def.config.model import Name
from platform_def.constructs import (
    Access,
    Component,
    ComponentConfig,
    ImageFacts,
    Need,
    Offers,
    Piece,
    Problem,
    Setting,
    WebApp,
    access_problems,
    allow,
    config_map,
    env,
    http_probe,
    need,
    restart_on_change,
    user_env,
    web_links,
)

PORT = 5000
FACTS = ImageFacts(runs_as=1000, source="manifests/base/deployment.yaml of crud-web-apps at v1.11.0")
ASKS: PolicyRule = allow("authorization.k8s.io", "subjectaccessreviews", verbs="create")
KNOWS: tuple[Need[Any], ...] = (need(Identity, order="any", optional=True),)


class CrudAppConfig(ComponentConfig):
    """What a stack may choose about such an application."""

    namespace: Name = "kubeflow"
    """Namespace of the application, upstream's."""
    access: Access = "people"
    """Who may use it: `people` whom the identity provider knows, with their own rights; `everyone` who reaches the
    gateway, with all rights that it has; `administrators`, likewise, by port-forward alone, without a route."""


@dataclass(frozen=True, kw_only=True)
class AppFile:
    """A file that the application reads."""

    config_map: str
    name: str
    text: str
    folder: str = "/etc/config"


class CrudApp(Piece):
    """One of the applications, under the names that upstream gives its objects."""

    def __init__(
        self,
        scope: Component[Any, Any],
        *,
        path: str,
        rules: Sequence[PolicyRule],
        files: Sequence[AppFile] = (),
        variables: Mapping[str, str] | None = None,
    ):
        """`path` begins and ends with `/`; `rules` are what the application does, for every person."""
        super().__init__(scope, scope.slug)
        slug, access = scope.slug, scope.config.access
        for each in files:
            config_map(self, each.config_map, {each.name: each.text})
        # Plain HTTP, as with a port-forward, carries no cookie that is for HTTPS alone.
        https = access != "administrators" and (scope.platform.ingress.address() or "").startswith("https:")
        told = {
            "APP_PREFIX": path.rstrip("/") if access != "administrators" else "/",
            "APP_SECURE_COOKIES": "true" if https else "false",
            "METRICS": "1",
            **user_env(scope, access),
            **(variables or {}),
        }
        container: Container = {
            "name": slug,
            "image": scope.release.image,
            "env": env(told),
            "readinessProbe": http_probe("/healthz/readiness", PORT),
            "livenessProbe": http_probe("/healthz/liveness", PORT, delay=10, period=30),
            "resources": {"requests": {"cpu": "20m", "memory": "192Mi"}, "limits": {"memory": "512Mi"}},
        }
        pod: PodSpec = {}  # type: ignore[typeddict-item]
        if files:
            container["volumeMounts"] = [
                {
                    "name": each.config_map,
                    "mountPath": f"{each.folder}/{each.name}",
                    "subPath": each.name,
                    "readOnly": True,
                }
                for each in files
            ]
            pod["volumes"] = [{"name": each.config_map, "configMap": {"name": each.config_map}} for each in files]
        WebApp(
            self,
            f"{slug}-deployment",
            container=container,
            access=access,
            path=path,
            rewrite="/",
            target=PORT,
            account=f"{slug}-service-account",
            role=f"{slug}-cluster-role",
            service=f"{slug}-service",
            rules=[ASKS, *rules],
            facts=FACTS,
            pod=pod,
            pod_annotations=restart_on_change(*(each.text for each in files)) if files else None,
        )


def offers(at: Setting[Any], link: WebLink) -> Offers:
    """A link to the application's page."""
    return Offers(capabilities=web_links(at, at.config.access, link))


def problems(at: Setting[Any]) -> Iterator[Problem]:
    """An application that all or none could reach."""
    yield from access_problems(at, at.config.access, "access")


def account_problems(at: Setting[Any], what: str) -> Iterator[Problem]:
    """Pods that would not start: `what` runs under an account that only Profiles have, by a name compiled in."""
    if not at.platform.all(AccessManagement):
        text = f"components.{at.name}: {what} run under the account default-editor, which nothing in the stack makes"
        hint = "add `profiles: {owners: {…}}` under components"
        yield Problem(text, hint=hint, at=("components", at.name))
