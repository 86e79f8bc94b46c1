"""What a real API server must say about CRDs before they may be called good."""

from __future__ import annotations

from collections.abc import Sequence

from tests.cluster.client import Api, Manifest
from tests.cluster.stored import lost_fields
from tests.cluster.waves import apply_in_waves, refusals, wait_until_served

WANTED = ("NamesAccepted", "Established")
UNWANTED = ("NonStructuralSchema", "Terminating")
APPROVAL = "KubernetesAPIApprovalPolicyConformant"
UNAPPROVED = ".metacontroller.k8s.io"
"""Upstream uses Kubernetes' own domain without its approval, and says so in the annotation: the server reports it, and serves all."""


def check_crds(api: Api, crds: Sequence[Manifest]) -> None:
    """Assert that CRDs are accepted, established, structural, served, stored entire, and have no name conflict."""
    results = apply_in_waves(api, crds)
    wait_until_served(api, [result.stored for result in results if result.stored])
    accepted = [result for result in results if result.stored]
    problems = refusals(results)
    for result in accepted:
        problems += condition_problems(api.read(result.sent).body)
        problems += [f"{result.key}: {path} was lost" for path in lost_fields(result.sent, result.stored or {})]

    assert not problems, "CRDs are not good:\n" + "\n".join(sorted(problems))


def condition_problems(crd: Manifest) -> list[str]:
    """What a stored CRD's conditions say is wrong, with the server's reasons; nothing for an object of another kind."""
    if crd.get("kind") != "CustomResourceDefinition":
        return []
    found = {item["type"]: item for item in (crd.get("status") or {}).get("conditions") or []}
    wrong = [found.get(name, {"type": name, "status": "missing"}) for name in WANTED]
    wrong = [item for item in wrong if item["status"] != "True"]
    wrong += [found[name] for name in UNWANTED if name in found and found[name]["status"] != "False"]
    if APPROVAL in found and found[APPROVAL]["status"] != "True" and not crd["metadata"]["name"].endswith(UNAPPROVED):
        wrong.append(found[APPROVAL])
    return [
        f"{crd['metadata']['name']}: {item['type']} is {item['status']}: {item.get('message', '')}" for item in wrong
    ]
