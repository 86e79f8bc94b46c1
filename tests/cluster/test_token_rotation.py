"""The API server's key for tokens of ServiceAccounts changes under an oauth2-proxy that runs on: tokens by the new key pass as
soon as there are some, those by the old one as long as the API server names it.

Real: the API server as the issuer, restarted with other keys, and oauth2-proxy with the files that stacks with `keys: cluster` and
`keys: public` render. Played: the people's identity provider, which nobody asks; for `public` a host that everyone trusts, with
the API server behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from platform_def.manifests.rendered import RenderedStack
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.door import Answer, Door
from tests.cluster.issuer import new_key, token
from tests.cluster.mounted import Mounted
from tests.cluster.people import CLUSTER_CA, PROXY
from tests.cluster.pki import API_SERVER, serving
from tests.cluster.stacks import rendered_stack
from tests.cluster.waves import apply_in_waves, refusals

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

HOSTS = {"cluster": API_SERVER, "public": "tokens.example.com"}
"""The issuer's host, by where its keys are found."""
HERE, HOME, PORT = "ml.example.com", "oauth2-proxy", 4180
STACK = """\
apiVersion: platform-def/v1
cluster:
  kubernetes: "1.36"
  serviceAccountTokens: {issuer: "https://HOST", audiences: [ml.example.com], keys: KEYS}
ingress: {kind: nodePort, host: ml.example.com, tls: {secret: door}, httpPort: 30080, httpsPort: 30443}
gateway: istio-ingress-gateway
components:
  istio: {}
  istio-ingress-gateway: {}
  oauth2-proxy: {clientSecret: {existing: people}, cookieSecret: {existing: cookies}}
external:
  identity: {issuer: "https://id.example.com", authorizationUrl: "https://id.example.com/auth", tokenUrl: "https://id.example.com/token", keysUrl: "https://id.example.com/keys"}
"""
GIVEN = {"people": {"client-secret": "of-nobody"}, "cookies": {"cookie-secret": "0123456789abcdef0123456789abcdef"}}
"""Secrets that the stack says exist."""


@dataclass(frozen=True)
class Issuing:
    """An oauth2-proxy that runs, and the API server whose keys change."""

    control_plane: ControlPlane
    proxy: Mounted
    keys: Mapping[str, Path]
    """Files of the old and of the new key."""

    def signs_by(self, signing: str, *named: str) -> None:
        """Start the API server again with a key to sign with, and those that it names beside it."""
        self.control_plane.kill_api_server()
        self.control_plane.restart_api_server(flags=by_keys(self.keys, signing, *named))

    def token(self) -> str:
        """A token of a ServiceAccount for the platform, by the key that signs now."""
        spec = {"audiences": [HERE], "expirationSeconds": 600}
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec}
        reply = self.control_plane.api.request(
            "POST", f"/api/v1/namespaces/{HOME}/serviceaccounts/default/token", request
        )
        assert reply.status == 201, reply.message
        return str(reply.body["status"]["token"])

    def known_to_api_server(self, shown: str) -> bool:
        """Whether the API server itself still takes a token."""
        review = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenReview",
            "spec": {"token": shown, "audiences": [HERE]},
        }
        reply = self.control_plane.api.request("POST", "/apis/authentication.k8s.io/v1/tokenreviews", review)
        assert reply.status == 201, reply.message
        return bool(reply.body["status"].get("authenticated"))

    def asked(self, shown: str) -> Answer:
        """What oauth2-proxy answers a gateway about a request with a token."""
        assert self.proxy.name not in self.control_plane.sandbox.ended()
        headers = {"authorization": f"Bearer {shown}", "accept": "application/json"}
        return self.door.get("/", host=HERE, known=False, headers=headers)

    @property
    def door(self) -> Door:
        """The port at which it is asked."""
        path = self.control_plane.folder / "asked.sock"
        if not path.exists():
            self.control_plane.sandbox.forward(path, port=PORT)
        return Door(path, "")

    def ready(self) -> bool:
        """Whether it answers."""
        try:
            return self.door.get("/ping", known=False).status == 200
        except OSError:
            return False


def by_keys(keys: Mapping[str, Path], signing: str, *named: str) -> tuple[str, ...]:
    """Flags by which an API server signs tokens with one key, and names some."""
    files = (f"--service-account-key-file={keys[each]}" for each in (signing, *named))
    return (*files, f"--service-account-signing-key-file={keys[signing]}")


