"""Kubeflow Pipelines: pipelines in Python that become workflows, with runs, artifacts and their history for teams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from platform_def.apis.kubeflow import kfp_pipelines_v2beta1
from platform_def.capabilities import (
    CertificateIssuer,
    HookControllers,
    Identity,
    Mesh,
    ObjectStore,
    PipelineServer,
    WebLink,
    WorkflowNamespaces,
)
from platform_def.capabilities.identity import MeshCaller
from platform_def.components.pipelines.kfp import observation, rules
from platform_def.components.pipelines.kfp.borders import borders
from platform_def.components.pipelines.kfp.cache import cache
from platform_def.components.pipelines.kfp.config import KfpConfig
from platform_def.components.pipelines.kfp.metadata import metadata
from platform_def.components.pipelines.kfp.parts import AUDIENCE, HTTP, SERVER, UI, homes_of
from platform_def.components.pipelines.kfp.registered import registered, registration_problems, unmade_key
from platform_def.components.pipelines.kfp.releases import KfpRelease
from platform_def.components.pipelines.kfp.server import CERTIFICATE, WEBHOOK_PORT, agents, server
from platform_def.components.pipelines.kfp.stores import ENGINE, root_of, store_problems, stores, v1
from platform_def.components.pipelines.kfp.teams import teams
from platform_def.components.pipelines.kfp.ui import LINK, ui
from platform_def.config.platform import BASELINE_LEVEL
from platform_def.constructs import (
    RESTRICTED_LEVEL,
    Alerts,
    Component,
    Crds,
    Dashboards,
    Definition,
    Hook,
    Need,
    Offers,
    PeopleRoles,
    PodSecurityNeed,
    Problem,
    ServingCertificate,
    Setting,
    Webhooks,
    access_problems,
    database_need,
    need,
    rule,
    web_links,
)
from platform_def.constructs.bucket import authorities_there

WORKFLOWS = "Workflow.argoproj.io"


class Kfp(Component[KfpConfig, KfpRelease]):
    """API server, agents, metadata, interface, and in each team's namespace what its runs need."""

    gives = (WebLink, MeshCaller, PipelineServer, WorkflowNamespaces)

    @classmethod
    def security_of(cls, at: Setting[KfpConfig]) -> PodSecurityNeed:
        """Restricted for its programs; where runs are beside them, these are anybody's containers."""
        return RESTRICTED_LEVEL if at.config.serves == "teams" else BASELINE_LEVEL

    @classmethod
    def served_by(cls, at: Setting[KfpConfig]) -> tuple[Definition, ...]:
        """Recurring runs and viewers; pipelines where they are objects."""
        objects = () if at.config.pipelines_as_objects else kfp_pipelines_v2beta1.CRDS
        return tuple(each for each in super().served_by(at) if each not in objects)

    @classmethod
    def needs_of(cls, at: Setting[KfpConfig]) -> tuple[Need[Any], ...]:
        """A MySQL server, an object store, who signs webhooks' certificates, and who knows people."""
        config = at.config
        found: list[Need[Any]] = [database_need(ENGINE), need(ObjectStore)]
        if config.pipelines_as_objects or v1(config):
            found.append(need(CertificateIssuer))
        if config.serves == "teams" or config.ui.access == "people":
            found.append(need(Identity, order="any"))
        if config.registered_namespaces:
            found.append(need(HookControllers, order="any"))
        return tuple(found)

    @classmethod
    def offers(cls, at: Setting[KfpConfig]) -> Offers:
        """Its link, by which account it fetches what pipelines left in teams' namespaces, and what runs have there."""
        caller = MeshCaller(purpose="artifacts", namespace=at.config.namespace, account=UI)
        namespaces, accounts = [*homes_of(at.config, at.platform)], [at.config.account]
        spaces = WorkflowNamespaces(namespaces=namespaces, accounts=accounts, artifacts=True)
        server = PipelineServer(
            host=f"{SERVER}.{at.config.namespace}.svc.{at.platform.dns_domain}",
            port=HTTP,
            audience=AUDIENCE,
            account=at.config.account,
            namespaces=namespaces,
            by_namespace=at.config.serves == "teams",
            as_objects=at.config.pipelines_as_objects,
            root=root_of(at),
            registered=at.config.registered_namespaces,
            unmade=unmade_key(at),
        )
        return Offers(
            capabilities=(*web_links(at, at.config.ui.access, LINK), caller, spaces, server),
            existing=authorities_there(at, at.config.namespace),
        )

    @classmethod
    def problems(cls, at: Setting[KfpConfig]) -> Iterator[Problem]:
        """Servers that it cannot use, teams that could name any person, an interface that no one reaches."""
        yield from store_problems(at)
        yield from _team_problems(at)
        yield from registration_problems(at)
        yield from access_problems(at, at.config.ui.access, "ui.access")
        if not at.platform.serves(WORKFLOWS):
            yield Problem(
                f"components.{at.name}: nothing in the stack runs workflows, which its pipelines become",
                hint="add `argo-workflows: {}`, or `argo-workflows: {provided: …}` where the cluster has it",
            )

    def build(self) -> None:
        """Everything that runs pipelines."""
        kept = stores(self)
        Crds(self)
        metadata(self, kept)
        server(self, kept)
        agents(self)
        if kept.cache:
            cache(self, kept.cache)
        if self.config.pipelines_as_objects:
            self._objects()
        ui(self, kept)
        teams(self, kept)
        if self.config.registered_namespaces and self.config.serves == "teams":
            registered(self, kept)
        borders(self, meshed=self.maybe(Mesh) is not None, cached=kept.cache is not None)
        PeopleRoles(self, name="pipelines", edit=rules.EDIT, view=rules.VIEW)
        Alerts(self, observation.ALERTS)
        Dashboards(self, [observation.BOARD])

    def _objects(self) -> None:
        """Webhooks that the server answers for versions of pipelines, and their certificate."""
        issuer = "kfp-api-webhook-selfsigned-issuer"
        certificate = ServingCertificate(self, CERTIFICATE, services=[SERVER], issuer=issuer)
        name = "pipelineversions.pipelines.kubeflow.org"
        asked = [rule("pipelines.kubeflow.org", "v2beta1", "pipelineversions", "CREATE UPDATE", scope="Namespaced")]
        for kind, path in (("validating", "validate"), ("mutating", "mutate")):
            Webhooks(
                self,
                name,
                kind=kind,  # type: ignore[arg-type]
                service=SERVER,
                port=WEBHOOK_PORT,
                hooks=[Hook(name=name, path=f"/webhooks/{path}-pipelineversion", rules=asked)],
                ca_from=certificate.ca_from,
            )


def _team_problems(at: Setting[KfpConfig]) -> Iterator[Problem]:
    """Why teams could not be kept apart."""
    if at.config.serves == "one":
        return
    instead = "or write `serves: one` where one team has the cluster, and all see all runs"
    if at.maybe(Mesh) is None:
        yield Problem(
            f"components.{at.name}: its server believes a header that says who a person is, and without a mesh any "
            "pod of a team can write it",
            hint=f"add istio, which lets that header pass from its own programs alone, {instead}",
            at=("components", at.name, "serves"),
        )
    if at.config.ui.access == "everyone":
        yield Problem(
            f"components.{at.name}.ui.access: people of teams must be known, and `everyone` has no login",
            hint=f"write `access: people`, {instead}",
            at=("components", at.name, "ui", "access"),
        )
