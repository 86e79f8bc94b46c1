"""What members and groups of a team may do in its namespaces: roles, and in a mesh whose requests reach its pods."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from platform_def.apis.core.rbac_v1 import ROLE_BINDING
from platform_def.capabilities import AuthorizationService, Identity, Mesh, MeshCaller
from platform_def.config.access.tokens import ServiceAccountTokens
from platform_def.config.capability import need
from platform_def.config.reads import independently
from platform_def.config.teams import Team, TeamRole
from platform_def.constructs import Problem, Resource, Setting
from platform_def.constructs.route import gateway_of

if TYPE_CHECKING:
    from platform_def.components.people.kubeflow_roles.config import AnyKubeflowRoles

RBAC = "rbac.authorization.k8s.io"
MESH = need(Mesh, order="any", optional=True)
IDENTITY = need(Identity, order="any", optional=True)
ASKED = need(AuthorizationService, order="any", optional=True)
ROLES: tuple[TeamRole, ...] = ("admin", "edit", "view")
FOR_ALL = ("/healthz", "/metrics", "/wait-for-drain")
"""Paths that say nothing of a person: probes, Prometheus, and proxies that wait for their pod's end."""


def members(component: AnyKubeflowRoles, team: Team) -> None:
    """Roles in the team's namespace and in those of its members; who may send requests to pods there."""
    for place in (team, *team.rooms):
        for role in ROLES:
            _binding(component, place, role)
        if place.members or place.groups:
            _requests(component, place)


def _binding(component: AnyKubeflowRoles, team: Team, role: TeamRole) -> None:
    """One binding for all who have a role: the role of a binding cannot change, its subjects can."""
    subjects = [
        *({"apiGroup": RBAC, "kind": "User", "name": each.name} for each in team.members if each.role == role),
        *({"apiGroup": RBAC, "kind": "Group", "name": each.name} for each in team.groups if each.role == role),
    ]
    if not subjects:
        return
    reference = {"apiGroup": RBAC, "kind": "ClusterRole", "name": f"kubeflow-{role}"}
    fields: Any = {"roleRef": reference, "subjects": subjects}
    Resource(component, ROLE_BINDING, f"members-{role}", fields=fields, namespace=team.home)


def _requests(component: AnyKubeflowRoles, team: Team) -> None:
    """In a mesh pods take requests of their own namespace, and of members by way of the gateway."""
    mesh, gateway = component.maybe(MESH), gateway_of(component.platform)
    identity = component.maybe(IDENTITY)
    if mesh is None or team.home not in mesh.value.namespaces or identity is None or gateway is None:
        return
    from platform_def.apis.istio.security_v1 import AUTHORIZATION_POLICY, REQUEST_AUTHENTICATION  # large

    said = [*_conditions(component, team, identity.value)]
    account = f"{mesh.value.trust_domain}/ns/{gateway.namespace}/sa/{gateway.account or '*'}"
    source = {"principals": [account]}
    rules: list[dict[str, object]] = [
        {"from": [{"source": {"namespaces": [team.home]}}]},
        {"to": [{"operation": {"paths": [*FOR_ALL], "methods": ["GET"]}}]},
        *({"from": [{"source": source}], "when": [condition]} for condition in said),
        *_idleness(component, mesh.value.trust_domain),
    ]
    spec: Any = {"action": "ALLOW", "rules": rules}
    Resource(component, AUTHORIZATION_POLICY, "members", spec=spec, namespace=team.home, part="after")
    if team.groups and _tokens(component):
        machines = _machines(component.platform.service_account_tokens)
        keys = {"jwksUri": identity.value.keys_url} if identity.value.keys_url else {}
        # The token ends at the pod's proxy: the program behind it could use it in the person's name.
        person = {"issuer": identity.value.issuer, **keys, "forwardOriginalToken": False}
        rule: Any = {"jwtRules": [person, *machines]}
        Resource(component, REQUEST_AUTHENTICATION, "members", spec=rule, namespace=team.home, part="after")


def _machines(tokens: ServiceAccountTokens | None) -> list[dict[str, object]]:
    """The gateway hands on tokens of ServiceAccounts too: one of an issuer that no rule names is refused."""
    if tokens is None:
        return []
    keys = {"jwks": tokens.jwks.document()} if tokens.jwks else {}
    return [{"issuer": tokens.issuer, "audiences": [*tokens.audiences], **keys, "forwardOriginalToken": False}]


def _idleness(component: AnyKubeflowRoles, trust_domain: str) -> Iterator[dict[str, object]]:
    """Who stops idle notebooks asks them which kernels run: that one path, as the profile controller has it."""
    asks = [each.value for each in component.platform.all(MeshCaller) if each.value.purpose == "notebook-activity"]
    if asks:
        operation = {"methods": ["GET"], "paths": ["*/api/kernels"]}
        source = {"principals": sorted(each.principal(trust_domain) for each in asks)}
        yield {"from": [{"source": source}], "to": [{"operation": operation}]}


def _conditions(component: AnyKubeflowRoles, team: Team, identity: Identity) -> Iterator[dict[str, object]]:
    """How a request says that a member or a ServiceAccount of the team sent it: by the header that the gateway writes,
    or by a group of the token.

    A list in a token is compared element by element; in a header a group could be a part of another's name.
    """
    names = [f"{identity.user_prefix}{each.name}" for each in team.members]
    if component.platform.service_account_tokens:
        names.append(f"{identity.user_prefix}system:serviceaccount:{team.home}:*")
    if names:
        yield {"key": f"request.headers[{identity.user_header}]", "values": names}
    if team.groups and _tokens(component):
        claim = f"request.auth.claims[{identity.groups_claim}]"
        yield {"key": claim, "values": [each.name for each in team.groups]}


def problems(at: Setting[Any]) -> Iterator[Problem]:
    """Groups in a mesh that no request could show it belongs to, and keys that the mesh cannot read."""
    yield from independently(_group_problems(index, team, at) for index, team in enumerate(at.platform.teams))
    tokens = at.platform.service_account_tokens
    if tokens and tokens.keys == "cluster" and _tokens(at) and any(_meshed(team, at) for team in at.platform.teams):
        text = "cluster.serviceAccountTokens.keys: istiod, which checks tokens in the mesh, cannot read the keys there"
        hint = "write `keys: inline` with `jwks:`"
        yield Problem(text, hint=hint, at=("cluster", "serviceAccountTokens", "keys"))


def _group_problems(index: int, team: Team, at: Setting[Any]) -> Iterator[Problem]:
    if _meshed(team, at) and at.maybe(IDENTITY) and not _tokens(at):
        text = f"teams[{index}].groups: requests in the mesh do not say which groups a person belongs to"
        hint = "write `oauth2-proxy: {passToken: true, redis: {host: …}}` under components, or name `members:`"
        yield Problem(text, hint=hint, at=("teams", index, "groups"))


def _meshed(team: Team, at: Setting[Any]) -> bool:
    """Whether a team with groups has its namespace in the mesh."""
    mesh = at.maybe(MESH)
    return mesh is not None and team.home in mesh.value.namespaces and bool(team.groups)


def _tokens(at: AnyKubeflowRoles | Setting[Any]) -> bool:
    """Whether the gateway hands on the token of who sent a request."""
    given = at.maybe(ASKED)
    return given is not None and "authorization" in given.value.adds
