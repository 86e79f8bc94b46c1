"""What Katib's programs may do: what each call in their code needs, and no more.

Upstream's roles grant more; the page of the component lists what is left out, and why.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.components.tuning.katib.releases import TrialKind
from platform_def.constructs import READ, allow
from platform_def.constructs.rbac import RBAC_GROUP

WATCHED = "create get list watch"

CONTROLLER = (
    allow("", "configmaps namespaces", verbs=READ),
    allow("", "events", verbs="create patch"),
    # One of each for an experiment's algorithm; the volumes where its state is kept.
    allow("", "services", verbs=f"delete {WATCHED}"),
    allow("", "persistentvolumeclaims persistentvolumes serviceaccounts", verbs=WATCHED),
    allow("apps", "deployments", verbs=f"delete {WATCHED}"),
    allow(RBAC_GROUP, "rolebindings roles", verbs=WATCHED),
    allow("kubeflow.org", "experiments", verbs="get list update watch"),
    allow("kubeflow.org", "suggestions", verbs=f"update {WATCHED}"),
    # It gives this very right to the account of early stopping, and an account can only give what it has.
    allow("kubeflow.org", "trials trials/status", verbs="*"),
    allow("kubeflow.org", "experiments/status suggestions/status", verbs="update"),
    allow("kubeflow.org", "experiments/finalizers suggestions/finalizers trials/finalizers", verbs="update"),
)

LOOK_UP_COMMANDS = (allow("", "secrets", verbs="get"),)
"""Pull secrets of trials: of a trial without a command the webhook asks the registry what its image runs."""

OWN_CERTIFICATE = (allow("", "secrets", verbs="get list update watch"),)
"""In its own namespace, where it fills the Secret of its certificate."""


def own_authority(configuration: str) -> tuple[PolicyRule, ...]:
    """Rights to write the authority of its certificate into its own webhook configurations."""
    group, kinds = "admissionregistration.k8s.io", "mutatingwebhookconfigurations validatingwebhookconfigurations"
    return allow(group, kinds, verbs="list watch"), allow(group, kinds, verbs="get update", names=configuration)


def trial_rules(kinds: Iterable[TrialKind]) -> list[PolicyRule]:
    """Rights to run trials of these kinds, and to read what stands between them and their pods."""
    run = sorted({(each.group, each.plural) for each in kinds})
    read = sorted({found for each in kinds for found in each.between} - set(run))
    return [
        allow(group, " ".join(plural for _, plural in found), verbs=verbs)
        for wanted, verbs in ((run, f"delete {WATCHED}"), (read, "get"))
        for group, found in groupby(wanted, key=lambda pair: pair[0])
    ]


UI = (
    allow("", "configmaps", verbs="create delete get list update"),  # templates of trials
    allow("", "namespaces pods", verbs="list"),
    allow("", "pods/log", verbs="get"),
    allow("authorization.k8s.io", "subjectaccessreviews", verbs="create"),  # it asks what the person may do
    allow("kubeflow.org", "experiments", verbs="create delete get list"),
    allow("kubeflow.org", "trials", verbs="get list"),
    allow("kubeflow.org", "suggestions", verbs="get"),
)

EDIT = "create delete deletecollection get list patch update watch"
PEOPLE = (allow("", "pods", verbs="list"), allow("", "pods/log", verbs="get"))
"""For people who edit experiments: the interface shows them their trials' logs in their name."""
