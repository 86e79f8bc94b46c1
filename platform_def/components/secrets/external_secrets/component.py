"""External Secrets: fetches Secrets from a store outside the cluster, a vault or a cloud's, and keeps them current."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, cast

from pydantic import Field, JsonValue

from platform_def.apis.core.core_v1 import Container
from platform_def.apis.external_secrets.v1 import CLUSTER_SECRET_STORE, Provider
from platform_def.capabilities.secrets import SecretStore
from platform_def.components.secrets.external_secrets import rules
from platform_def.config.model import Name
from platform_def.constructs import (
    APACHE,
    CONTROLLER_RUNTIME,
    HONORED_TARGET,
    RESTRICTED_LEVEL,
    AccountNames,
    AdmissionServer,
    Alert,
    Alerts,
    CertificateChoice,
    Component,
    Crds,
    Health,
    Hook,
    ImageFacts,
    LeaderElection,
    MetricsEndpoint,
    MetricTable,
    Need,
    Offers,
    Operator,
    PeopleRoles,
    Problem,
    Release,
    Resource,
    Setting,
    Support,
    Upkeep,
    Webhooks,
    controller_alerts,
    gauge,
    port,
    releases,
    rule,
)

NAME, WEBHOOK, CERTIFICATES = "external-secrets", "external-secrets-webhook", "external-secrets-cert-controller"
METRICS = MetricTable(
    "pkg/controllers/externalsecret/esmetrics at v2.9.0",
    gauge("externalsecret_status_condition", "name namespace condition status"),
    target=HONORED_TARGET,
)
RELEASES = releases(
    Release(
        "2.9.0",
        kubernetes="1.30-1.37",
        # Upstream's page on support: a minor release ends with the next; 2.12 is there. The last advisory,
        # CVE-2026-42876, was fixed in 2.4.1.
        upkeep=Upkeep(Support.ENDED, vulnerabilities=()),
        kept="upstream mends its newest minor release alone, and this one has no known vulnerability",
        image="ghcr.io/external-secrets/external-secrets:v2.9.0",
        exports=(CONTROLLER_RUNTIME.honored, METRICS),
    ),
    license=APACHE,
)
SERVING = "/tmp/certs"  # noqa: S108 - in the container
FACTS = ImageFacts(runs_as=1000, read_only=True, source="deploy/charts/external-secrets at v2.9.0")
LOGGING = ("--loglevel=info", "--zap-time-encoding=epoch")
NOT_READY = Alert(
    "ExternalSecretNotReady",
    'sum by (namespace, name) (externalsecret_status_condition{condition="Ready", status="False"}) > 0',
    summary="The ExternalSecret {{ $labels.namespace }}/{{ $labels.name }} is not fetched",
    action="Read its events: the store cannot be reached, refuses the login, or has no such entry.",
)


class ExternalSecretsConfig(CertificateChoice):
    """What a stack may choose about External Secrets."""

    releases = RELEASES

    namespace: Name = "external-secrets"
    """Namespace of its three programs, upstream's."""
    stores: dict[Name, dict[str, JsonValue]] = Field(default_factory=dict)
    """ClusterSecretStores by name: what stands under `provider` of each, in the words of its kind, such as
    `{company-vault: {vault: {server: "https://vault.example.com", path: kv, auth: …}}}`."""
    default_store: Name | None = None
    """The store of secrets that name none; by default the only one of `stores`."""
    concurrent: Annotated[int, Field(ge=1, le=100)] = 1
    """ExternalSecrets that are fetched at once; upstream's default."""

    @property
    def chosen_store(self) -> Name | None:
        """The store of secrets that name none."""
        return self.default_store or (next(iter(self.stores)) if len(self.stores) == 1 else None)


