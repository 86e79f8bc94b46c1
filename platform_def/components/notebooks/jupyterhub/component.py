"""JupyterHub: people start notebook servers in their team's namespace, on what its node pools have.

Hub and proxy are one pod each: the hub alone writes its database, so a second one never runs beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from platform_def.apis.core.core_v1 import PERSISTENT_VOLUME_CLAIM
from platform_def.capabilities import GatewayPath, Metrics, OidcClient, WebLink
from platform_def.capabilities.secrets import needs_of
from platform_def.components.notebooks.jupyterhub import checks, settings
from platform_def.components.notebooks.jupyterhub.config import JupyterhubConfig
from platform_def.components.notebooks.jupyterhub.pods import hub_pod, proxy_pod, pullers
from platform_def.components.notebooks.jupyterhub.profiles import choices, offered_to
from platform_def.components.notebooks.jupyterhub.releases import (
    API,
    BOARD,
    HUB,
    PROXY,
    PUBLIC,
    RULES,
    SCHEDULER,
    HubRelease,
)
from platform_def.components.queues.packing import SPREADING, fit
from platform_def.constructs import (
    OUT_OF_MESH,
    READ,
    RESTRICTED_LEVEL,
    Account,
    Alerts,
    Claim,
    Component,
    Dashboards,
    Database,
    Deployment,
    Need,
    NetworkPolicy,
    Offers,
    Problem,
    Resource,
    Route,
    SecondScheduler,
    SecretUse,
    Service,
    Setting,
    allow,
    config_map,
    database_need,
    from_everywhere,
    from_namespace,
    from_pods,
    port,
    restart_on_change,
    secret_name,
    secret_of,
    web_links,
)
from platform_def.constructs.network_policy import Opening
from platform_def.constructs.workloads.claims import claim_spec

LINK = WebLink(text="Notebooks", path=settings.PATH, icon="book")
CLIENT, PASSWORD = "jupyterhub-client", "hub-password"
KEYS = ("proxy-token", "cookie-secret", "metrics-token")
RIGHTS = (
    allow("", "pods persistentvolumeclaims", verbs="create delete get list watch"),
    allow("", "events", verbs=READ),
)
FILES = ("jupyterhub_config.py", "platform_hub.py")


class Jupyterhub(Component[JupyterhubConfig, HubRelease]):
    """Hub, proxy, scheduler of servers, images on nodes, and the hub's rights in the namespaces of teams."""

    pod_security = RESTRICTED_LEVEL
    gives = (WebLink, OidcClient, GatewayPath)

    @classmethod
    def needs_of(cls, at: Setting[JupyterhubConfig]) -> tuple[Need[Any], ...]:
        """Who people are, a database, who keeps its Secrets, where they are asked for."""
        config, people = at.config, at.config.access == "people"
        found: list[Need[Any]] = [settings.IDENTITY] if people else []
        if config.keeps == "sql":
            found.append(database_need("mysql", "postgresql"))
        sources = (config.secrets, config.client_secret if people else config.password)
        return (*found, *dict.fromkeys(each for source in sources for each in needs_of(source)))

    @classmethod
    def offers(cls, at: Setting[JupyterhubConfig]) -> Offers:
        """The link to its pages; that the hub itself asks who people are, and that it is a client of the issuer."""
        config, address = at.config, at.platform.ingress.address()
        links = web_links(at, config.access, LINK)
        public = (GatewayPath(path=settings.PATH, access="public"),) if links else ()
        identity = at.maybe(settings.IDENTITY) if config.access == "people" else None
        if identity is None or not identity.value.clients_namespace:
            return Offers(capabilities=(*links, *public))
        client = OidcClient(
            id=config.client_id,
            name="Notebooks",
            redirect_uris=[settings.callback(address)] if address else [],
            secret=secret_name(config.client_secret, CLIENT, at.platform),
            secret_key=config.client_secret.key("client-secret"),
        )
        return Offers(capabilities=(*links, *public, client))

    @classmethod
    def problems(cls, at: Setting[JupyterhubConfig]) -> Iterator[Problem]:
        """Pages that no one reaches, servers that no one could start, homes that no one could write."""
        yield from checks.of_access(at)
        yield from checks.of_profiles(at)
        yield from checks.of_homes(at)

    @classmethod
    def runtime_images(cls, at: Setting[JupyterhubConfig]) -> tuple[str, ...]:
        """What people may start."""
        return tuple(sorted({each.image for each in at.config.notebooks.values()}))

    def build(self) -> None:
        """Everything that starts notebook servers."""
        secrets = secret_of(self, HUB, self.config.secrets, keys=KEYS)
        database = Database(self, "jupyterhub") if self.config.keeps == "sql" else None
        if database is None:
            self._claim()
        files = {**_programs(), "platform.json": settings.text(self, database)}
        config_map(self, HUB, files)
        account = Account(self, HUB)
        for team in self.platform.teams:
            for home in team.homes:
                account.allow_in(home, RIGHTS)
        pod = hub_pod(self, {"hub": (secrets, KEYS), "login": self._login()}, database)
        self._run(HUB, pod, restart_on_change(*files.values()))
        self._run(PROXY, proxy_pod(self, secrets), {})
        hub = Service(self, HUB, ports=[port("http", settings.HUB_PORT, "http")])
        hub.monitor("http", path=f"{settings.PATH}hub/metrics", credentials=secrets.ref("metrics-token"))
        Service(self, API, workload=PROXY, ports=[port("api", settings.API_PORT, "api")])
        Service(self, PUBLIC, workload=PROXY, ports=[port("http", 80, "http")])
        self._reach()
        if self.config.user_scheduler:
            self._scheduler()
        if self.config.pull_images:
            pullers(self, self._images_by_pool())
        Dashboards(self, [BOARD], tables=Alerts(self, RULES).tables)

    def _login(self) -> tuple[SecretUse, tuple[str, ...]]:
        """The Secret by which the hub lets people in, with its keys."""
        if self.config.access != "people":
            passwords = ("password", "admin-password")
            return secret_of(self, PASSWORD, self.config.password, keys=passwords), passwords
        keys, homes = ("client-secret",), (self.namespace, self.one(settings.IDENTITY).value.clients_namespace)
        places = [each for each in homes if each]
        return secret_of(self, CLIENT, self.config.client_secret, keys=keys, namespaces=places), keys

    def _run(self, name: str, pod: Any, annotations: dict[str, str]) -> None:
        """One pod, which ends before the next begins."""
        noted = {**OUT_OF_MESH, **annotations}
        Deployment(self, name, pod=pod, pod_annotations=noted, extra_spec={"strategy": {"type": "Recreate"}})

    def _claim(self) -> None:
        role = self.roles.add(HUB)
        role.volumes.add("data")
        spec = claim_spec(self, Claim("data", "1Gi"), self.config.workloads.get(HUB))
        Resource(self, PERSISTENT_VOLUME_CLAIM, "hub-db-dir", spec=spec)

    def _reach(self) -> None:
        """The route, and policies: everyone reaches the proxy, teams' pods and the proxy the hub, the hub alone the
        proxy's API."""
        if self.config.access != "administrators":
            # The hub asks who people are; websockets of kernels stay open.
            Route(
                self, "jupyterhub", path=settings.PATH, service=PUBLIC, websocket=True, timeout_seconds=0, auth="public"
            )
        homes = sorted({home for team in self.platform.teams for home in team.homes})
        metrics = self.maybe(Metrics)
        reads = metrics.value.namespace if metrics else None
        callers: list[Opening] = [from_pods(self.selector(PROXY), "http")]
        callers += [from_namespace("http", name=home) for home in homes]  # servers, which show it a token
        if metrics and reads:
            callers.append(from_pods(metrics.value.pods, "http", namespace=reads))
        NetworkPolicy(self, HUB, openings=callers)
        NetworkPolicy(self, PROXY, openings=[from_everywhere("http"), from_pods(self.selector(HUB), "api")])

    def _scheduler(self) -> None:
        """Servers fill one node before the next, so that empty nodes can go or be kept for jobs."""
        profile = {
            "plugins": {"score": {"disabled": [*SPREADING]}},
            "pluginConfig": [fit(self.platform.node_pools, 10)],
        }
        scheduler = SecondScheduler(self, SCHEDULER, profile=profile)
        pod: Any = {
            "serviceAccountName": SCHEDULER,
            "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
            "containers": [scheduler.container()],
            "volumes": [scheduler.volume()],
        }
        Deployment(self, SCHEDULER, pod=pod, ha_replicas=2, pod_annotations=scheduler.pod_annotations)

    def _images_by_pool(self) -> dict[str, list[str]]:
        """Images that servers may have, by pool; "" for servers that go anywhere."""
        found: dict[str, dict[str, None]] = {}
        for choice in choices(self.config, self.platform):
            if any(offered_to(choice, team, self.config, self.platform) for team in self.platform.teams):
                images = found.setdefault(choice.wanted.pool or "", {})
                images |= dict.fromkeys(settings.images_of(choice, self.config))
        return {pool: [*images] for pool, images in found.items()}


@cache
def _programs() -> dict[str, str]:
    folder = Path(__file__).with_name("files")
    return {name: (folder / name).read_text() for name in FILES}
