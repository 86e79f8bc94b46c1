"""Argo Workflows: a controller that runs steps as pods, and a server to see and to start them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from platform_def.apis.core.core_v1 import SERVICE_ACCOUNT, Container
from platform_def.apis.core.rbac_v1 import ROLE, ROLE_BINDING, RoleRef, Subject
from platform_def.apis.core.scheduling_v1 import PRIORITY_CLASS
from platform_def.capabilities import Gateway, Identity, ObjectStore, WebLink, WorkflowEngine, WorkflowNamespaces
from platform_def.components.pipelines.argo_workflows import observation, rules
from platform_def.components.pipelines.argo_workflows.artifacts import artifact_bucket
from platform_def.components.pipelines.argo_workflows.config import ArgoWorkflowsConfig
from platform_def.components.pipelines.argo_workflows.configuration import configuration
from platform_def.components.pipelines.argo_workflows.releases import ArgoRelease
from platform_def.components.pipelines.argo_workflows.server import LINK, access_of, server
from platform_def.constructs import (
    RESTRICTED_LEVEL,
    Account,
    Alerts,
    Component,
    Crds,
    Dashboards,
    Database,
    Deployment,
    ImageFacts,
    Need,
    NetworkPolicy,
    Offers,
    PeopleRoles,
    Problem,
    Resource,
    Service,
    Setting,
    access_problems,
    config_map,
    database_need,
    env,
    from_cluster,
    from_field,
    http_probe,
    need,
    port,
    restart_on_change,
    secret_of,
    secured,
    web_links,
    yaml_file,
)
from platform_def.constructs.bucket import authority_problems
from platform_def.constructs.secrets import SecretUse
from platform_def.constructs.workloads.jobs import OUT_OF_MESH

CONTROLLER, ACCOUNT, METRICS_SERVICE = "workflow-controller", "argo", "workflow-controller-metrics"
CONFIG = "workflow-controller-configmap"
EXECUTOR = "argo-executor"
FACTS = ImageFacts(runs_as=8737, read_only=True, source="USER in the Dockerfile at v4.0.5, and its Deployment")


class ArgoWorkflows(Component[ArgoWorkflowsConfig, ArgoRelease]):
    """CRDs, controller, server, and in each team's namespace the account under which its workflows run."""

    pod_security = RESTRICTED_LEVEL
    gives = (WebLink, WorkflowEngine, WorkflowNamespaces)

    @classmethod
    def needs_of(cls, at: Setting[ArgoWorkflowsConfig]) -> tuple[Need[Any], ...]:
        """A database for the archive, a store for artifacts, an identity provider for logins."""
        found: list[Need[Any]] = []
        if at.config.archive:
            found.append(database_need("mysql", "postgresql"))
        if at.config.artifacts is not False:
            found.append(need(ObjectStore, optional=at.config.artifacts is None))
        if at.config.ui.enabled and at.config.ui.sso:
            found.append(need(Identity, order="any"))
        return tuple(found)

    @classmethod
    def offers(cls, at: Setting[ArgoWorkflowsConfig]) -> Offers:
        """The link to its interface, its engine, and accounts and artifacts in the namespaces of teams."""
        links = web_links(at, access_of(at), LINK) if at.config.ui.enabled else ()
        config, homes = at.config, [team.home for team in at.platform.teams]
        counted = config.retention.completed, config.retention.failed, config.retention.errored
        engine = WorkflowEngine(
            release=cls.release_of(config).version.removesuffix("-full"),
            instance=config.instance or "",
            account=config.account if homes else None,
            deletes_ended=any(number is not None for number in counted),
        )
        accounts = [config.account, *config.executors]
        makes = {config.account: ["PersistentVolumeClaim"] if config.claims else []}
        spaces = WorkflowNamespaces(namespaces=homes, accounts=accounts, artifacts=keeps_artifacts(at), makes=makes)
        return Offers(capabilities=(*links, engine, *((spaces,) if homes else ())))

    @classmethod
    def problems(cls, at: Setting[ArgoWorkflowsConfig]) -> Iterator[Problem]:
        """An interface that cannot be reached, or that does not know where it is."""
        if keeps_artifacts(at):
            yield from authority_problems(at)
        ui = at.config.ui
        if ui.enabled and ui.access:
            yield from access_problems(at, ui.access, "ui.access")
        gateway = at.maybe(Gateway)
        if ui.enabled and ui.sso and not (gateway and gateway.value.host):
            yield Problem(
                f"components.{at.name}.ui.sso: the identity provider needs an address to send people back to, and the "
                "stack's gateway has no host",
                hint="write `ingress: {host: …}` and a gateway, or leave `sso` out",
                at=("components", at.name, "ui", "sso"),
            )

    def build(self) -> None:
        """Everything that runs workflows."""
        Crds(self)
        Resource(self, PRIORITY_CLASS, CONTROLLER, fields={"value": 1_000_000}, part="classes")
        account = Account(self, ACCOUNT).allow(rules.CONTROLLER, role="argo-cluster-role")
        account.allow_in(self.namespace, rules.OWN, role="argo-role")
        for team in self.platform.teams:
            self._executor(team.home)
        bucket = artifact_bucket(self) if keeps_artifacts(self.setting) else None
        database = Database(self, "argo-workflows") if self.config.archive else None
        client = self._client()
        content = configuration(self, bucket=bucket, database=database, client=client)
        text = {key: value if isinstance(value, str) else yaml_file(value) for key, value in content.items()}
        config_map(self, CONFIG, text)
        self._controller(*text.values())
        if self.config.ui.enabled:
            server(self)
        PeopleRoles(self, verbs="create delete deletecollection get list patch update watch")
        Alerts(self, observation.alerts(self.release.state))
        Dashboards(self, [observation.board(self.release.state)])

    def _client(self) -> SecretUse | None:
        """By which people log in."""
        source = self.config.ui.sso if self.config.ui.enabled else None
        return secret_of(self, "argo-server-sso", source, keys=("clientId", "clientSecret")) if source else None

    def _executor(self, home: str) -> None:
        """The account under which a team's workflows run, and what it may do."""
        name = self.config.account
        Resource(self, SERVICE_ACCOUNT, name, namespace=home, fields={})
        allowed = [*rules.EXECUTOR, *(rules.CLAIMS if self.config.claims else ())]
        Resource(self, ROLE, EXECUTOR, namespace=home, fields={"rules": allowed})
        reference: RoleRef = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": EXECUTOR}
        subjects: list[Subject] = [
            {"kind": "ServiceAccount", "name": each, "namespace": home} for each in (name, *self.config.executors)
        ]
        Resource(self, ROLE_BINDING, EXECUTOR, namespace=home, fields={"roleRef": reference, "subjects": subjects})

    def _controller(self, *files: str) -> None:
        Deployment(
            self,
            CONTROLLER,
            ha_replicas=2,
            pod={
                "serviceAccountName": ACCOUNT,
                "priorityClassName": CONTROLLER,
                "nodeSelector": {"kubernetes.io/os": "linux"},
                "containers": [container(self.release.image, self.image(self.release.executor))],
            },
            pod_annotations={**OUT_OF_MESH, **restart_on_change(*files)},
        )
        Service(self, METRICS_SERVICE, ports=[port("metrics", 9090)], workload=CONTROLLER).monitor(
            "metrics", honor_labels=True
        )
        if self.platform.network_policies:
            NetworkPolicy(self, CONTROLLER, openings=[from_cluster(9090)])


def keeps_artifacts(at: Setting[ArgoWorkflowsConfig]) -> bool:
    """Whether artifacts that say no place go to the stack's object store."""
    wanted = at.config.artifacts
    return wanted if wanted is not None else at.maybe(ObjectStore) is not None


def container(image: str, executor: str) -> Container:
    """The controller; with one pod too it competes for its Lease, by its pod's name."""
    made: Container = {
        "name": CONTROLLER,
        "image": image,
        "command": [CONTROLLER],
        "args": [f"--executor-image={executor}"],
        "env": env({"LEADER_ELECTION_IDENTITY": from_field("metadata.name")}),
        "ports": [
            {"name": "metrics", "containerPort": 9090, "protocol": "TCP"},
            {"name": "health", "containerPort": 6060, "protocol": "TCP"},
        ],
        "livenessProbe": {**http_probe("/healthz", 6060, delay=90, period=60), "timeoutSeconds": 30},
        "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "1Gi"}},
    }
    context = secured(FACTS, None)
    return {**made, "securityContext": context} if context else made
