"""Members and groups of teams: roles, namespaces of their own, and who reaches pods in a mesh."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.capabilities import AuthorizationService, Gateway, Identity, Mesh
from platform_def.components.people.kubeflow_roles.component import KubeflowRoles
from platform_def.components.people.namespaces.component import Namespaces
from platform_def.config.access.tokens import ServiceAccountTokens
from platform_def.config.capability import Capability, Provision
from platform_def.config.platform import Platform
from platform_def.config.pools import Gpu, NodePool
from platform_def.config.queues import shares
from platform_def.config.teams import Team, owned, owner_of, with_rooms
from platform_def.constructs.component import Setting
from tests.unit.built import Objects, built

GPU = "nvidia.com/gpu"
POOL = NodePool(name="train", gpu=Gpu(model="a100-80gb", per_node=8))
LI = {"name": "li@example.com"}
IN_MESH: tuple[Capability, ...] = (
    Mesh(api="istio", root_namespace="istio-system", namespaces=("team-vision",), trust_domain="example.org"),
    Gateway(api="istio", name="edge", namespace="doors", account="edge-account"),
    Identity(issuer="https://id.example.com", keys_url="http://dex/keys", user_prefix="oidc:"),
)
WITH_TOKEN = AuthorizationService(name="who", host="who.auth", port=80, adds=("kubeflow-userid", "authorization"))
WITHOUT_TOKEN = AuthorizationService(name="who", host="who.auth", port=80, adds=("kubeflow-userid",))


def facts(*given: Capability, **team: Any) -> Platform:
    provisions = tuple(Provision.of(each, "edge") for each in given)
    gateway = "edge" if any(isinstance(each, Gateway) for each in given) else "none"
    vision = Team.from_file({"name": "vision", **team})
    return Platform(teams=(vision,), node_pools=(POOL,), provisions=provisions, gateway=gateway)


def made(*given: Capability, **team: Any) -> Objects:
    return built(KubeflowRoles, facts(*given, **team))


def in_home(objects: Objects, kind: str, home: str) -> dict[str, Any]:
    return {each["metadata"]["name"]: each for each in objects.of(kind) if each["metadata"]["namespace"] == home}


def test_members_and_groups_of_a_role_share_a_binding() -> None:
    objects = made(members=[LI, {"name": "ada@example.com", "role": "admin"}], groups=[{"name": "lab"}])
    bindings = in_home(objects, "RoleBinding", "team-vision")

    assert set(bindings) == {"members-admin", "members-edit"}
    assert [(each["kind"], each["name"]) for each in bindings["members-edit"]["subjects"]] == [
        ("User", "li@example.com"),
        ("Group", "lab"),
    ]
    assert bindings["members-edit"]["roleRef"]["name"] == "kubeflow-edit"


def test_a_team_without_members_has_no_binding() -> None:
    assert made().of("RoleBinding") == []


def test_a_member_with_a_quota_has_a_namespace_of_their_own() -> None:
    team = {"members": [{**LI, "quota": {"gpus": 2, "cpu": "16"}}], "quota": {"gpus": 8}}
    objects = built(Namespaces, facts(**team))
    quotas = in_home(objects, "ResourceQuota", "team-vision-li")

    assert quotas["gpus"]["spec"]["hard"]["requests.nvidia.com/gpu"] == "2"
    assert quotas["compute"]["spec"]["hard"] == {"requests.cpu": "16"}
    assert in_home(objects, "NetworkPolicy", "team-vision-li")
    (subject,) = in_home(made(**team), "RoleBinding", "team-vision-li")["members-edit"]["subjects"]
    assert subject["name"] == "li@example.com"


def test_a_member_without_a_quota_has_none() -> None:
    assert Team.from_file({"name": "vision", "members": [LI]}).homes == ("team-vision",)


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ([LI, LI], "li@example.com is there twice"),
        ([{**LI, "quota": {}}, {"name": "li@example.org", "quota": {}}], "would share the namespace team-vision-li"),
        ([{"name": "@", "quota": {}}], "no name of at most 63 letters"),
    ],
)
def test_members_are_told_apart(members: list[dict[str, Any]], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        Team.from_file({"name": "vision", "members": members})


def test_a_group_is_one_name() -> None:
    with pytest.raises(ValidationError):
        Team.from_file({"name": "vision", "groups": [{"name": "lab,other"}]})


def test_pods_in_a_mesh_take_requests_of_members_by_the_gateway_alone() -> None:
    (policy,) = made(*IN_MESH, members=[LI]).of("AuthorizationPolicy")
    own, probes, people = policy["spec"]["rules"]

    assert own == {"from": [{"source": {"namespaces": ["team-vision"]}}]}
    assert "/healthz" in probes["to"][0]["operation"]["paths"]
    assert people["from"] == [{"source": {"principals": ["example.org/ns/doors/sa/edge-account"]}}]
    assert people["when"] == [{"key": "request.headers[kubeflow-userid]", "values": ["oidc:li@example.com"]}]


def test_a_group_is_compared_as_an_element_of_the_tokens_list() -> None:
    objects = made(*IN_MESH, WITH_TOKEN, groups=[{"name": "lab"}])
    (policy,), (token,) = objects.of("AuthorizationPolicy"), objects.of("RequestAuthentication")

    assert policy["spec"]["rules"][2]["when"] == [{"key": "request.auth.claims[groups]", "values": ["lab"]}]
    assert token["spec"]["jwtRules"] == [
        {"issuer": "https://id.example.com", "jwksUri": "http://dex/keys", "forwardOriginalToken": False}
    ]


def machines(keys: str, **more: Any) -> ServiceAccountTokens:
    given = {"issuer": "https://kubernetes.default.svc", "audiences": ["platform"], "keys": keys, **more}
    return ServiceAccountTokens.from_file(given)


INLINE = machines("inline", jwks={"keys": [{"kid": "one", "n": "AQAB", "e": "AQAB"}]})


def test_service_accounts_of_the_team_reach_its_pods_by_the_gateway() -> None:
    platform = facts(*IN_MESH, WITH_TOKEN, groups=[{"name": "lab"}]).model_copy(
        update={"service_account_tokens": INLINE}
    )
    objects = built(KubeflowRoles, platform)
    (policy,), (token,) = objects.of("AuthorizationPolicy"), objects.of("RequestAuthentication")

    assert policy["spec"]["rules"][2]["when"] == [
        {"key": "request.headers[kubeflow-userid]", "values": ["oidc:system:serviceaccount:team-vision:*"]}
    ]
    assert INLINE.jwks is not None
    assert token["spec"]["jwtRules"][1] == {
        "issuer": "https://kubernetes.default.svc",
        "audiences": ["platform"],
        "jwks": INLINE.jwks.document(),
        "forwardOriginalToken": False,
    }


def test_keys_that_istiod_cannot_read_are_refused_where_it_checks_tokens() -> None:
    def told(tokens: ServiceAccountTokens) -> list[str]:
        platform = facts(*IN_MESH, WITH_TOKEN, groups=[{"name": "lab"}]).model_copy(
            update={"service_account_tokens": tokens}
        )
        return [
            str(each)
            for each in KubeflowRoles.problems(Setting("kubeflow-roles", KubeflowRoles.config_model()(), platform))
        ]

    (text,) = told(machines("cluster"))
    assert "cluster.serviceAccountTokens.keys: istiod" in text
    assert told(INLINE) == []


def test_groups_in_a_mesh_without_tokens_are_refused() -> None:
    def told(*given: Capability) -> list[str]:
        at = Setting("kubeflow-roles", KubeflowRoles.config_model()(), facts(*given, groups=[{"name": "lab"}]))
        return [str(each) for each in KubeflowRoles.problems(at)]

    assert any("which groups" in text for text in told(*IN_MESH, WITHOUT_TOKEN))
    assert told(*IN_MESH, WITH_TOKEN) == []
    assert told(WITHOUT_TOKEN) == []


def test_without_a_mesh_no_policy_of_one_is_made() -> None:
    assert made(IN_MESH[1], IN_MESH[2], members=[LI]).of("AuthorizationPolicy") == []


def test_a_member_has_a_queue_where_the_team_has_one() -> None:
    team = Team.from_file({"name": "vision", "queue": "vision", "members": [{**LI, "quota": {"gpus": 2}}]})
    (room,) = team.rooms
    divided = shares([team], [POOL])

    assert (room.queue, room.owner, room.in_words) == (
        "team-vision-li",
        "vision/li@example.com",
        "li@example.com of team vision",
    )
    assert [each.name for each in divided.queues] == ["vision", "team-vision-li"]
    queue = divided.queue("team-vision-li")
    assert queue is not None
    assert (queue.own["train", GPU], queue.borrowing["train", GPU], queue.homes) == (0, 2, ("team-vision-li",))
    assert queue.above == divided.queue("vision")
    assert Team.from_file({"name": "vision", "members": [{**LI, "quota": {"gpus": 2}}]}).rooms[0].queue is None


def test_a_resource_quota_limits_the_devices_of_a_member_beside_a_queue() -> None:
    queued = {"queue": "vision", "quota": {"gpus": 4}, "members": [{**LI, "quota": {"gpus": 2}}]}
    objects = built(Namespaces, facts(**queued))

    assert in_home(objects, "ResourceQuota", "team-vision-li")["gpus"]["spec"]["hard"] == {f"requests.{GPU}": "2"}
    assert in_home(objects, "ResourceQuota", "team-vision") == {}
    assert [each.limits_devices for each in facts(**queued).teams] == [False]


def test_the_owner_of_a_job_is_a_team_or_a_member_of_one() -> None:
    (team,) = facts(members=[{**LI, "quota": {"gpus": 2}}]).teams

    assert owned("vision", [team]) is team
    assert [each.home for each in with_rooms([team])] == ["team-vision", "team-vision-li"]
    found = owned(owner_of("vision", "li@example.com"), [team])
    assert found is not None
    assert found.home == "team-vision-li"
    assert (owned("", [team]), owned("vision/ada@example.com", [team]), owner_of(None, None)) == (None, None, "")
    assert (team.in_words, team.owner, team.limits_devices) == ("team vision", "vision", True)
