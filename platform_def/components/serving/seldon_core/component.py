"""Seldon Core 1: serves models as graphs of predictors, transformers and routers, with canaries and explainers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from platform_def.apis.core.core_v1 import Container
from platform_def.apis.core.meta_v1 import LabelSelector
from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.capabilities import AuthorizationService, CertificateIssuer, GatewayPath, Metrics
from platform_def.components.serving.seldon_core import models, rules
from platform_def.components.serving.seldon_core.config import SeldonCoreConfig, servers_of
from platform_def.components.serving.seldon_core.configuration import (
    CONFIG,
    KEDA,
    LEASE,
    METRICS_PATH,
    files,
    routes_of,
    variables,
)
from platform_def.components.serving.seldon_core.releases import (
    BOARD,
    CONTROLLER,
    FACTS,
    RULES,
    SeldonRelease,
)
from platform_def.constructs import (
    RESTRICTED_LEVEL,
    WRITE,
    AdmissionServer,
    Alerts,
    Component,
    Crds,
    Dashboards,
    Hook,
    LeaderElection,
    Offers,
    Operator,
    PeopleRoles,
    PodSettings,
    Problem,
    Resource,
    Setting,
    config_map,
    grants,
    need,
    port,
    restart_on_change,
    rule,
)
from platform_def.constructs.route import gateway_of

PATH = "/seldon/"
"""What the controller's routes begin with; gRPC calls have paths of their own."""
PROTOCOLS = ("/seldon.protos.*", "/tensorflow.*", "/inference.*")
"""Paths of gRPC calls that its routes for Istio take."""
NO_ID: LabelSelector = {"matchExpressions": [{"key": "seldon.io/controller-id", "operator": "DoesNotExist"}]}


