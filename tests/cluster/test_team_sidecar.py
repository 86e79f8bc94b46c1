"""Who reaches what runs in a team's namespace in the mesh: members, groups by their tokens, Profiles' owners and contributors,
who ends idle notebooks, and no one by a header of their own.

Real: istiod and its webhook, pilot-agent and Envoy of the gateway and of the pod, certificates that istiod signs for the
accounts of all callers, the issuer's keys as istiod fetches them, and policies: those of `kubeflow-roles` as a stack renders
them, and those that the profile controller and access management write, with the variables of dist/. Played: these two
programs (`notebook_writers.py`), the identity provider, and what `proxies.py` and `shop.py` say.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from platform_def.capabilities import AuthorizationService, Identity
from platform_def.constructs import Route
from platform_def.manifests.rendered import RenderedStack
from tests.cluster import issuer
from tests.cluster import notebook_writers as writers
from tests.cluster.client import Manifest
from tests.cluster.conftest import or_skip, show_logs
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.door import Door, envoy_program, give_pods_addresses
from tests.cluster.issuer import new_key, token
from tests.cluster.notebook_writers import CONTRIBUTOR, OWNER, TEAM
from tests.cluster.pods import Program
from tests.cluster.proxies import WRITES, Proxy
from tests.cluster.shop import HOME, LED, QUIET, Shop, around, pod
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of, rendered_stack
from tests.cluster.test_notebook_routes import variables
from tests.unit.constructs.samples import built

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

ISSUER, ISSUED, CLIENT = "https://id.example.com", 8054, "oauth2-proxy"
ADA, USER, GROUPS, GROUP = "ada@example.com", "kubeflow-userid", "kubeflow-groups", "lab"
CULLER_HOME, CULLER = "kubeflow", "notebook-controller-service-account"
STACK = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36"}}
gateway: istio-ingress-gateway
ingress: {{kind: cloud}}
components:
  istio: {{mtls: strict, inject: [{HOME}, elsewhere]}}
  istio-ingress-gateway: {{}}
  kubeflow-roles: {{}}
external:
  authorizationService: {{name: who, host: who.auth.svc.cluster.local, port: 80, adds: [{USER}, authorization]}}
  identity: {{issuer: "{ISSUER}", groupsHeader: {GROUPS}, keysUrl: "http://127.0.0.1:{ISSUED}/keys"}}
teams:
  - {{name: shop, namespace: {HOME}, members: [{{name: {ADA}}}], groups: [{{name: {GROUP}}}]}}
  - {{name: elsewhere, namespace: elsewhere}}
"""
DOOR, WEB, MOVED = "10.99.0.1", "10.99.3.1", 100
CALLERS = {"neighbour": ("elsewhere", "default", 200), "culler": (CULLER_HOME, CULLER, 300)}
"""Pods of other namespaces: where, by which account, and by how much their proxy's ports are moved."""
WITHOUT_ENVOY = {**WRITES, "DISABLE_ENVOY": "true"}
NOTEBOOK = f"/web/notebook/{HOME}/{writers.NAME}"
KERNELS = f"{NOTEBOOK}/api/kernels"


@dataclass(frozen=True)
class Team:
    """A team's pod behind its sidecar, the gateway, and pods that call by themselves."""

    shop: Shop
    stack: RenderedStack
    sidecar: Proxy
    callers: Mapping[str, Proxy]
    key: bytes

    def bearing(self, *groups: object, key: bytes = b"", **claims: Any) -> int:
        """The answer to a request with a token that says groups, as the gateway hands it on."""
        said = {"issuer": ISSUER, "client": CLIENT, "groups": [*groups], **claims}
        return self.asked({"authorization": f"Bearer {token(key or self.key, **said)}"})

    def asked(self, headers: Mapping[str, str], path: str = "/web/x", method: str = "GET") -> int:
        """The answer to a request by way of the gateway."""
        return self.shop.door.get(path, known=False, headers=headers, method=method).status

    def called(self, name: str, path: str, headers: Mapping[str, str] | None = None, method: str = "GET") -> int:
        """The answer to a pod that calls the team's pod itself, with its own identity in the mesh."""
        caller = self.sidecar if name == "own" else self.callers[name]
        direct = Door(self.shop.control_plane.folder / "direct.sock", "", caller.identity())
        return direct.get(path, known=False, headers=headers, method=method).status

    @contextmanager
    def ruled(self, policies: Sequence[Manifest], *, until_refused: Mapping[str, str]) -> Iterator[None]:
        """With these policies in the team's namespace, once a request with such headers is refused."""
        api = self.shop.control_plane.api
        self.shop.store(policies)
        try:
            until(lambda: self.asked(until_refused) == 403, seconds=START_SECONDS, what="the policy holds")
            yield
        finally:
            for each in policies:
                api.request("DELETE", api.path(each) or "")
            until(lambda: self.asked({}) == 200, seconds=START_SECONDS, what="the policy is gone")


