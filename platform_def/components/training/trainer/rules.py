"""What the trainer's controller may do, and what people may do with TrainJobs, as Trainer 2.3 has it."""

from __future__ import annotations

from platform_def.constructs import READ, WRITE, allow

GROUP = "trainer.kubeflow.org"
CONTROLLER = (
    # The runtime of each job as it was when the job began; with MPI the list of hosts, and the keys of its launcher.
    allow("", "configmaps secrets", verbs=f"create {READ} patch update"),
    allow("", "events", verbs="create patch update watch"),
    allow("events.k8s.io", "events", verbs="create patch update watch"),
    # Gangs: what their pods ask for in all, and the PodGroups of both schedulers.
    allow("", "limitranges", verbs=READ),
    allow("node.k8s.io", "runtimeclasses", verbs=READ),
    # The webhook looks for the PriorityClass of pods that Volcano starts, and refuses the job where it may not:
    # upstream grants no right to that.
    allow("scheduling.k8s.io", "priorityclasses", verbs=READ),
    allow("scheduling.volcano.sh", "podgroups", verbs=f"create {READ} patch update"),
    allow("scheduling.x-k8s.io", "podgroups", verbs=f"create {READ} patch update"),
    allow("jobset.x-k8s.io", "jobsets", verbs=WRITE),
    allow(GROUP, "clustertrainingruntimes trainingruntimes trainjobs", verbs=f"{READ} patch update"),
    allow(
        GROUP,
        "clustertrainingruntimes/finalizers trainingruntimes/finalizers trainjobs/finalizers trainjobs/status",
        verbs="get patch update",
    ),
)
TRUST = (
    allow(
        "admissionregistration.k8s.io",
        "mutatingwebhookconfigurations validatingwebhookconfigurations",
        verbs=f"{READ} update",
    ),
)
"""It writes the authority of its own certificate into its webhooks."""
RUNTIMES = (allow(GROUP, "clustertrainingruntimes", verbs=READ),)
"""Of everybody who has an account: the SDK lists them."""
EDIT = (allow(GROUP, "trainingruntimes", verbs=READ), allow("", "pods pods/log events", verbs=READ))
VIEW = EDIT[:1]
