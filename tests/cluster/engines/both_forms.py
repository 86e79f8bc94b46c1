"""What the tests of Argo CD ask of both forms of delivery, plain Applications and those of `order: gates`."""

from __future__ import annotations

from datetime import datetime

from platform_def.delivery.comparisons import NAME as COMPARISONS
from platform_def.delivery.endings import NAME as ENDINGS
from platform_def.delivery.gates import CONTENTS, NEEDS, ORDER, REMOVAL
from tests.cluster.client import Api, Manifest
from tests.cluster.control_plane import until
from tests.cluster.engines.argocd import SECONDS, ArgoCd
from tests.cluster.engines.repository import SAMPLE
from tests.cluster.engines.story import (
    OTHERS,
    OTHERS_STACK,
    Delivered,
    keeps_what_is_in_git,
    leaves_alone,
    removes,
    starts_a_job_once,
)

POLICIES = tuple(
    f"/apis/admissionregistration.k8s.io/v1/{kind}admissionpolicies" for kind in ("validating", "mutating")
)
OLDER = [COMPARISONS, REMOVAL]
"""The policies of plain Applications where the cluster cannot change objects, no webhook of the stack changes pods and none of
its programs awaits a definition."""
PLAIN = sorted([*OLDER, ENDINGS])
"""The same on a newer cluster."""
BEGAN, DONE = "deployStartedAt", "deployedAt"
EMISSARY: Manifest = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "emissary-ingress", "namespace": "emissary"},
}
SPEAKER: Manifest = {
    "apiVersion": "apps/v1",
    "kind": "DaemonSet",
    "metadata": {"name": "speaker", "namespace": "metallb-system"},
}
LISTENER: Manifest = {
    "apiVersion": "getambassador.io/v3alpha1",
    "kind": "Listener",
    "metadata": {"name": "emissary-ingress-http", "namespace": "emissary"},
}
ORDERING = (ORDER, CONTENTS, NEEDS)
GATES = sorted([*PLAIN, *ORDERING])
"""The policies of `order: gates`, there too."""
MOVED = (
    "  registry: registry.example.com/mirror\n",
    "  registry: other.example.com/mirror\n  mirrors: {registry.example.com: other.example.com/mirror/registry.example.com}\n",
)
"""Another registry, to which images on the previous one's host move as well."""
SOUND = "  cert-manager: {selfSignedIssuer: self-signed}\n"
BROKEN = "  cert-manager: {selfSignedIssuer: self-signed, placement: {nodeSelector: {pool: nowhere}}}\n"
RETIRED = "retire: {cert-manager: it never came up}\n"
NOTHING = "  # and nothing else\n"
SMALL = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36"}}
delivery: {{engine: argocd, repository: "{SAMPLE}"}}
components:
  node-feature-discovery: {{}}
{OTHERS_STACK}{NOTHING}{BROKEN}"""
WELL = (
    "cert-manager-crds",
    "namespaces-main",
    "node-feature-discovery-crds",
    "node-feature-discovery-main",
    "others-crds",
    "others-main",
)
"""Parts that need nothing of what is broken there."""


def stays_as_git_has_it(there: Delivered[ArgoCd]) -> None:
    """What a cluster is asked in both forms that has MetalLB, Emissary and the job `resnet`."""
    # One of its pods has no node, which holds nothing back.
    speaker = there.api.read(SPEAKER).body["status"]
    assert speaker["numberAvailable"] < speaker["desiredNumberScheduled"]
    assert "metallb-after" in there.engine.parts()
    keeps_what_is_in_git(there, "replicas: 2", "replicas: 1")
    sync = ("    name: resnet\n", "    name: resnet\n    sync: true\n")
    starts_a_job_once(there, "resnet", sync, MOVED)
    removes(there, "emissary", EMISSARY, LISTENER)


def comes_in_order_and_stays(there: Delivered[ArgoCd], expected: list[str]) -> None:
    """What a cluster is asked to which gates bring a stack; `expected` are its policies."""
    there.engine.wait(there.repository, there.repository.revision)
    assert policies(there.api) == expected
    in_order(there.engine)
    stays_as_git_has_it(there)


def goes_on_around_what_is_broken(there: Delivered[ArgoCd]) -> None:
    """A commit gets through that adds a part."""
    argocd, repository = there.engine, there.repository
    assert not argocd.is_ready("cert-manager-main")
    assert not argocd.is_ready("cert-manager-after")
    repository.change(NOTHING, "  nvidia-device-plugin: {}\n")
    argocd.look()
    until(lambda: argocd.is_ready("nvidia-device-plugin-main"), seconds=SECONDS, what="another part comes", every=0.5)
    assert not argocd.is_ready("cert-manager-main")


def comes_back_whole(there: Delivered[ArgoCd]) -> None:
    """A commit brings the part whole that was broken and has gone."""
    there.follow(there.repository.change(RETIRED, SOUND))
    assert "cert-manager-after" in there.engine.parts()
    leaves_alone(there, OTHERS["others"])


def policies(api: Api) -> list[str]:
    """Names of those that the cluster has: an empty one has none."""
    return sorted(each["metadata"]["name"] for path in POLICIES for each in api.get(path).body["items"])


def in_order(argocd: ArgoCd) -> None:
    """No part began before those that it waits for were done."""
    parts = argocd.parts()
    first = {name: each["status"]["history"][0] for name, each in parts.items()}
    waited = {name: argocd.needs(name) for name in parts}
    assert any(waited.values())
    for name, needs in waited.items():
        for need in needs:
            done, began = (datetime.fromisoformat(first[each][when]) for each, when in ((need, DONE), (name, BEGAN)))
            assert done <= began, f"{name} began before {need} was done"