def given(control_plane: ControlPlane) -> Iterator[Manifest]:
    """What the stack and the controllers of a cluster have made before, and for who may read keys of a public issuer."""
    for name, data in GIVEN.items():
        metadata = {"name": name, "namespace": HOME}
        yield {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": data}
    yield {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": HOME}}
    authority = control_plane.pki.authority.read_text()
    published = {"name": CLUSTER_CA, "namespace": HOME}
    yield {"apiVersion": "v1", "kind": "ConfigMap", "metadata": published, "data": {"ca.crt": authority}}
    group = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "system:unauthenticated"}
    role = {"kind": "ClusterRole", "name": "system:service-account-issuer-discovery"}
    yield {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": "published"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", **role},
        "subjects": [group],
    }


def stack(root: Path, keys: str) -> RenderedStack:
    """The stack whose tokens' keys are found there."""
    return rendered_stack(root, STACK.replace("HOST", HOSTS[keys]).replace("KEYS", keys), name="tokens")


@pytest.fixture(params=[*HOSTS])
def issuing(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    binaries: Mapping[str, Path],
    programs: Mapping[str, Path],
) -> Iterator[Issuing]:
    """oauth2-proxy of the stack, which has asked the issuer about itself."""
    host, keys = HOSTS[request.param], {name: tmp_path / f"{name}.key" for name in ("old", "new")}
    for file in keys.values():
        file.write_bytes(new_key())
    every = [item.manifest for item in stack(tmp_path / "stack", request.param).components[PROXY].objects]
    public = serving(tmp_path / "public", [HOSTS["public"]])
    flags = (
        f"--service-account-issuer=https://{host}",
        f"--service-account-jwks-uri=https://{host}/openid/v1/jwks",
        f"--tls-sni-cert-key={public.certificate},{public.key}",
        "--anonymous-auth=true",
    )
    with ControlPlane(binaries, flags=(*flags, *by_keys(keys, "old"))) as control_plane, control_plane.explaining():
        show_logs(request, control_plane)
        control_plane.sandbox.relay("127.0.0.1", 443, target=control_plane.port)
        home = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": HOME}}
        read = [each for each in every if each["kind"] in ("ConfigMap", "ServiceAccount", "Deployment", "Service")]
        if request.param == "cluster":
            read += [each for each in every if each["kind"] == "ClusterRoleBinding"]
        found = [each for each in given(control_plane) if each["kind"] != "ClusterRoleBinding"]
        found += [each for each in given(control_plane) if request.param == "public" and each not in found]
        refused = refusals(apply_in_waves(control_plane.api, [home, *read, *found]))
        assert not refused, "\n".join(refused)
        proxy = Mounted(control_plane, every, PROXY, PROXY, hosts=(host,))
        trusted = proxy.tmp.parent / "etc" / "ssl" / "trusted.crt"
        trusted.parent.mkdir(parents=True, exist_ok=True)
        trusted.write_bytes(public.authority.read_bytes())
        proxy.start(programs[PROXY], proxy.spec["args"], settings={"SSL_CERT_FILE": "/etc/ssl/trusted.crt"})
        found_it = Issuing(control_plane, proxy, keys)
        until(found_it.ready, seconds=START_SECONDS, what="oauth2-proxy answers")
        yield found_it


def test_tokens_pass_while_the_api_server_s_key_changes_and_the_old_ones_no_longer_once_it_is_dropped(
    issuing: Issuing,
) -> None:
    old = issuing.token()
    first = issuing.asked(old)
    issuing.signs_by("new", "old")
    new = issuing.token()
    both = [issuing.asked(each).status for each in (new, old)]
    issuing.signs_by("new")
    reviewed = [issuing.known_to_api_server(each) for each in (new, old)]
    # What it has fetched counts until it meets a key that it does not know, and asks again.
    before = issuing.asked(old).status
    unknown = issuing.asked(token(new_key(), issuer=f"https://{issuing.proxy.hosts[0]}", client=HERE, kid="unknown"))
    after = [issuing.asked(each).status for each in (new, old)]

    assert first.status == 200
    assert first.headers["kubeflow-userid"] == f"system:serviceaccount:{HOME}:default"
    assert both == [200, 200]
    assert reviewed == [True, False]
    assert (before, unknown.status) == (200, 401)
    assert after == [200, 401]


def test_who_is_started_anew_takes_the_keys_that_are_named_then(issuing: Issuing, programs: Mapping[str, Path]) -> None:
    old = issuing.token()
    issuing.signs_by("new")
    issuing.control_plane.sandbox.stop(issuing.proxy.name)
    settings = {"SSL_CERT_FILE": "/etc/ssl/trusted.crt"}
    issuing.proxy.start(programs[PROXY], issuing.proxy.spec["args"], settings=settings)
    until(issuing.ready, seconds=START_SECONDS, what="oauth2-proxy answers again")

    assert [issuing.asked(each).status for each in (issuing.token(), old)] == [200, 401]
