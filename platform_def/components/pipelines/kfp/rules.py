"""Rights of Kubeflow Pipelines' programs, of the accounts that pipelines run under, and of people."""

from __future__ import annotations

from platform_def.constructs import READ, WRITE, allow

ARGO, KUBEFLOW, KFP = "argoproj.io", "kubeflow.org", "pipelines.kubeflow.org"

SERVER = (
    allow("", "pods pods/log", verbs="delete get list"),
    allow("", "configmaps", verbs="get", names="kfp-launcher"),
    allow(ARGO, "workflows", verbs=WRITE),
    allow(KUBEFLOW, "scheduledworkflows", verbs="create delete get list patch update"),
    allow(KUBEFLOW, "scheduledworkflows/finalizers", verbs="update"),
    allow(KFP, "pipelines", verbs=READ),
    allow("authentication.k8s.io", "tokenreviews", verbs="create"),
    allow("authorization.k8s.io", "subjectaccessreviews", verbs="create"),
)
OBJECTS = (
    allow(
        KFP,
        "pipelines pipelines/finalizers pipelineversions pipelineversions/finalizers pipelineversions/status",
        verbs=WRITE,
    ),
)
"""The server's, where pipelines are Kubernetes objects."""
PERSISTENCE = (
    allow(ARGO, "workflows", verbs=READ),
    allow(KUBEFLOW, "scheduledworkflows", verbs=READ),
    allow(KFP, "scheduledworkflows workflows", verbs="report"),
    allow(KFP, "runs", verbs="readArtifact reportMetrics"),
)
SCHEDULER = (
    allow(ARGO, "workflows", verbs=WRITE),
    allow(KUBEFLOW, "scheduledworkflows scheduledworkflows/finalizers", verbs=WRITE),
    allow(KFP, "runs", verbs="create"),
    allow("", "events", verbs="create patch"),
)
UI = (
    allow("", "pods pods/log", verbs="get"),
    allow("", "events", verbs="list"),
    allow(ARGO, "workflows", verbs="get list"),
    allow(KUBEFLOW, "viewers", verbs="create delete get list watch"),
)
UI_OWN = (
    *UI,
    allow("", "configmaps secrets", verbs="get list"),  # of its own namespace: where the store is, and its key
)
VIEWER = (
    # It asks for Deployments of whatever group, as upstream's client names none.
    allow("*", "deployments services", verbs=WRITE),
    allow(KUBEFLOW, "viewers viewers/finalizers", verbs=WRITE),
)
WATCHER = (
    allow("", "pods", verbs="get list patch update watch"),
    allow("", "configmaps", verbs="get"),
    allow(ARGO, "workflows", verbs="get list patch update watch"),
)
"""Of the metadata writer and the cache server: they write labels and annotations on pods of steps."""
RUNNER = (
    allow("", "secrets", verbs="get"),
    allow("", "configmaps", verbs=READ),
    # Steps make what training needs, and wait for it: upstream gives them all of it in their own namespace.
    allow("", "persistentvolumeclaims persistentvolumes", verbs="*"),
    allow("snapshot.storage.k8s.io", "volumesnapshots", verbs="create delete get"),
    allow(ARGO, "workflows", verbs="get list patch update watch"),
    allow(ARGO, "workflowtaskresults", verbs="create patch"),
    allow("", "pods pods/exec pods/log services", verbs="*"),
    allow("", "deployments replicasets", verbs="*"),
    allow("apps", "deployments replicasets", verbs="*"),
    allow("extensions", "deployments replicasets", verbs="*"),
    allow(KUBEFLOW, "*", verbs="*"),
    allow("trainer.kubeflow.org", "trainjobs", verbs=WRITE),
    allow("batch", "jobs", verbs="*"),
    allow("machinelearning.seldon.io", "seldondeployments", verbs="*"),
)
EDIT = (
    allow(KFP, "experiments", verbs="archive create delete unarchive"),
    allow(KFP, "jobs", verbs="create delete disable enable"),
    allow(KFP, "pipelines pipelineversions", verbs="create delete update"),
    allow(KFP, "runs", verbs="archive create delete readArtifact reportMetrics retry terminate unarchive"),
    allow(KUBEFLOW, "scheduledworkflows", verbs="*"),
)
VIEW = (
    allow(KFP, "experiments jobs pipelines pipelineversions", verbs="get list"),
    allow(KFP, "runs", verbs="get list readArtifact"),
    allow(KFP, "visualizations", verbs="create"),
    allow(KUBEFLOW, "viewers", verbs="create delete get"),
)
"""What people may do, in words that the server asks the API server about."""
