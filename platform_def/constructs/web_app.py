"""Web applications of components: pods, Service, route, and who may reach them.

Many trust a header that says who the person is. That is safe only where the gateway writes it and nothing else can
reach the pods, so such an application is closed to all but the gateway, or has no route at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, cast

from platform_def.apis.core.core_v1 import Container, PodSpec
from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.capabilities import Gateway, Identity, Mesh, WebLink
from platform_def.constructs.component import AnyComponent, Piece, Scope, Setting, merged_labels
from platform_def.constructs.mesh import in_mesh
from platform_def.constructs.network_policy import NetworkPolicy, Opening, from_namespace, from_pods
from platform_def.constructs.rbac import Account
from platform_def.constructs.resource import Resource
from platform_def.constructs.route import Route, gateway_of
from platform_def.constructs.security import ImageFacts, secured
from platform_def.constructs.service import Service, port
from platform_def.constructs.workloads.jobs import OUT_OF_MESH
from platform_def.constructs.workloads.services import Deployment
from platform_def.errors import Problem

Access = Literal["people", "everyone", "administrators"]
"""Who may use an application: `people` whom the stack's identity provider knows, each with their own rights;
`everyone` who reaches the gateway, with all rights that the application has; `administrators`, likewise, by
`kubectl port-forward` alone: there is no route then."""


class WebApp(Piece):
    """Account, Deployment, Service, route and authorisation of a web application."""

    def __init__(
        self,
        scope: Scope,
        name: str,
        *,
        container: Container,
        access: Access,
        path: str,
        target: int,
        service_port: int = 80,
        account: str = "",
        rules: Sequence[PolicyRule] = (),
        role: str = "",
        service: str = "",
        rewrite: str | None = None,
        websocket: bool = False,
        timeout_seconds: int = 60,
        ha_replicas: int = 2,
        facts: ImageFacts | None = None,
        pod: PodSpec | None = None,
        pod_labels: Mapping[str, str] | None = None,
        pod_annotations: Mapping[str, str] | None = None,
    ):
        """`path` is where the gateway serves it, `target` the container's port, `rules` what it may do everywhere.

        Account, role and Service are called as the application unless `account`, `role` and `service` say otherwise.

        `ha_replicas` of 0: it keeps something in memory, so that one pod alone may serve. `pod` holds further fields of
        the pod. Raises ConfigError where `access` is `people` and the stack has no identity provider.
        """
        super().__init__(scope, name)
        self.name = self.component.named(name)
        gateway = gateway_of(self.component.platform) if access != "administrators" else None
        meshed = gateway is not None and in_gateways_mesh(self.component, gateway)
        self.account = Account(self, self.component.named(account) if account else self.name)
        if rules:
            self.account.allow(rules, role=self.component.named(role) if role else "")
        made = cast(Container, {"ports": [{"name": "http", "containerPort": target, "protocol": "TCP"}], **container})
        context = secured(facts, container.get("securityContext"))
        if context:
            made["securityContext"] = context
        given = pod or cast(PodSpec, {})
        whole: PodSpec = {
            "serviceAccountName": self.account.name,
            "enableServiceLinks": False,
            **given,
            "containers": [made],
        }
        Deployment(
            self,
            self.name,
            pod=whole,
            ha_replicas=ha_replicas,
            pod_labels=merged_labels(pod_labels, in_mesh(self.component) if meshed else None),
            pod_annotations=merged_labels(pod_annotations, None if meshed else OUT_OF_MESH) or None,
        )
        reached = self.component.named(service) if service else self.name
        self.service = Service(self, reached, ports=[port("http", service_port, target)], workload=self.name)
        if access != "administrators":
            Route(
                self,
                self.name,
                path=path,
                service=reached,
                port=service_port,
                rewrite=rewrite,
                websocket=websocket,
                timeout_seconds=timeout_seconds,
            )
        if access != "everyone":
            close(self, self.name, target, gateway=gateway, meshed=meshed)


def close(
    scope: Piece | AnyComponent,
    name: str,
    target: int,
    *,
    gateway: Gateway | None,
    meshed: bool,
    also: Sequence[Opening] = (),
) -> None:
    """Let in the gateway alone, or no one; a port-forward comes from the node and is not held up by a policy.

    `also` are further openings; a mesh knows only the gateway.
    """
    component = scope.component if isinstance(scope, Piece) else scope
    if gateway and meshed:
        from platform_def.apis.istio.security_v1 import AUTHORIZATION_POLICY  # large, and rarely needed

        mesh = component.one(Mesh).value
        principal = f"{mesh.trust_domain}/ns/{gateway.namespace}/sa/{gateway.account}"
        Resource(
            scope,
            AUTHORIZATION_POLICY,
            name,
            spec={
                "action": "ALLOW",
                "selector": {"matchLabels": component.selector(name)},
                "rules": [{"from": [{"source": {"principals": [principal]}}]}],
            },
        )
        return
    openings: list[Opening] = [*also]
    if gateway and gateway.pods:
        openings.append(from_pods(gateway.pods, target, namespace=gateway.namespace))
    elif gateway:
        openings.append(from_namespace(target, name=gateway.namespace))
    NetworkPolicy(scope, name, openings=openings)


def user_env(component: AnyComponent, access: Access) -> dict[str, str]:
    """How Kubeflow's web applications are configured to know people: by the gateway's header, or not at all.

    Raises ConfigError where the stack has no identity provider and `access` is `people`.
    """
    if access != "people":
        return {"APP_DISABLE_AUTH": "true"}
    identity = component.one(Identity).value
    return {
        "APP_DISABLE_AUTH": "false",
        "USERID_HEADER": identity.user_header,
        "USERID_PREFIX": identity.user_prefix,
    }


def web_links(at: Setting[Any], access: Access, *links: WebLink) -> tuple[WebLink, ...]:
    """The links that a dashboard may show: those to pages that have a route."""
    return links if access != "administrators" and at.platform.gateway != "none" else ()


def access_problems(at: Setting[Any], access: Access, field: str) -> Iterator[Problem]:
    """Why no one, or everyone, could reach an application in this stack; `field` is the component's: `ui.access`."""
    here = ("components", at.name, *field.split("."))
    knob = f"components.{at.name}.{field}"
    alone = f"or write `{field.rpartition('.')[2]}: administrators` to reach it by port-forward alone"
    if access == "administrators":
        return
    gateway = gateway_of(at.platform)
    if gateway is None:
        text = f"{knob}: the stack has no gateway, so {access} could not reach its pages"
        yield Problem(text, hint=f"add one and name it under `gateway:`, {alone}", at=here)
        return
    if access == "everyone":
        return
    if in_gateways_mesh(at, gateway):
        yield from redirection_problems(at, knob, at=here, instead=alone)
    if at.maybe(Identity) is None:
        text = f"{knob}: nothing in the stack says who a request is from, and anybody can write the header it believes"
        yield Problem(text, hint=f"name an identity provider under `external: {{identity: …}}`, {alone}", at=here)
    if gateway.on_nodes and not in_gateways_mesh(at, gateway):
        text = (
            f"{knob}: {at.platform.gateway} is on the nodes' network, where no policy tells it from who forges a user"
        )
        hint = f"let traffic enter in another way than `ingress: {{kind: hostNetwork}}`, {alone}"
        yield Problem(text, hint=hint, at=here)


def redirection_problems(
    setting: Setting[Any], knob: str, *, at: tuple[str | int, ...], instead: str = ""
) -> Iterator[Problem]:
    """Why pods in the mesh could not start in the component's namespace: `instead` is what else a stack could write."""
    mesh = setting.maybe(Mesh)
    if mesh is None or mesh.value.redirected:
        return
    text = (
        f"{knob}: its pods are in the mesh of {mesh.by}, and without a CNI plugin of the mesh's they start with a "
        f"right, NET_ADMIN, that the namespace {setting.config.namespace} does not allow"
    )
    hint = "add `istio-cni: {}` under components" + (f", {instead}" if instead else "")
    yield Problem(text, hint=hint, at=at)


def in_gateways_mesh(at: AnyComponent | Setting[Any], gateway: Gateway) -> bool:
    """Whether a mesh proves to the application that requests come from the gateway."""
    known = "istio" in (gateway.api, gateway.controller) and bool(gateway.account)
    return known and at.maybe(Mesh) is not None