class ExternalSecrets(Component[ExternalSecretsConfig, Release]):
    """CRDs, controller, webhook with its certificate, and the stores of the stack."""

    pod_security = RESTRICTED_LEVEL
    gives = (SecretStore,)

    @classmethod
    def needs_of(cls, at: Setting[ExternalSecretsConfig]) -> tuple[Need[Any], ...]:
        """cert-manager, where it makes the certificate of the webhook."""
        return at.config.certificate_needs

    @classmethod
    def offers(cls, at: Setting[ExternalSecretsConfig]) -> Offers:
        """The store of secrets that name none."""
        store = at.config.chosen_store
        return Offers(capabilities=(SecretStore(store=store),)) if store else Offers()

    @classmethod
    def problems(cls, at: Setting[ExternalSecretsConfig]) -> Iterator[Problem]:
        """A default store that is not among the stores."""
        chosen = at.config.default_store
        if chosen and chosen not in at.config.stores:
            known = ", ".join(sorted(at.config.stores)) or "none"
            yield Problem(
                f"components.{at.name}.defaultStore: '{chosen}' is not among `stores`",
                hint=f"stores are: {known}; one that exists already is named by `external: {{secretStore: …}}`",
                at=("components", at.name, "defaultStore"),
            )

    def build(self) -> None:
        """Everything that fetches Secrets."""
        Crds(self)
        self._controller()
        self._webhook()
        for name, provider in sorted(self.config.stores.items()):
            Resource(self, CLUSTER_SECRET_STORE, name, spec={"provider": cast(Provider, provider)}, part="after")
        PeopleRoles(self, verbs="create delete deletecollection get list patch update watch")
        Alerts(self, [*controller_alerts(NAME), NOT_READY])

    def _controller(self) -> None:
        election = LeaderElection(
            flag="--enable-leader-election=true", lease="external-secrets-controller", role=f"{NAME}-leaderelection"
        )
        arguments = [f"--concurrent={self.config.concurrent}", "--metrics-addr=:8080", "--live-addr=:8082"]
        Operator(
            self,
            NAME,
            container=self._container(NAME, [*arguments, *LOGGING]),
            rules=rules.CONTROLLER,
            names=AccountNames(role="external-secrets-controller"),
            leader_election=election,
            health=Health(8082, ready="/healthz"),
            metrics=MetricsEndpoint(port=port("metrics", 8080), protected=False, honor_labels=True),
            facts=FACTS,
        )

    def _webhook(self) -> None:
        """The webhook, and what makes its certificate."""
        own = self.config.certificates == "own"
        host = f"--dns-name={self.service_host(WEBHOOK)}"
        arguments = ["webhook", "--port=10250", host, f"--cert-dir={SERVING}", "--check-interval=5m"]
        addresses = ["--metrics-addr=:8080", "--healthz-addr=:8081"]
        server = AdmissionServer(
            validating=[hook("secretstore"), hook("clustersecretstore")],
            secret=WEBHOOK,
            trust=self.config.certificates,
            certificate=WEBHOOK,
            configuration="secretstore-validate",
            folder=SERVING,
            volume="certs",
            port=port("webhook", 443, 10250),
        )
        webhook = Operator(
            self,
            WEBHOOK,
            container=self._container("webhook", [*arguments, *addresses, *LOGGING]),
            ha_replicas=2,
            health=Health(8081, live=""),
            metrics=8080,
            webhook=server,
            facts=FACTS,
        )
        ca_from = webhook.admission.ca_from if webhook.admission else ""
        hooks = [hook("externalsecret")]
        Webhooks(self, "externalsecret-validate", kind="validating", service=WEBHOOK, hooks=hooks, ca_from=ca_from)
        if own:
            self._certificates()

    def _certificates(self) -> None:
        arguments = ["certcontroller", "--crd-requeue-interval=5m", "--enable-partial-cache=true"]
        names = [f"--service-name={WEBHOOK}", f"--secret-name={WEBHOOK}"]
        homes = [f"--service-namespace={self.namespace}", f"--secret-namespace={self.namespace}"]
        addresses = ["--metrics-addr=:8080", "--healthz-addr=:8081"]
        Operator(
            self,
            CERTIFICATES,
            container=self._container("cert-controller", [*arguments, *names, *homes, *addresses, *LOGGING]),
            rules=rules.CERTIFICATES,
            leader_election=LeaderElection(flag="--enable-leader-election=true", lease="crd-certs-controller"),
            ha_replicas=0,
            health=Health(8081, live=""),
            metrics=8080,
            facts=FACTS,
        )

    def _container(self, name: str, arguments: list[str]) -> Container:
        return {
            "name": name,
            "image": self.release.image,
            "args": arguments,
            "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"memory": "512Mi"}},
        }


def hook(kind: str) -> Hook:
    """The webhook for a kind; deletions are asked about too, for a store may be in use."""
    return Hook(
        name=f"validate.{kind}.external-secrets.io",
        path=f"/validate-external-secrets-io-v1-{kind}",
        rules=[rule("external-secrets.io", "v1", f"{kind}s", "CREATE UPDATE DELETE")],
        timeout_seconds=5,
    )
