"""Kueue's admission webhooks: its own kinds everywhere, jobs in the namespaces whose jobs wait.

Upstream's look at every namespace but two, so that a cluster that restarts waits for Kueue before cert-manager or
the delivery engine can run. Paths and names from the markers `+kubebuilder:webhook` of Kueue 0.19.2.
"""

from __future__ import annotations

from collections.abc import Iterable

from platform_def.apis.core.meta_v1 import LabelSelector
from platform_def.components.queues.kueue.frameworks import Framework
from platform_def.constructs import Hook, rule

GROUP, VERSION = "kueue.x-k8s.io", "v1beta2"


def mutating(frameworks: Iterable[Framework], managed: LabelSelector) -> list[Hook]:
    """Webhooks that complete objects."""
    return [
        *_own("mutate", "clusterqueue resourceflavor workload", "CREATE"),
        *(_job("mutate", each, "CREATE UPDATE" if each.changed else "CREATE", managed) for each in frameworks),
    ]


def validating(frameworks: Iterable[Framework], managed: LabelSelector) -> list[Hook]:
    """Webhooks that refuse them."""
    return [
        *_own("validate", "clusterqueue cohort resourceflavor workload", "CREATE UPDATE"),
        *(_job("validate", each, "CREATE UPDATE", managed) for each in frameworks),
    ]


def _own(verb: str, kinds: str, operations: str) -> Iterable[Hook]:
    for kind in kinds.split():
        resources = f"{kind}s {kind}s/status" if (verb, kind) == ("validate", "workload") else f"{kind}s"
        yield Hook(
            name=f"{verb[0]}{kind}.kb.io",
            path=f"/{verb}-{GROUP.replace('.', '-')}-{VERSION}-{kind}",
            rules=[rule(GROUP, VERSION, resources, operations)],
        )


def _job(verb: str, framework: Framework, operations: str, managed: LabelSelector) -> Hook:
    return Hook(
        name=f"{verb[0]}{framework.kind.lower()}.kb.io",
        path=f"/{verb}-{framework.path}",
        rules=[rule(framework.group, framework.version, framework.plural, operations)],
        namespace_selector=managed,
    )
