"""Profiles: the controller that keeps a namespace for each person or team, and access management (KFAM) beside it.

Access management believes the header that says who asks, so the mesh lets in the dashboard alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Annotated, Any, cast

from pydantic import Field

from platform_def.apis.core.core_v1 import Container, PodSpec
from platform_def.capabilities import AccessManagement, Identity, Mesh, MeshCaller, TeamRoles
from platform_def.components.people.profiles import rules, teams
from platform_def.components.people.profiles.releases import BOARD, FACTS, NAME, RELEASES, RULES, ProfilesRelease
from platform_def.config.model import Labels, Name
from platform_def.constructs import (
    RESTRICTED_LEVEL,
    AccountNames,
    Alerts,
    Component,
    ComponentConfig,
    Crds,
    Dashboards,
    Health,
    LeaderElection,
    NetworkPolicy,
    Offers,
    Operator,
    PodSettings,
    Problem,
    Resource,
    Service,
    Setting,
    config_map,
    env,
    from_namespace,
    http_probe,
    need,
    port,
    secured,
    yaml_file,
)
from platform_def.constructs.route import gateway_of
from platform_def.constructs.web_app import in_gateways_mesh, redirection_problems

ACCOUNT, SERVICE, PORT, METRICS = "profiles-controller-service-account", "profiles-kfam", 8081, 8080
LABELS_MAP, LABELS_FOLDER = "profiles-namespace-labels-data", "/etc/profile-controller"
Person = Annotated[str, Field(min_length=1, max_length=253, pattern=r"^[^\s*,]+$")]


class ProfilesConfig(ComponentConfig):
    """What a stack may choose about Profiles."""

    releases = RELEASES

    namespace: Name = "kubeflow"
    """Namespace of the controller, upstream's."""
    owners: dict[Name, Person] = Field(default_factory=dict)
    """Teams that become Profiles, and who owns each: `{vision: ada@example.com}`. Members with a quota own the Profiles
    of their own namespaces. A Profile that is taken out here stays in the cluster until you delete it."""
    administrators: list[Person] = Field(default_factory=list)
    """People who see all Profiles in the dashboard and may change who works in each."""
    self_registration: bool = False
    """Let people make a Profile for themselves in the dashboard, and delete the ones that they own."""
    namespace_labels: Labels = Field(default_factory=dict)
    """Further labels of the namespaces that the controller makes."""


