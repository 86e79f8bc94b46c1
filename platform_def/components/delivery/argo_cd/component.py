"""Argo CD: fetches a repository and applies what lies in it, Application by Application, and shows what it sees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from platform_def.capabilities import GatewayPath, Identity, WebLink
from platform_def.components.delivery.argo_cd import programs, rules
from platform_def.components.delivery.argo_cd.config import ArgoCdConfig
from platform_def.components.delivery.argo_cd.metrics import BOARD, EXPORTED, alerts
from platform_def.components.delivery.argo_cd.parameters import (
    APPLICATION_SETS,
    CONTROLLER,
    NOTIFICATIONS,
    REPO_SERVER,
    SERVER,
)
from platform_def.components.delivery.argo_cd.programs import REDIS
from platform_def.components.delivery.argo_cd.releases import ArgoCdRelease
from platform_def.components.delivery.argo_cd.settings import PATH, address, issuer, parameters, settings
from platform_def.constructs import (
    OUT_OF_MESH,
    RESTRICTED_LEVEL,
    Account,
    Alerts,
    Component,
    Crds,
    Dashboards,
    Deployment,
    Need,
    NetworkPolicy,
    Offers,
    Opening,
    Problem,
    Route,
    Service,
    Setting,
    StatefulSet,
    access_problems,
    from_cluster,
    from_everywhere,
    from_pods,
    need,
    port,
    restart_on_change,
    web_links,
)
from platform_def.constructs.route import gateway_of
from platform_def.constructs.routes.routing import Redirect

CONTROLLER_METRICS = "argocd-metrics"
GIT_WEBHOOK = f"{PATH}/api/webhook"
"""What Git hosts call after a push."""
LINK = WebLink(text="Argo CD", path=f"{PATH}/", icon="icons:cloud-upload")


class ArgoCd(Component[ArgoCdConfig, ArgoCdRelease]):
    """The application controller, the repo server, the server with its pages, and Redis; two more on demand."""

    pod_security = RESTRICTED_LEVEL
    gives = (WebLink, GatewayPath)

    @classmethod
    def needs_of(cls, at: Setting[ArgoCdConfig]) -> tuple[Need[Any], ...]:
        """Who people are, where they sign in by that."""
        return (need(Identity, order="any", optional=True),) if at.config.oidc else ()

    @classmethod
    def offers(cls, at: Setting[ArgoCdConfig]) -> Offers:
        """A link to its pages, and where Git hosts call without a login."""
        open_to_all = (GatewayPath(path=GIT_WEBHOOK, access="public"),) if at.config.git_webhook else ()
        return Offers(capabilities=(*web_links(at, at.config.access, LINK), *open_to_all))

    @classmethod
    def problems(cls, at: Setting[ArgoCdConfig]) -> Iterator[Problem]:
        """Pages that no one could reach, people who could not come back from the identity provider."""
        yield from access_problems(at, at.config.access, "access")
        if at.config.git_webhook and at.config.access != "everyone":
            text = (
                f"components.{at.name}.gitWebhook: no Git host reaches a path of Argo CD, which is not at the gateway"
            )
            yield Problem(text, hint="write `access: everyone` beside it", at=("components", at.name, "gitWebhook"))
        oidc, here = at.config.oidc, ("components", at.name, "oidc")
        knob = f"components.{at.name}.oidc"
        if oidc and not issuer(at, oidc):
            hint = "write `issuer:`, or name an identity provider under `external: {identity: …}`"
            yield Problem(f"{knob}: nothing says who people are", hint=hint, at=here)
        if oidc and not address(at):
            hint = "write `url:` beside it, the address of Argo CD's pages"
            yield Problem(f"{knob}: the identity provider would not know where to send people back", hint=hint, at=here)

    def build(self) -> None:
        """Everything that applies a repository."""
        Crds(self)
        settings(self)
        self.makes("Secret", rules.REDIS_SECRET)
        for name in self._programs():
            self._account(name)
            self._workload(name)
        self._services()
        if self.config.access == "everyone":
            self._routes()
        if self.config.network_policies:
            for name in self._programs():
                NetworkPolicy(self, f"{name}-network-policy", workload=name, openings=[*self._openings(name)])

    def _routes(self) -> None:
        """Its pages, also by the address without the last slash, and what Git hosts call after a push."""
        # Pages stream what they show for as long as they are open.
        Route(self, SERVER, path=f"{PATH}/", service=SERVER, websocket=True, timeout_seconds=0)
        gateway = gateway_of(self.platform)
        if gateway and (gateway.api != "emissary" or self.platform.ingress.host):
            Route(self, f"{SERVER}-slash", path=PATH, exact=True, redirect=Redirect(path=f"{PATH}/"))
        if self.config.git_webhook:
            Route(self, f"{SERVER}-webhook", path=GIT_WEBHOOK, exact=True, service=SERVER, auth="public")

    def _programs(self) -> tuple[str, ...]:
        """Those that run, by the names of their workloads."""
        sets = (APPLICATION_SETS,) if self.config.application_sets else ()
        notifications = (NOTIFICATIONS,) if self.config.notifications else ()
        return (REDIS, REPO_SERVER, CONTROLLER, SERVER, *sets, *notifications)

    def _account(self, name: str) -> None:
        account = Account(self, name)
        if name == CONTROLLER:
            # It applies whatever the repository holds.
            account.bind("cluster-admin", binding=name)
        if name == SERVER:
            finalizers = rules.SERVER_FINALIZERS if self.release.updates_finalizers else ()
            account.allow([*rules.SERVER, *finalizers]).allow_in(self.namespace, rules.SERVER_HERE)
        if name == APPLICATION_SETS:
            account.allow(rules.APPLICATION_SETS)
            account.allow_in(self.namespace, rules.APPLICATION_SETS_ELECTION.rules())
        if name in (NOTIFICATIONS, REDIS):
            account.allow_in(self.namespace, rules.REDIS_HERE if name == REDIS else rules.NOTIFICATIONS_HERE)

    def _workload(self, name: str) -> None:
        pod = programs.pod(self, name)
        if name == CONTROLLER:
            # Upstream names a Service that nothing calls. Pods know their share by their own names.
            StatefulSet(
                self,
                name,
                pod=pod,
                service=CONTROLLER_METRICS,
                replicas=self.config.shards,
                pod_annotations=self._notes(name),
            )
            return
        Deployment(
            self,
            name,
            pod=pod,
            # One Redis holds what all look up; notifications would be sent twice.
            ha_replicas=2 if name in (REPO_SERVER, SERVER, APPLICATION_SETS) else 0,
            calls_out=name != REDIS,
            pod_annotations=self._notes(name),
        )

    def _notes(self, name: str) -> dict[str, str]:
        """Programs read their parameters when they start, and of argocd-cm the times."""
        if name == REDIS:
            return OUT_OF_MESH
        times = {key: value for key, value in self.config.settings.items() if key.startswith("timeout.")}
        said = [f"{key}={value}" for key, value in sorted({**parameters(self), **times}.items())]
        return {**OUT_OF_MESH, **(restart_on_change(*said) if said else {})}

    def _services(self) -> None:
        metrics = port("metrics", programs.CONTROLLER_METRICS, "metrics")
        Service(self, CONTROLLER_METRICS, workload=CONTROLLER, ports=[metrics]).monitor("metrics", honor_labels=True)
        served = [port("server", programs.MANIFESTS, "server"), port("metrics", programs.REPO_METRICS, "metrics")]
        Service(self, REPO_SERVER, ports=served).monitor("metrics")
        Service(self, SERVER, ports=[port("http", 80, "server"), port("https", 443, "server")])
        metrics = port("metrics", programs.SERVER_METRICS, "metrics")
        Service(self, f"{SERVER}-metrics", workload=SERVER, ports=[metrics]).monitor("metrics")
        Service(self, REDIS, ports=[port("tcp-redis", programs.REDIS_PORT, "redis")])
        if self.config.application_sets:
            ports = [
                port("webhook", programs.WEBHOOK, "webhook"),
                port("metrics", programs.APPLICATION_SETS_METRICS, "metrics"),
            ]
            Service(self, APPLICATION_SETS, ports=ports).monitor("metrics")
        if self.config.notifications:
            metrics = port("metrics", programs.NOTIFICATIONS_METRICS, "metrics")
            Service(self, f"{NOTIFICATIONS}-metrics", workload=NOTIFICATIONS, ports=[metrics]).monitor("metrics")
        Dashboards(self, [BOARD], tables=Alerts(self, alerts(CONTROLLER_METRICS), tables=[EXPORTED]).tables)

    def _openings(self, name: str) -> Iterator[Opening]:
        """Redis and the repo server, which gives out what private repositories hold, are for Argo CD's own programs."""
        if name == REDIS:
            yield from self._callers(programs.REDIS_PORT, SERVER, REPO_SERVER, CONTROLLER)
        if name == REPO_SERVER:
            yield from self._callers(programs.MANIFESTS, SERVER, CONTROLLER, NOTIFICATIONS, APPLICATION_SETS)
            yield from_cluster(programs.REPO_METRICS)
        if name == CONTROLLER:
            yield from_cluster(programs.CONTROLLER_METRICS)
        if name == SERVER:
            yield from_everywhere(programs.PAGES, programs.SERVER_METRICS)
        if name == APPLICATION_SETS:
            yield from_cluster(programs.WEBHOOK, programs.APPLICATION_SETS_METRICS)
        if name == NOTIFICATIONS:
            yield from_cluster(programs.NOTIFICATIONS_METRICS)

    def _callers(self, number: int, *names: str) -> Iterator[Opening]:
        return (from_pods(self.selector(each), number) for each in names if each in self._programs())
