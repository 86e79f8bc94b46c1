"""Workspaces: Kubeflow's notebooks 2.0, a preview. Controller, backend and page; a kind from what the stack has.

The backend believes the headers with user and groups, and asks the API server what that person may do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, cast

from pydantic import Field

from platform_def.apis.core.core_v1 import Container, PodSpec
from platform_def.apis.kubeflow.workspace_v1beta1 import WORKSPACE_KIND
from platform_def.capabilities import CertificateIssuer, Identity, WebLink
from platform_def.components.notebooks import controllers
from platform_def.components.notebooks.workspaces import rules
from platform_def.components.notebooks.workspaces.kind import SERVERS, jupyterlab
from platform_def.components.notebooks.workspaces.releases import BACKEND, CONTROLLER, RELEASES, WorkspacesRelease
from platform_def.config.model import Image, Name
from platform_def.constructs import (
    READ,
    RESTRICTED_LEVEL,
    AccountNames,
    AdmissionServer,
    Alerts,
    Component,
    ComponentConfig,
    Crds,
    Health,
    Hook,
    ImageFacts,
    LeaderElection,
    Need,
    Offers,
    Operator,
    PeopleRoles,
    Problem,
    Resource,
    RuntimePath,
    Setting,
    WebApp,
    access_problems,
    controller_alerts,
    env,
    grants,
    http_probe,
    need,
    port,
    rule,
    web_links,
)

NAME, API, PAGE = "workspaces-controller", "workspaces-backend", "workspaces-frontend"
PATH, API_PATH, CONNECT = "/workspaces/", "/workspaces/api/", "/workspace/connect/"
LINK = WebLink(text="Workspaces (preview)", path=PATH, icon="book")
IDENTITY = need(Identity, order="any")
SECONDS = {"m": 60, "h": 3600, "d": 24 * 3600}
Duration = Annotated[str, Field(pattern=r"^[1-9][0-9]{0,5}[mhd]$")]


class WorkspacesConfig(ComponentConfig):
    """What a stack may choose about workspaces."""

    releases = RELEASES

    namespace: Name = "kubeflow-workspaces"
    """Namespace of the programs, upstream's."""
    jupyterlab: bool = True
    """Have a WorkspaceKind `jupyterlab` on the pools and the mirror of the stack; without any kind no workspace can be
    created."""
    images: Annotated[list[Image], Field(min_length=1)] | None = None
    """Images of that kind, the first chosen at first; by default upstream's, CUDA ones where there are GPUs."""
    idle_after: Duration | None = None
    """How long after its last activity a workspace of that kind is paused: `90m`, `12h`. Absent: never."""