class SeldonCore(Component[SeldonCoreConfig, SeldonRelease]):
    """CRD, controller with its webhook, configuration of servers, and roles for people who deploy models."""

    pod_security = RESTRICTED_LEVEL
    needs = (need(CertificateIssuer),)
    gives = (GatewayPath,)

    @classmethod
    def offers(cls, at: Setting[SeldonCoreConfig]) -> Offers:
        """The path of models, where programs come and not browsers."""
        served = at.config.routes and at.platform.gateway != "none"
        return Offers(capabilities=(GatewayPath(path=PATH, access="api"),) if served else ())

    @classmethod
    def problems(cls, at: Setting[SeldonCoreConfig]) -> Iterator[Problem]:
        """A gateway whose API the controller does not know, or whose routes need what it does not write."""
        release = cls.release_of(at.config)
        yield from models.problems(at, {each: servers_of(release, at.config, each) for each in release.servers})
        gateway = gateway_of(at.platform) if at.config.routes else None
        here, knob = ("components", at.name), f"components.{at.name}"
        if gateway and gateway.api == "gateway-api":
            text = f"{knob}: it writes the routes to models itself, for Emissary or Istio, and {at.platform.gateway}"
            hint = "choose another gateway, or write `routes: false`: models then answer inside the cluster only"
            yield Problem(f"{text} serves those of gateway-api", hint=hint, at=here)
        if gateway and gateway.api == "istio" and at.config.short_paths:
            text = f"{knob}.shortPaths: its routes for Istio always name the namespace"
            yield Problem(text, hint="leave it out, or choose Emissary as the gateway", at=(*here, "shortPaths"))
        # Routes that name none are those of the instance that is called so.
        if gateway and gateway.api == "emissary" and gateway.identified and gateway.name != "default":
            text = f"{knob}: routes to {at.platform.gateway} must name it, and the controller names none by itself"
            hint = "give each SeldonDeployment the annotation `seldon.io/ambassador-id`, and write `routes: false` here"
            yield Problem(text, hint=hint, at=here)

    @classmethod
    def runtime_images(cls, at: Setting[SeldonCoreConfig]) -> tuple[str, ...]:
        """What runs where the models are."""
        release = cls.release_of(at.config)
        every = (image for server in release.servers for image in servers_of(release, at.config, server).values())
        return (release.executor, release.storage_initializer, *release.explainers.values(), *every)

    def build(self) -> None:
        """Everything that serves SeldonDeployments."""
        Crds(self)
        gateway = routes_of(self)
        if gateway and gateway.api == "istio":
            self.awaits("VirtualService.networking.istio.io", "DestinationRule.networking.istio.io")
        text = files(self)
        config_map(self, CONFIG, text)
        Operator(
            self,
            CONTROLLER,
            container=self._container(),
            rules=[*self._rules()],
            leader_election=LeaderElection(flag="--enable-leader-election", lease=LEASE),
            metrics=port("metrics", 8080),
            webhook=AdmissionServer(
                validating=[hook()],
                secret="seldon-webhook-server-cert",  # noqa: S106 - its name
                trust="cert-manager",
                certificate="seldon-serving-cert",
                configuration="seldon-validating-webhook-configuration-seldon-system",
                port=port("webhook-server", 443, 4443),
                service="seldon-webhook-service",
            ),
            facts=FACTS,
            pod=PodSettings(annotations=restart_on_change(*text.values())),
        )
        self._ask_first()
        models.models(self)
        PeopleRoles(self)
        self._monitor_models()
        Dashboards(self, [BOARD], tables=Alerts(self, RULES).tables)

    def _container(self) -> Container:
        return {
            "name": "manager",
            "image": self.release.image,
            "command": ["/manager"],
            "args": [
                "--webhook-port=4443",
                "--metrics-addr=:8080",
                "--log-level=INFO",
                f"--leader-election-id={LEASE}",
                "--leader-election-resource-lock=leases",
            ],
            "env": variables(self),
            "resources": {"requests": {"cpu": "100m", "memory": "200Mi"}, "limits": {"memory": "1Gi"}},
        }

    def _rules(self) -> Iterator[PolicyRule]:
        yield from rules.RULES
        yield from grants(self.served, WRITE)
        yield from grants(self.served, rules.STATUS, "status")
        yield from grants(self.served, rules.STATUS, "finalizers")
        gateway = routes_of(self)
        if gateway and gateway.api == "istio":
            yield from rules.ISTIO
        if self.platform.serves(KEDA):
            yield from rules.KEDA

    def _ask_first(self) -> None:
        """At Istio, the stack's authorization service is asked about models too: no Route of ours leads to them."""
        gateway, asked = routes_of(self), self.maybe(AuthorizationService)
        if not (gateway and gateway.api == "istio" and asked):
            return
        from platform_def.apis.istio.security_v1 import AUTHORIZATION_POLICY, AuthorizationPolicySpec  # large

        spec = {
            "action": "CUSTOM",
            "provider": {"name": asked.value.name},
            **({"selector": {"matchLabels": dict(gateway.pods)}} if gateway.pods else {}),
            "rules": [{"to": [{"operation": {"paths": [f"{PATH}*", *PROTOCOLS]}}]}],
        }
        made = cast(AuthorizationPolicySpec, spec)
        Resource(self, AUTHORIZATION_POLICY, "seldon-models", spec=made, namespace=gateway.namespace, part="after")

    def _monitor_models(self) -> None:
        """Executors and Python servers export metrics in the namespaces of people, without a Service of their own."""
        if not self.monitored:
            return
        from platform_def.apis.prometheus_operator.v1 import POD_MONITOR  # large, and rarely needed

        given = self.maybe(Metrics)
        Resource(
            self,
            POD_MONITOR,
            "seldon-models",
            spec={
                "namespaceSelector": {"any": True},
                "selector": {"matchExpressions": [{"key": "seldon-deployment-id", "operator": "Exists"}]},
                "podMetricsEndpoints": [{"port": "metrics", "path": METRICS_PATH, "interval": "30s"}],
            },
            labels={**self.labels(), **(given.value.labels if given else {})},
        )


def hook() -> Hook:
    """The webhook for SeldonDeployments; those with a controller's id belong to another one."""
    return Hook(
        name="v1.vseldondeployment.kb.io",
        path="/validate-machinelearning-seldon-io-v1-seldondeployment",
        rules=[rule("machinelearning.seldon.io", "v1", "seldondeployments", "CREATE UPDATE")],
        namespace_selector=NO_ID,
        object_selector=NO_ID,
    )
