"""Rights of Argo Workflows' programs, and of the pods of workflows."""

from __future__ import annotations

from platform_def.constructs import READ, WRITE, allow

GROUP = "argoproj.io"

CONTROLLER = (
    allow("", "pods pods/exec", verbs=WRITE),
    allow("", "configmaps namespaces", verbs=READ),
    allow("", "persistentvolumeclaims persistentvolumeclaims/finalizers", verbs="create delete get update"),
    allow("", "secrets", verbs="get", names="argo-workflows-agent-ca-certificates"),
    allow("", "serviceaccounts", verbs="get list"),
    allow("", "events", verbs="create patch"),
    allow("policy", "poddisruptionbudgets", verbs="create delete get"),
    allow(
        GROUP,
        "workflows workflows/finalizers workflowtasksets workflowtasksets/finalizers workflowartifactgctasks",
        verbs=WRITE,
    ),
    allow(
        GROUP,
        "workflowtemplates workflowtemplates/finalizers clusterworkflowtemplates clusterworkflowtemplates/finalizers",
        verbs=READ,
    ),
    allow(GROUP, "cronworkflows cronworkflows/finalizers", verbs="delete get list patch update watch"),
    allow(GROUP, "workflowtaskresults", verbs="deletecollection list watch"),
)
OWN = (
    allow("", "secrets", verbs="get"),  # of the store and of the database
    allow("coordination.k8s.io", "leases", verbs="create get update"),
)
SERVER = (
    allow("", "configmaps", verbs="create get list update watch"),
    allow("", "secrets", verbs="create get"),
    allow("", "pods pods/exec pods/log", verbs="delete get list watch"),
    allow("", "events", verbs="create patch watch"),
    allow("", "serviceaccounts", verbs=READ),
    allow(
        GROUP, "workflows workfloweventbindings workflowtemplates cronworkflows clusterworkflowtemplates", verbs=WRITE
    ),
    allow(GROUP, "eventsources sensors", verbs=WRITE),  # of Argo Events, where the cluster has that
)
EXECUTOR = (allow(GROUP, "workflowtaskresults", verbs="create patch"),)
"""What each pod of a workflow does: it reports what its step put out."""
CLAIMS = (allow("", "persistentvolumeclaims", verbs=WRITE),)
"""What a step of a workflow does that makes volumes."""