class Workspaces(Component[WorkspacesConfig, WorkspacesRelease]):
    """CRDs, controller with its webhook, backend and page, a kind, and roles for people."""

    pod_security = RESTRICTED_LEVEL
    gives = (WebLink,)
    needs = (need(CertificateIssuer), IDENTITY)

    @classmethod
    def needs_of(cls, at: Setting[WorkspacesConfig]) -> tuple[Need[Any], ...]:  # noqa: ARG003 - the same everywhere
        """Who signs the webhook's certificate, and who people are."""
        return cls.needs

    @classmethod
    def offers(cls, at: Setting[WorkspacesConfig]) -> Offers:
        """A link to the page."""
        return Offers(capabilities=web_links(at, "people", LINK))

    @classmethod
    def problems(cls, at: Setting[WorkspacesConfig]) -> Iterator[Problem]:
        """A gateway that its routes do not reach; groups that anyone could claim."""
        yield from controllers.problems(at, "workspaces")
        yield from access_problems(at, "people", "namespace")
        identity = at.maybe(IDENTITY)
        if identity and not identity.value.groups_header:
            text = f"components.{at.name}: its backend believes a header with groups, and no gateway writes one here"
            hint = "write `groupsHeader: kubeflow-groups` under `external: {identity: …}`; `dex` has one"
            yield Problem(text, hint=hint, at=("components", at.name))

    @classmethod
    def runtime_images(cls, at: Setting[WorkspacesConfig]) -> tuple[str, ...]:
        """Images of the kind."""
        return images(at) if at.config.jupyterlab else ()

    def build(self) -> None:
        """Everything that runs workspaces."""
        Crds(self)
        self.awaits("VirtualService.networking.istio.io")
        self._controller()
        self._backend()
        self._page()
        RuntimePath(self, "workspace-connections", path=CONNECT)
        if self.config.jupyterlab:
            idle = self.config.idle_after
            seconds = int(idle[:-1]) * SECONDS[idle[-1]] if idle else None
            spec: Any = jupyterlab(
                self.platform.node_pools, images=images(self.setting), mirror=self.image, idle_seconds=seconds
            )
            Resource(self, WORKSPACE_KIND, "jupyterlab", spec=spec, part="after")
        workspaces = [each for each in self.served if each.api.kind == "Workspace"]
        kinds = [each for each in self.served if each.api.kind == "WorkspaceKind"]
        PeopleRoles(self, workspaces, name="workspaces", view=grants(kinds, READ))
        Alerts(self, [*controller_alerts(NAME)])

    def _controller(self) -> None:
        container: Container = {
            "name": "manager",
            "image": self.release.image,
            "command": ["/manager"],
            "args": ["--health-probe-bind-address=:8081", "--metrics-bind-address=:8080"],
            "env": env(
                {
                    "USE_ISTIO": "true",
                    "ISTIO_GATEWAY": controllers.gateway(self),
                    # The program reads this name; upstream's manifests set ISTIO_HOST.
                    "ISTIO_HOSTS": controllers.HOST,
                    "CLUSTER_DOMAIN": self.platform.dns_domain,
                }
            ),
            "ports": [{"name": "https-webhook", "containerPort": 9443, "protocol": "TCP"}],
            "resources": {"requests": {"cpu": "20m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        }
        Operator(
            self,
            NAME,
            container=container,
            rules=rules.CONTROLLER,
            names=AccountNames(role="workspaces-manager-role"),
            leader_election=LeaderElection(
                lease="kubeflow-workspace-controller", role="workspaces-leader-election-role"
            ),
            health=Health(8081),
            metrics=8080,
            webhook=AdmissionServer(
                validating=[_hook("workspace", "CREATE UPDATE"), _hook("workspacekind", "CREATE UPDATE DELETE")],
                secret="webhook-server-cert",  # noqa: S106 - its name
                trust="cert-manager",
                certificate="workspaces-serving-cert",
                configuration="workspaces-validating-webhook-configuration",
                service="workspaces-webhook-service",
                port=port("https-webhook", 443, 9443),
            ),
            facts=CONTROLLER,
        )

    def _backend(self) -> None:
        identity = self.one(IDENTITY).value
        container: Container = {
            "name": API,
            "image": self.release.backend,
            "env": env(
                {
                    "PORT": "4000",
                    "PROXY_URL_PREFIX": PATH.rstrip("/"),
                    "USERID_HEADER": identity.user_header,
                    "USERID_PREFIX": identity.user_prefix,
                    # Without one there is a problem; the user's own header then, of which no group is called so.
                    "GROUPS_HEADER": identity.groups_header or identity.user_header,
                }
            ),
            "readinessProbe": http_probe("/api/v1/healthcheck", 4000),
            "livenessProbe": http_probe("/api/v1/healthcheck", 4000, delay=30, period=30),
            "resources": {"requests": {"cpu": "50m", "memory": "256Mi"}, "limits": {"memory": "1Gi"}},
        }
        WebApp(
            self,
            API,
            container=container,
            access="people",
            path=API_PATH,
            rewrite="/api/",
            target=4000,
            service_port=4000,
            rules=rules.BACKEND,
            facts=BACKEND,
        )

    def _page(self) -> None:
        container: Container = {
            "name": PAGE,
            "image": self.release.frontend,
            "env": env({"PORT": "8080"}),
            "readinessProbe": http_probe("/", 8080),
            "livenessProbe": http_probe("/", 8080, delay=30, period=30),
            "resources": {"requests": {"cpu": "20m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        }
        WebApp(
            self,
            PAGE,
            container=container,
            access="people",
            path=PATH,
            rewrite="/",
            target=8080,
            service_port=8080,
            facts=ImageFacts(user=101, source="workspaces/frontend/Dockerfile at v2.0.0-beta.0: nginx as user 101"),
            pod=cast(PodSpec, {"automountServiceAccountToken": False}),
        )


def images(at: Setting[WorkspacesConfig]) -> tuple[str, ...]:
    """Images of the kind."""
    if at.config.images:
        return tuple(at.config.images)
    return (*SERVERS.jupyter, *(SERVERS.cuda if any(pool.gpu for pool in at.platform.node_pools) else ()))


def _hook(kind: str, operations: str) -> Hook:
    return Hook(
        name=f"v{kind}.kb.io",
        path=f"/validate-kubeflow-org-v1beta1-{kind}",
        rules=[rule("kubeflow.org", "v1beta1", f"{kind}s", operations)],
    )