class Profiles(Component[ProfilesConfig, ProfilesRelease]):
    """CRD, controller and access management, Profiles of teams."""

    pod_security = RESTRICTED_LEVEL
    gives = (AccessManagement,)
    needs = (need(Mesh, order="any"), need(Identity, order="any"), need(TeamRoles, order="any"))

    @classmethod
    def offers(cls, at: Setting[ProfilesConfig]) -> Offers:
        """Access management, and the namespaces of Profiles with their owners."""
        given = AccessManagement(
            host=f"{SERVICE}.{at.config.namespace}.svc.{at.platform.dns_domain}",
            registration=at.config.self_registration,
        )
        homes = tuple(teams.namespace(each) for each in teams.owned(at.platform.teams, at.config.owners))
        return Offers(capabilities=(given,), namespaces=homes)

    @classmethod
    def problems(cls, at: Setting[ProfilesConfig]) -> Iterator[Problem]:
        """A gateway whose requests the policies do not know; teams that are not there or not in the mesh."""
        here, knob = ("components", at.name), f"components.{at.name}"
        gateway = gateway_of(at.platform)
        if gateway is None or not in_gateways_mesh(at, gateway):
            there = at.platform.gateway if gateway else "no gateway"
            text = f"{knob}: its policies let in people by the account of a gateway of Istio, and the stack has {there}"
            hint = "choose a gateway of Istio, or use JupyterHub for notebooks, which needs no Profiles"
            yield Problem(text, hint=hint, at=here)
        yield from redirection_problems(at, knob, at=here)
        known = [team.name for team in at.platform.teams]
        for name in at.config.owners:
            if name not in known:
                near = get_close_matches(name, known, n=1)
                hint = f"did you mean '{near[0]}'?" if near else "teams are under `teams:` of the stack"
                yield Problem(
                    f"{knob}.owners.{name}: there is no team of that name", hint=hint, at=(*here, "owners", name)
                )
        mesh = at.maybe(need(Mesh, order="any"))
        for each in teams.owned(at.platform.teams, at.config.owners):
            if mesh and each.home not in mesh.value.namespaces:
                text = (
                    f"{knob}.owners: the namespace {each.home} is not in the mesh, so anyone could reach its notebooks"
                )
                hint = f"add it to `inject:` of the component {mesh.by}"
                yield Problem(text, hint=hint, at=(*here, "owners"))

    def build(self) -> None:
        """Everything that keeps Profiles."""
        Crds(self)
        self.awaits("AuthorizationPolicy.security.istio.io")
        # The controller watches the file, so a change of labels restarts nothing.
        config_map(self, LABELS_MAP, {"namespace-labels.yaml": yaml_file(self._labels())})
        registers = [rules.REGISTRATION] if self.config.self_registration else []
        Operator(
            self,
            NAME,
            container=self._manager(),
            names=AccountNames(account=ACCOUNT, role="profiles-controller-role"),
            rules=[*rules.RULES, *registers],
            leader_election=LeaderElection(lease="kubeflow-profile-controller", role="profiles-leader-election-role"),
            health=Health(9876),
            metrics=METRICS,
            facts=FACTS,
            # Prometheus is no account of the mesh's policies: it reads around the proxy.
            pod=PodSettings(
                self._pod(), annotations={"traffic.sidecar.istio.io/excludeInboundPorts": str(METRICS)}, mesh="in"
            ),
        )
        Service(self, SERVICE, ports=[port("http-kfam", PORT)], workload=NAME)
        if self.platform.network_policies:
            homes = dict.fromkeys(each.namespace for each in self._callers("dashboard"))
            opened = [from_namespace(PORT, name=home) for home in homes or [self.namespace]]
            NetworkPolicy(self, SERVICE, openings=opened, workload=NAME)
        self._policy()
        for each in teams.owned(self.platform.teams, self.config.owners):
            teams.profile(self, each)
        Dashboards(self, [BOARD], tables=Alerts(self, RULES).tables)

    def _labels(self) -> dict[str, str]:
        """Labels of namespaces that it makes; for the stack's own it adds those that are not there."""
        mesh = self.one(Mesh).value
        revision = {"istio-injection": "", "istio.io/rev": mesh.revision} if mesh.revision else {}
        level = {"pod-security.kubernetes.io/enforce": "baseline" if mesh.redirected else "privileged"}
        return {**level, **teams.labels(self.platform), **revision, **self.config.namespace_labels}

    def _policy(self) -> None:
        """The dashboard asks; Profiles are made and removed by it only where people may register."""
        from platform_def.apis.istio.security_v1 import AUTHORIZATION_POLICY  # large

        asked = [{"methods": ["GET"], "ports": [str(PORT)], "paths": ["/kfam/*"]}]
        asked.append({"methods": ["POST", "DELETE"], "ports": [str(PORT)], "paths": ["/kfam/v1/bindings"]})
        if self.config.self_registration:
            asked.append({"methods": ["POST"], "ports": [str(PORT)], "paths": ["/kfam/v1/profiles"]})
            asked.append({"methods": ["DELETE"], "ports": [str(PORT)], "paths": ["/kfam/v1/profiles/*"]})
        let_in = self._principals("dashboard")
        spec: Any = {"action": "ALLOW", "selector": {"matchLabels": self.selector(NAME)}}
        if let_in:  # without a dashboard there are no callers
            to = [{"operation": each} for each in asked]
            spec["rules"] = [{"from": [{"source": {"principals": let_in}}], "to": to}]
        Resource(self, AUTHORIZATION_POLICY, SERVICE, spec=spec)

    def _callers(self, purpose: str) -> list[MeshCaller]:
        return [each.value for each in self.platform.all(MeshCaller) if each.value.purpose == purpose]

    def _principals(self, purpose: str) -> list[str]:
        domain = self.one(Mesh).value.trust_domain
        return sorted({each.principal(domain) for each in self._callers(purpose)})

    def _principal(self, purpose: str, otherwise: str) -> str:
        """An account of the mesh; an empty variable would mean upstream's default, in whatever trust domain."""
        known = self._principals(purpose)
        return known[0] if known else f"{self.one(Mesh).value.trust_domain}/ns/{self.namespace}/sa/{otherwise}"

    def _variables(self) -> dict[str, str]:
        gateway, mesh = gateway_of(self.platform), self.one(Mesh).value
        account = f"{gateway.namespace}/sa/{gateway.account}" if gateway else "none/sa/none"  # there is a problem then
        return {
            "ISTIO_INGRESS_GATEWAY_PRINCIPAL": f"{mesh.trust_domain}/ns/{account}",
            "KFP_UI_PRINCIPAL": self._principal("artifacts", "ml-pipeline-ui"),
        }

    @property
    def _headers(self) -> list[str]:
        identity = self.one(Identity).value
        return ["-userid-header", identity.user_header, "-userid-prefix", identity.user_prefix]

    def _manager(self) -> Container:
        notebooks = self._principal("notebook-activity", "notebook-controller-service-account")
        return {
            "name": "manager",
            "image": self.release.image,
            "command": ["/manager"],
            "args": [*self._headers, "--health-probe-bind-address=:9876", f"--metrics-bind-address=:{METRICS}"],
            "env": env({**self._variables(), "NOTEBOOK_CONTROLLER_PRINCIPAL": notebooks}),
            "ports": [{"name": "http", "containerPort": 9876, "protocol": "TCP"}],
            "volumeMounts": [{"name": "namespace-labels", "mountPath": LABELS_FOLDER, "readOnly": True}],
            "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        }

    def _pod(self) -> PodSpec:
        administrators = ",".join(self.config.administrators)
        beside: Container = {
            "name": "access-management",
            "image": self.release.access_management,
            "command": ["/access-management"],
            "args": ["-cluster-admin", administrators, *self._headers],
            "env": env(self._variables()),
            "ports": [{"name": "http-kfam", "containerPort": PORT, "protocol": "TCP"}],
            "livenessProbe": http_probe("/metrics", "http-kfam", delay=30, period=30),
            "readinessProbe": http_probe("/metrics", "http-kfam"),
            "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "128Mi"}},
            "securityContext": secured(FACTS),
        }
        volume = {"name": "namespace-labels", "configMap": {"name": LABELS_MAP}}
        return cast(PodSpec, {"enableServiceLinks": False, "containers": [beside], "volumes": [volume]})
