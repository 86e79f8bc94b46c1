"""Knative Serving with net-istio: services behind Istio's gateway that scale with their requests, also to zero."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from platform_def.apis.core.core_v1 import CONFIG_MAP, SECRET
from platform_def.capabilities import AuthorizationService, Gateway, LocalGateway, Mesh, Serverless
from platform_def.components.serving.entry import (
    ServingEntry,
    ask_first,
    certificate,
    certificate_secret,
    entry_of,
    entry_problems,
    existing,
)
from platform_def.components.serving.knative_serving import observation, rules
from platform_def.components.serving.knative_serving.config import KnativeServingConfig
from platform_def.components.serving.knative_serving.configuration import INGRESS_GATEWAY, config_maps
from platform_def.components.serving.knative_serving.programs import programs, run
from platform_def.components.serving.knative_serving.releases import KnativeRelease
from platform_def.components.serving.knative_serving.webhooks import webhooks
from platform_def.config.objects import Drift
from platform_def.constructs import (
    RESTRICTED_LEVEL,
    Account,
    Alerts,
    Component,
    Crds,
    Dashboards,
    Need,
    Offers,
    PeopleRoles,
    Problem,
    Resource,
    Setting,
    need,
)

CERT_MANAGER = "Certificate.cert-manager.io"
READ_AT_START = ("config-leader-election", "config-logging", "config-observability")
"""What the programs read once; they follow changes of the others."""


class KnativeServing(Component[KnativeServingConfig, KnativeRelease]):
    """CRDs, programs, settings, webhooks, and the Gateway for services' hosts."""

    pod_security = RESTRICTED_LEVEL
    gives = (Serverless,)

    @classmethod
    def needs_of(cls, at: Setting[KnativeServingConfig]) -> tuple[Need[Any], ...]:  # noqa: ARG003 - the same everywhere
        """Istio and its gateway for pods; the stack's gateway and who is asked, where there are any."""
        return (
            need(Mesh, api="istio"),
            need(LocalGateway, api="istio"),
            need(Gateway, order="any", optional=True),
            need(AuthorizationService, order="any", optional=True),
        )

    @classmethod
    def offers(cls, at: Setting[KnativeServingConfig]) -> Offers:
        """What KServe must know of it."""
        entry = istio_entry(at)
        local = at.maybe(need(LocalGateway, api="istio"))
        if local is None:
            return Offers()
        inside = local.value
        given = Serverless(
            domain=entry.domain,
            scheme=entry.scheme,
            ingress_gateway=f"{at.config.namespace}/{INGRESS_GATEWAY}",
            local_gateway=f"{inside.namespace}/{inside.name}",
            local_service=f"{inside.service}.{inside.namespace}.svc.{at.platform.dns_domain}",
        )
        return Offers(capabilities=(given,), existing=existing(at))

    @classmethod
    def problems(cls, at: Setting[KnativeServingConfig]) -> Iterator[Problem]:
        """A gateway that is not Istio's; teams whose pods refuse its activator."""
        here, knob = ("components", at.name), f"components.{at.name}"
        entry = entry_of(at)
        if entry.gateway and not _of_istio(entry.gateway):
            text = (
                f"{knob}: net-istio opens services at Istio's gateway alone, and the stack's is {at.platform.gateway}"
            )
            yield Problem(text, hint="choose a gateway of Istio's, or write `access: cluster`", at=here)
            return
        yield from entry_problems(at)
        mesh = at.maybe(need(Mesh, api="istio"))
        homes = [team.home for team in at.platform.teams]
        for home in homes if mesh and mesh.value.strict else ():
            if mesh and home in mesh.value.namespaces:
                text = (
                    f"{knob}: pods of {home} take connections of the mesh alone, and Knative's activator is not in it"
                )
                hint = f"leave {home} out of `inject`, or write `mtls: permissive`, under {mesh.by}"
                yield Problem(text, hint=hint, at=here)

    @classmethod
    def runtime_images(cls, at: Setting[KnativeServingConfig]) -> tuple[str, ...]:
        """The sidecar that it puts into every pod of a service."""
        return (cls.release_of(at.config).queue,)

    def build(self) -> None:
        """Everything that serves Knative's services."""
        entry = istio_entry(self.setting)
        Crds(self)
        self._accounts()
        data = config_maps(self, entry)
        for name, keys in data.items():
            # The API server drops an empty map.
            Resource(self, CONFIG_MAP, name, fields={"data": keys} if keys else {})
        files = [repr(sorted(data[name].items())) for name in READ_AT_START]
        for program in programs(self):
            run(self, program, files)
        for secret in ("webhook-certs", "net-istio-webhook-certs"):
            Resource(self, SECRET, secret, fields={"type": "Opaque"})
            self.mutated(Drift("v1", "Secret", secret, ("/data",)))
        webhooks(self)
        self._queue_image()
        self._gateway(entry)
        PeopleRoles(self, [each for each in self.served if each.api.group == "serving.knative.dev"])
        Dashboards(self, [observation.BOARD], tables=Alerts(self, observation.RULES).tables)

    def _accounts(self) -> None:
        certificates = rules.CERTIFICATES if self.platform.serves(CERT_MANAGER) else ()
        self.awaits(*((CERT_MANAGER,) if certificates else ()))
        controller = Account(self, "controller")
        controller.allow([*rules.CONTROLLER, *certificates], role="knative-serving-core")
        controller.allow(rules.ISTIO, role="knative-serving-istio")
        activator = Account(self, "activator").allow(rules.ACTIVATOR, role="knative-serving-activator-cluster")
        activator.allow_in(self.namespace, rules.ACTIVATOR_OWN, role="knative-serving-activator")

    def _queue_image(self) -> None:
        """For programs that fetch images to nodes beforehand."""
        from platform_def.apis.knative.internal_v1alpha1 import IMAGE

        spec = {"image": self.image(self.release.queue)}
        Resource(self, IMAGE, "queue-proxy", spec=cast(Any, spec), part="after")

    def _gateway(self, entry: ServingEntry) -> None:
        """Istio's object for the hosts of services at the pods of the stack's gateway."""
        if entry.gateway is None:
            return
        from platform_def.apis.istio.networking_v1 import GATEWAY  # large

        tls, hosts = self.config.tls, [f"*.{entry.domain}", *self.config.mapped_hosts]
        plain: dict[str, object] = {"port": {"name": "http", "number": 80, "protocol": "HTTP"}, "hosts": hosts}
        servers = [plain]
        if tls:
            plain["tls"] = {"httpsRedirect": True}
            secret = certificate_secret(INGRESS_GATEWAY, tls)
            secure = {"mode": "SIMPLE", "credentialName": secret}
            servers.append(
                {"port": {"name": "https", "number": 443, "protocol": "HTTPS"}, "hosts": hosts, "tls": secure}
            )
        certificate(self, INGRESS_GATEWAY, entry, tls)
        spec = {"selector": dict(entry.gateway.pods), "servers": servers}
        Resource(self, GATEWAY, INGRESS_GATEWAY, spec=cast(Any, spec), part="after")
        asked = self.maybe(AuthorizationService)
        if entry.access == "people" and asked:
            ask_first(self, "knative-services", entry, asked.value)


def istio_entry(at: Setting[KnativeServingConfig]) -> ServingEntry:
    """How services are reached; at another gateway than Istio's they are not."""
    entry = entry_of(at)
    if entry.gateway is None or _of_istio(entry.gateway):
        return entry
    return ServingEntry(f"svc.{at.platform.dns_domain}", "http", "cluster", None)


def _of_istio(gateway: Gateway) -> bool:
    return "istio" in (gateway.api, gateway.controller)
