"""Contents of a Profile's namespace stay away until its controller has carried it out once, and then come by themselves.

Plain Applications of Argo CD bring them as soon as the namespace is there: nothing is lost, and all of it works in the end.

Stand-in: the profile controller, of which only the accounts and the finalizer are played (`notebook_writers.py` has all its calls).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cluster.client import Api, Manifest
from tests.cluster.engines.argocd import ArgoCd
from tests.cluster.engines.conftest import EmptyCluster
from tests.cluster.engines.either import FORMS, GATED
from tests.cluster.engines.repository import SAMPLE
from tests.cluster.engines.story import Delivered, Engine, handed_over, set_finalizers
from tests.cluster.notebook_writers import FINALIZER

pytestmark = pytest.mark.cluster

HOME, CONTENTS = "team-vision", "notes-main"
STACK = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36"}}
gateway: istio-ingress-gateway
ingress: {{kind: cloud, host: ml.example.com, tls: {{secret: ml-example-com}}}}
external: {{identity: {{issuer: "https://id.example.com"}}}}
components:
  istio: {{inject: [{HOME}]}}
  istio-cni: {{}}
  istio-ingress-gateway: {{}}
  kubeflow-roles: {{}}
  profiles: {{owners: {{vision: ada@example.com}}}}
  notes: {{path: apps/notes, namespace: {HOME}}}
teams: [{{name: vision, quota: {{cpu: "8"}}, members: [{{name: li@example.com}}]}}]
delivery: {{engine: ENGINE, repository: "{SAMPLE}"}}
"""
WAITS = {
    "flux": f"{CONTENTS}: Ready=False dependency 'flux-system/profiles-after' is not ready",
    GATED: f"{CONTENTS} waits for profiles-after, which is Synced and Progressing",
}
"""What an engine says of the contents while the Profile is there and not ready."""
SECONDS = 300


def key(kind: str, name: str, *, api: str = "v1", home: str = HOME) -> Manifest:
    """An object's name and place."""
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, **({"namespace": home} if home else {})}}


NOTES = key("ConfigMap", "notes") | {"data": {"read": "me"}}
PROFILE = key("Profile", HOME, api="kubeflow.org/v1", home="")
LIMITS = (
    key("ResourceQuota", "compute"),
    key("NetworkPolicy", "team", api="networking.k8s.io/v1"),
    key("RoleBinding", "members-edit", api="rbac.authorization.k8s.io/v1"),
    key("AuthorizationPolicy", "members", api="security.istio.io/v1"),
)
PLAIN = STACK.replace("ENGINE", "argocd")
WEB = key("Deployment", "web", api="apps/v1") | {
    "spec": {
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {
                "serviceAccountName": "default-editor",
                "containers": [{"name": "main", "image": "example.com/web:1"}],
            },
        },
    }
}
"""A program with the account that the controller makes."""
ACCOUNTS = (key("ServiceAccount", "default-editor"), key("ServiceAccount", "default-viewer"))


@pytest.mark.parametrize("engine", ["flux", pytest.param(GATED, marks=pytest.mark.thorough)])
def test_contents_come_once_the_controller_has_added_its_finalizer_and_limits_before(
    engine: str, empty_cluster: EmptyCluster, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    start = lambda cluster: FORMS[engine](cluster, programs)  # noqa: E731 - it is passed on
    text, own = STACK.replace("ENGINE", engine), {"notes": [NOTES]}
    with handed_over(empty_cluster, "teams", tmp_path, start, text=text, own=own, real=("Profile",)) as there:
        there.engine.until(lambda: is_there(there.api, PROFILE), seconds=SECONDS, what="the Profile comes")
        contents_wait(there, WAITS[engine])
        assert [each["metadata"]["name"] for each in LIMITS if not is_there(there.api, each)] == []

        for each in ACCOUNTS:
            assert not there.api.apply(each, manager="profile-controller").refusal
        there.engine.look()
        contents_wait(there, WAITS[engine])

        set_finalizers(there.api, PROFILE, [FINALIZER])
        there.engine.wait(there.repository, there.repository.revision)
        assert is_there(there.api, NOTES)

        there.engine.look_again(there.repository)
        assert there.api.read(PROFILE).body["metadata"]["finalizers"] == [FINALIZER]


def test_plain_applications_bring_contents_first_and_lose_nothing_once_the_controller_comes(
    empty_cluster: EmptyCluster, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    start = lambda cluster: ArgoCd(cluster, programs)  # noqa: E731 - it is passed on
    own = {"notes": [NOTES, WEB]}
    with handed_over(empty_cluster, "teams", tmp_path, start, text=PLAIN, own=own, real=("Profile",)) as there:
        api, engine = there.api, there.engine
        came = lambda: all(is_there(api, each) for each in (PROFILE, NOTES, WEB))  # noqa: E731 - it is passed on
        engine.until(came, seconds=SECONDS, what="the Profile and the contents come")
        engine.until(lambda: refused_an_account(api), seconds=SECONDS, what="the program's pod is refused")
        assert not engine.is_ready("profiles-after")
        assert not engine.is_ready(CONTENTS)
        before = [api.read(each).body["metadata"]["uid"] for each in (PROFILE, NOTES, WEB)]

        for each in ACCOUNTS:
            assert not api.apply(each, manager="profile-controller").refusal
        set_finalizers(api, PROFILE, [FINALIZER])
        engine.wait(there.repository, there.repository.revision)
        assert api.read(WEB).body["status"]["availableReplicas"] == 1
        assert [api.read(each).body["metadata"]["uid"] for each in (PROFILE, NOTES, WEB)] == before

        engine.look_again(there.repository)
        assert api.read(PROFILE).body["metadata"]["finalizers"] == [FINALIZER]
        assert [each["metadata"]["name"] for each in (*ACCOUNTS, *LIMITS) if not is_there(api, each)] == []


def refused_an_account(api: Api) -> bool:
    """Whether a ReplicaSet could not make a pod for want of its account."""
    events = api.get(f"/api/v1/namespaces/{HOME}/events").body.get("items") or ()
    return any(each["reason"] == "FailedCreate" and "default-editor" in each["message"] for each in events)


def is_there(api: Api, item: Manifest) -> bool:
    """Whether the cluster has an object."""
    return api.read(item).status == 200


def contents_wait(there: Delivered[Engine], words: str) -> None:
    """The engine says that they wait, and they are not there."""
    there.engine.until(lambda: words in there.engine.told(), seconds=SECONDS, what="the contents wait")
    assert not is_there(there.api, NOTES)