def parts(stack: RenderedStack) -> tuple[list[Manifest], list[Manifest]]:
    """The objects of the stack's components, without and with the policies for who reaches the team's pods."""
    every = [item.manifest for each in stack.components.values() for item in each.objects]
    mine = [each for each in every if each["metadata"].get("namespace") == HOME and "istio.io" in each["apiVersion"]]
    # The gateway asks no one here: the test says what it would have been told, the user's header or a token.
    asks = (AuthorizationService.kind(), Identity.kind())
    kept = [each for each in stack.platform.provisions if each.kind not in asks]
    made = built(
        lambda self: Route(self, "web", path="/web/", service="web", namespace=HOME),
        platform=stack.platform.model_copy(update={"provisions": tuple(kept)}),
    )
    routes = [each.manifest for each in made.objects]
    for each in routes:
        each["metadata"]["namespace"] = HOME
    return [each for each in every if each not in mine] + routes, mine


def caller(name: str) -> Manifest:
    """A pod that calls; what it runs is played by the test."""
    home, account, _ = CALLERS[name]
    metadata = {"name": name, "namespace": home, "labels": {"app": name}}
    spec = {"serviceAccountName": account, "containers": [{"name": "main", "image": "example.com/any:1"}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def homes(objects: Sequence[Manifest]) -> Iterator[Manifest]:
    """The namespace of the notebook controller, in the mesh as that of the team is, and the accounts of callers."""
    (team,) = (each for each in objects if each["kind"] == "Namespace" and each["metadata"]["name"] == HOME)
    yield {**team, "metadata": {"name": CULLER_HOME, "labels": team["metadata"]["labels"]}}
    for home, account, _ in CALLERS.values():
        yield {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": account, "namespace": home}}


@pytest.fixture(scope="module")
def running(
    tmp_path_factory: pytest.TempPathFactory, binaries: Mapping[str, Path], programs: Mapping[str, Path]
) -> Iterator[Team]:
    """The mesh; no policy says yet who reaches the team's pod."""
    envoy, root, key = or_skip(envoy_program), tmp_path_factory.mktemp("team-sidecar"), new_key()
    stack = rendered_stack(root / "stack", STACK, name="mesh")
    objects, _ = parts(stack)
    (root / "issuer.key").write_bytes(key)
    with ControlPlane(binaries, data=snapshot(binaries, crds_of(objects))) as control_plane, control_plane.explaining():
        shop, sandbox = Shop(control_plane, programs, envoy), control_plane.sandbox
        give_pods_addresses(sandbox, control_plane.folder)
        argv = [sys.executable, "-I", issuer.__file__, str(ISSUED), ISSUER, CLIENT, "any", str(root / "issuer.key")]
        sandbox.start("issuer", argv, log=control_plane.folder / "issuer.log")
        shop.store([*objects, *homes(objects), *around({"web-1": WEB}), QUIET])
        shop.serve()
        istiod: Program = shop.rule(objects, "istiod")
        gateway = shop.gateway(objects, "door", DOOR)
        sidecar = shop.run(shop.admitted(istiod, pod("web-1")), WEB, moved=MOVED, settings=WRITES)
        callers = {
            name: shop.run(
                shop.admitted(istiod, caller(name)), f"10.99.4.{moved // 100}", moved=moved, settings=WITHOUT_ENVOY
            )
            for name, (_, _, moved) in CALLERS.items()
        }
        shop.wait([gateway, sidecar])
        sandbox.forward(control_plane.folder / "direct.sock", port=LED, host=WEB)
        team = Team(shop, stack, sidecar, callers, key)
        for name in ("own", *CALLERS):
            until(partial(identified, team, name), seconds=START_SECONDS, what=f"{name} has an identity")
        yield team


def identified(team: Team, name: str) -> bool:
    """Whether a pod has its certificate, and the team's pod takes it while no policy says who comes."""
    try:
        return team.called(name, "/web/") == 200
    except OSError:
        return False


@pytest.fixture
def team(running: Team, request: pytest.FixtureRequest) -> Team:
    """The shared mesh; its logs are shown when the test fails."""
    show_logs(request, running.shop.control_plane)
    return running


def test_members_come_by_name_and_groups_by_the_whole_element_of_a_token(team: Team) -> None:
    """By what `kubeflow-roles` renders for a team with a member and a group."""
    _, policies = parts(team.stack)
    assert sorted(each["kind"] for each in policies) == ["AuthorizationPolicy", "RequestAuthentication"]

    with team.ruled(policies, until_refused={}):
        until(lambda: team.bearing(GROUP) == 200, seconds=START_SECONDS, what="istiod has fetched the issuer's keys")
        refused = {
            "longer": ["laboratory"],
            "longer in front": ["my-lab"],
            "shorter": ["la"],
            "two in one": ["other,lab"],
            "another case": ["Lab"],
            "with a space": ["lab "],
            "none": [],
        }
        assert {what: team.bearing(*groups) for what, groups in refused.items()} == dict.fromkeys(refused, 403)
        assert team.bearing("other", GROUP) == team.bearing(GROUP, "other") == 200
        assert team.bearing("laboratory", GROUP, "my-lab") == 200
        # In the place where another claim is, or in a header, it is no group.
        assert team.bearing("other", roles=[GROUP], sub=GROUP) == 403
        assert team.asked({GROUPS: f"system:authenticated,{GROUP}"}) == 403
        assert team.bearing(GROUP, key=new_key()) == 401
        assert team.bearing(GROUP, exp=1) == 401
        assert team.bearing(GROUP, iss="https://id.example.org") == 401
        assert team.asked({USER: ADA}) == 200
        assert team.asked({USER: "ada@example.community"}) == team.asked({USER: f"not-{ADA}"}) == 403


def test_a_token_and_a_name_count_from_the_gateway_alone(team: Team) -> None:
    _, policies = parts(team.stack)
    good = token(team.key, issuer=ISSUER, client=CLIENT, groups=[GROUP])
    with team.ruled(policies, until_refused={}):
        until(lambda: team.bearing(GROUP) == 200, seconds=START_SECONDS, what="istiod has fetched the issuer's keys")
        for name in CALLERS:
            assert team.called(name, "/web/x", {"authorization": f"Bearer {good}"}) == 403
            assert team.called(name, "/web/x", {USER: ADA}) == 403
            assert team.called(name, "/healthz") == 200
        assert team.called("own", "/web/x") == 200


def of_the_profile() -> list[Manifest]:
    """What the profile controller and access management write for a Profile with a contributor."""
    manager, access = variables("profiles", "profiles-deployment"), writers.access_management
    contributed = [call.manifest for call in access(manager, USER) if call.manifest["kind"] == "AuthorizationPolicy"]
    made = [writers.policy_of_the_owner(notebooks(manager), USER), contributed[0]]
    text = json.dumps(made).replace(f'"{TEAM}"', f'"{HOME}"')
    found: list[Manifest] = json.loads(text)
    return found


def notebooks(manager: Mapping[str, str]) -> dict[str, str]:
    """The variables, once they are seen to name the accounts that there are here."""
    assert manager["NOTEBOOK_CONTROLLER_PRINCIPAL"] == f"cluster.local/ns/{CULLER_HOME}/sa/{CULLER}"
    return dict(manager)


def test_a_profile_lets_in_its_owner_a_contributor_and_the_culler_and_no_one_else(team: Team) -> None:
    policies = of_the_profile()
    assert [each["metadata"]["name"] for each in policies] == [
        "ns-owner-access-istio",
        "user-li-example-com-clusterrole-edit",
    ]

    with team.ruled(policies, until_refused={USER: "eve@example.com"}):
        until(lambda: team.asked({USER: CONTRIBUTOR}) == 200, seconds=START_SECONDS, what="a contributor gets in")
        by_the_gateway = {who: team.asked({USER: who}, NOTEBOOK) for who in (OWNER, CONTRIBUTOR, "eve@example.com", "")}
        assert by_the_gateway == {OWNER: 200, CONTRIBUTOR: 200, "eve@example.com": 403, "": 403}
        assert team.asked({}, NOTEBOOK) == 403
        assert team.asked({USER: f"{OWNER},eve@example.com"}, NOTEBOOK) == 403
        assert team.asked({}, KERNELS) == 403  # the culler's path is no way in for others
        # A pod of another team, in the name of somebody who may.
        for who in (OWNER, CONTRIBUTOR):
            assert team.called("neighbour", NOTEBOOK, {USER: who}) == 403
        assert team.called("neighbour", KERNELS) == 403
        assert team.called("culler", KERNELS) == 200
        assert team.called("culler", KERNELS, method="POST") == 403
        assert team.called("culler", f"{NOTEBOOK}/api/contents") == 403
        assert team.called("culler", NOTEBOOK, {USER: OWNER}) == 403
        assert team.called("own", NOTEBOOK) == 200


def test_without_the_contributors_policy_the_contributor_is_a_stranger(team: Team) -> None:
    owners, _ = of_the_profile()

    with team.ruled([owners], until_refused={USER: CONTRIBUTOR}):
        assert team.asked({USER: OWNER}, NOTEBOOK) == 200
