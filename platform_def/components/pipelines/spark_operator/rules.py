"""Rights of the Spark operator at v2.5.2: in the namespaces of programs, its own, and the cluster."""

from __future__ import annotations

from platform_def.constructs import READ, WRITE, allow

GROUP = "sparkoperator.k8s.io"
PROGRAMS = (
    allow("", "pods", verbs=f"create delete {READ} update"),
    allow("", "configmaps", verbs=f"create {READ} patch update"),
    allow("", "services", verbs=f"create delete {READ} patch update"),
    allow("", "events", verbs="create patch update"),
    allow(GROUP, "sparkapplications", verbs=f"create delete {READ}"),
    allow(GROUP, "scheduledsparkapplications sparkconnects", verbs=READ),
    allow(
        GROUP,
        "scheduledsparkapplications/finalizers scheduledsparkapplications/status sparkapplications/finalizers "
        "sparkapplications/status sparkconnects/finalizers sparkconnects/status",
        verbs="update",
    ),
)
"""Of the controller, where programs run."""
INGRESS = (allow("networking.k8s.io", "ingresses", verbs="create delete get update"),)
"""Where Spark's own pages get Ingresses, which is asked when a program ends whether or not they do."""
VOLCANO = (allow("scheduling.volcano.sh", "podgroups", verbs=WRITE),)
EVERYWHERE = (allow("apiextensions.k8s.io", "customresourcedefinitions", verbs="get"),)
ADMITTED = (
    allow("", "pods", verbs="list watch"),
    allow("", "resourcequotas", verbs="list"),
    allow(GROUP, "scheduledsparkapplications sparkapplications", verbs=READ),
)
"""Of the webhook, where programs run."""
CONFIGURATIONS = (
    allow(
        "admissionregistration.k8s.io",
        "mutatingwebhookconfigurations validatingwebhookconfigurations",
        verbs="list watch",
    ),
    allow(
        "admissionregistration.k8s.io",
        "mutatingwebhookconfigurations validatingwebhookconfigurations",
        verbs="get update",
        names="spark-operator-webhook",
    ),
)
"""Of the webhook, where it writes its own authority into them."""
