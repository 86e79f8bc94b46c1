"""Dex: an OpenID Connect issuer that looks people up in directories and at other providers.

Its configuration file holds no secret: connectors and storage name environment variables, which Dex puts in.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast
from urllib.parse import urlsplit
from uuid import NAMESPACE_URL, uuid5

from platform_def.apis.core.core_v1 import Container, EnvVar, PodSpec
from platform_def.capabilities import GatewayPath, Identity, OidcClient
from platform_def.capabilities.secrets import needs_of
from platform_def.components.people.dex.config import DexConfig
from platform_def.components.people.dex.releases import BOARD, FACTS, NAME, RULES
from platform_def.components.people.dex.storage import Storage, storage
from platform_def.components.people.dex.wiring import Wired, wire
from platform_def.constructs import (
    RESTRICTED_LEVEL,
    Alerts,
    Component,
    Crds,
    Dashboards,
    Definition,
    ExistingObject,
    Health,
    Need,
    Offers,
    Operator,
    PodSettings,
    Problem,
    Route,
    Setting,
    allow,
    config_map,
    database_need,
    env,
    from_field,
    mounts,
    port,
    restart_on_change,
    secret_of,
    yaml_file,
)
from platform_def.constructs.route import gateway_of

PATH, HTTP, TELEMETRY = "/dex", 5556, 5558
FOLDER, FILE = "/etc/dex/cfg", "config.yaml"
RULES_OF_STORAGE = (
    # It makes the CRDs of its other kinds when it starts.
    allow("apiextensions.k8s.io", "customresourcedefinitions", verbs="create"),
    allow("dex.coreos.com", "*", verbs="*"),  # as upstream: its own kinds, of which releases add some
)


class Dex(Component[DexConfig]):
    """Dex with its configuration, its storage, its Service and its route."""

    pod_security = RESTRICTED_LEVEL
    gives = (GatewayPath, Identity)

    @classmethod
    def needs_of(cls, at: Setting[DexConfig]) -> tuple[Need[Any], ...]:
        """A database where it stores there, and who keeps its Secrets."""
        database = (database_need(),) if at.config.storage == "sql" else ()
        kept = tuple(dict.fromkeys(each for source in at.config.sources for each in needs_of(source)))
        return (*database, *kept)

    @classmethod
    def served_by(cls, at: Setting[DexConfig]) -> tuple[Definition, ...]:
        """Its kinds, where it stores there."""
        return super().served_by(at) if at.config.storage == "kubernetes" else ()

    @classmethod
    def offers(cls, at: Setting[DexConfig]) -> Offers:
        """The issuer, whose endpoints pods reach without leaving the cluster."""
        issuer = issuer_of(at)
        existing = tuple(ExistingObject("ConfigMap", name, at.config.namespace) for name in _authorities(at.config))
        if issuer is None:
            return Offers(existing=existing)
        inside = f"http://{NAME}.{at.config.namespace}.svc.{at.platform.dns_domain}:{HTTP}{_path(issuer)}"
        given = Identity(
            issuer=issuer,
            groups_header="kubeflow-groups",
            authorization_url=f"{issuer}/auth",
            token_url=f"{inside}/token",
            keys_url=f"{inside}/keys",
            clients_namespace=at.config.namespace,
            kubectl_client=next((each.id for each in at.config.clients if each.secret is None), None),
        )
        public = GatewayPath(path=f"{_path(issuer)}/", access="public")
        return Offers(capabilities=(given, public), existing=existing)

    @classmethod
    def problems(cls, at: Setting[DexConfig]) -> Iterator[Problem]:
        """No address, no way to sign in, two clients of one id."""
        here, knob = ("components", at.name), f"components.{at.name}"
        if issuer_of(at) is None:
            text = f"{knob}: the stack has no host at which people could reach Dex"
            yield Problem(text, hint="write `ingress: {host: …}`, or `issuer:` with its address", at=here)
        if at.config.issuer is None and gateway_of(at.platform) is None:
            text = f"{knob}: the stack has no gateway that could lead people to Dex"
            yield Problem(text, hint="add one and name it under `gateway:`, or write `issuer:`", at=here)
        if not at.config.connectors and not at.config.local_users:
            text = f"{knob}: no one could sign in: it has no connector and no local user"
            yield Problem(text, hint="write `connectors: [{id: campus, ldap: {…}}]`", at=here)
        yield from _clients_apart(at)

    def build(self) -> None:
        """Everything that signs people in."""
        issuer = self._issuer
        stored, wired = storage(self), wire(self, self.config.connectors, f"{issuer}/callback")
        more: list[EnvVar] = []
        if self.served:
            Crds(self)
        configuration = {
            "issuer": issuer,
            "storage": stored.configuration,
            "web": {"http": f"0.0.0.0:{HTTP}"},
            "telemetry": {"http": f"0.0.0.0:{TELEMETRY}"},
            "logger": {"level": "info", "format": "json"},
            "oauth2": {"skipApprovalScreen": True, "alwaysShowLoginScreen": False},
            **({"connectors": wired.connectors} if wired.connectors else {}),
            **self._clients(more),
            **self._users(more),
        }
        text = yaml_file(configuration)
        config_map(self, NAME, {FILE: text})
        wired.env = [*stored.env, *wired.env, *more]
        Operator(
            self,
            NAME,
            container=self._container(wired, stored),
            rules=RULES_OF_STORAGE if self.config.storage == "kubernetes" else (),
            replicas=2,
            ha_replicas=2,
            health=Health(TELEMETRY, live="/healthz/live", ready="/healthz/ready"),
            metrics=port("telemetry", TELEMETRY),
            ports=[port("dex", HTTP)],
            facts=FACTS,
            pod=PodSettings(self._pod(wired, stored), annotations=restart_on_change(text)),
        )
        Route(self, NAME, path=f"{_path(issuer)}/", service=NAME, port=HTTP, auth="public")
        Dashboards(self, [BOARD], tables=Alerts(self, RULES).tables)

    @property
    def _issuer(self) -> str:
        # Without an address there is a problem, which ends the run before anything is written.
        return issuer_of(self.setting) or f"http://{self.service_host(NAME)}:{HTTP}{PATH}"

    def _clients(self, variables: list[EnvVar]) -> dict[str, object]:
        """Programs that sign people in here: the stack's own, and those outside that it names."""
        made: list[dict[str, object]] = []
        for index, given in enumerate(self.platform.all(OidcClient)):
            client, variable = given.value, f"CLIENT_{index}"
            told = {"id": client.id, "name": client.name or client.id, "redirectURIs": [*client.redirect_uris]}
            if client.secret:
                variables.append(
                    {"name": variable, "valueFrom": {"secretKeyRef": {"name": client.secret, "key": client.secret_key}}}
                )
            made.append({**told, **({"secretEnv": variable} if client.secret else {"public": True})})
        for index, own in enumerate(self.config.clients):
            told = {"id": own.id, "name": own.name or own.id, "redirectURIs": [*own.redirect_uris]}
            if own.secret:
                use = secret_of(self, f"dex-client-{index}", own.secret, keys=("clientSecret",))
                variables.append(use.env(f"OWN_CLIENT_{index}", "clientSecret"))
            made.append({**told, **({"secretEnv": f"OWN_CLIENT_{index}"} if own.secret else {"public": True})})
        return {"staticClients": made} if made else {}

    def _users(self, variables: list[EnvVar]) -> dict[str, object]:
        """Users of its own, whose hashes are in a Secret."""
        source = self.config.local_passwords
        if source is None:
            return {}
        use = secret_of(self, "dex-local-users", source, keys=[each.hash_key for each in self.config.local_users])
        made = []
        for index, user in enumerate(self.config.local_users):
            variable = f"LOCAL_USER_{index}"
            variables.append(use.env(variable, user.hash_key))
            groups = {"groups": [*user.groups]} if user.groups else {}
            made.append(
                {
                    "email": user.email,
                    "username": user.name or user.email,
                    "userID": str(uuid5(NAMESPACE_URL, f"mailto:{user.email}")),
                    "hashFromEnv": variable,
                    **groups,
                }
            )
        return {"enablePasswordDB": True, "staticPasswords": made}

    def _container(self, wired: Wired, stored: Storage) -> Container:
        return {
            "name": NAME,
            "image": self.release.image,
            "command": ["dex", "serve", f"{FOLDER}/{FILE}"],
            "env": [*env({"KUBERNETES_POD_NAMESPACE": from_field("metadata.namespace")}), *wired.env],
            "ports": [{"name": "http", "containerPort": HTTP, "protocol": "TCP"}],
            "volumeMounts": [*mounts({"config": FOLDER}, read_only=True), *wired.mounts, *stored.mounts],
            "resources": {"requests": {"cpu": "20m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        }

    def _pod(self, wired: Wired, stored: Storage) -> PodSpec:
        pod: dict[str, Any] = {
            "enableServiceLinks": False,
            "securityContext": {"fsGroup": FACTS.runs_as},  # reads the mounted Secrets of connectors
            "volumes": [{"name": "config", "configMap": {"name": NAME}}, *wired.volumes, *stored.volumes],
        }
        if self.config.storage != "kubernetes":
            pod["automountServiceAccountToken"] = False
        return cast(PodSpec, pod)


def issuer_of(at: Setting[DexConfig]) -> str | None:
    """The address of the issuer; None where the stack says none."""
    if at.config.issuer:
        return at.config.issuer.rstrip("/")
    address = at.platform.ingress.address()
    return f"{address}{PATH}" if address else None


def _path(issuer: str) -> str:
    """Below which path it answers, that of its address."""
    return urlsplit(issuer).path.rstrip("/")


def _authorities(config: DexConfig) -> list[str]:
    named = [getattr(each.chosen, "ca", None) for each in config.connectors]
    return [each.config_map for each in (*named, config.database_ca) if each]


def _clients_apart(at: Setting[DexConfig]) -> Iterator[Problem]:
    known = {own.id: f"components.{at.name}.clients" for own in at.config.clients}
    for given in at.platform.all(OidcClient):
        who = known.setdefault(given.value.id, given.by)
        if who != given.by:
            text = f"components.{at.name}: {who} and {given.by} are both the client {given.value.id}"
            yield Problem(text, hint="give one of them another client id", at=("components", at.name))
