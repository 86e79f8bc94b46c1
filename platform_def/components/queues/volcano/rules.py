"""What Volcano's programs may do, and what people may do with its jobs.

From the chart at v1.15.1, without what its sources never ask for: the old API group scheduling.incubator.k8s.io,
definitions of CRDs, making PriorityClasses, the controllers' NodeShards (that controller is off), foreign Leases,
and, of the scheduler, jobs, which are the controllers', and what plug-in deviceshare writes, which is not offered.
"""

from __future__ import annotations

from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.constructs import READ, allow

SCHEDULING, BATCH, BUS, FLOW = "scheduling.volcano.sh", "batch.volcano.sh", "bus.volcano.sh", "flow.volcano.sh"
SCHEDULER: tuple[PolicyRule, ...] = (
    allow("", "pods", verbs=f"delete {READ} patch"),
    allow("", "pods/status", verbs="update"),
    allow("", "pods/binding", verbs="create"),
    allow("", "events", verbs="create patch update"),
    allow("", "nodes", verbs=READ),
    allow("", "namespaces replicationcontrollers services", verbs=READ),
    allow("", "resourcequotas", verbs="list watch"),
    allow("", "persistentvolumeclaims persistentvolumes", verbs="list update watch"),
    allow("apps", "daemonsets replicasets statefulsets", verbs=READ),
    allow("policy", "poddisruptionbudgets", verbs="list watch"),
    allow(
        "storage.k8s.io",
        "csidrivers csinodes csistoragecapacities storageclasses volumeattachments",
        verbs=READ,
    ),
    allow("scheduling.k8s.io", "priorityclasses", verbs=READ),
    # It makes the queues `root` and `default` where they are missing.
    allow(SCHEDULING, "queues", verbs=f"create {READ}"),
    allow(SCHEDULING, "queues/status", verbs="update"),
    allow(SCHEDULING, "podgroups", verbs="list update watch"),
    allow("nodeinfo.volcano.sh", "numatopologies", verbs=f"delete {READ}"),
    allow("topology.volcano.sh", "hypernodes", verbs=READ),
    allow("shard.volcano.sh", "nodeshards", verbs=READ),
    allow("resource.k8s.io", "resourceclaims", verbs=f"create {READ} patch update"),
    allow("resource.k8s.io", "resourceclaims/status", verbs="update"),
    allow("resource.k8s.io", "resourceclaims/binding", verbs="patch update"),
    allow("resource.k8s.io", "deviceclasses devicetaintrules resourceslices", verbs=READ),
)
CONTROLLERS: tuple[PolicyRule, ...] = (
    allow(BATCH, "cronjobs jobs", verbs=f"create delete {READ} update"),
    allow(BATCH, "cronjobs/finalizers cronjobs/status jobs/finalizers jobs/status", verbs="patch update"),
    allow(BUS, "commands", verbs=f"delete {READ}"),
    allow(FLOW, "jobflows jobtemplates", verbs=f"create delete {READ} update"),
    allow(
        FLOW, "jobflows/finalizers jobflows/status jobtemplates/finalizers jobtemplates/status", verbs="patch update"
    ),
    allow(SCHEDULING, "podgroups queues", verbs=f"create delete {READ} patch update"),
    allow(SCHEDULING, "podgroups/finalizers podgroups/status queues/status", verbs="patch update"),
    allow("topology.volcano.sh", "hypernodes hypernodes/status", verbs=f"create delete {READ} patch update"),
    allow("config.volcano.sh", "colocationconfigurations", verbs=READ),
    allow("", "pods", verbs=f"create delete {READ} patch update"),
    allow("", "pods/finalizers", verbs="patch update"),
    allow("", "events", verbs="create patch update"),
    allow("", "nodes", verbs="list watch"),
    allow("", "persistentvolumeclaims", verbs=f"create {READ}"),
    # Plug-ins of jobs make Services, host lists and keys for ssh.
    allow("", "services", verbs=f"create delete {READ}"),
    allow("", "configmaps", verbs=f"create delete {READ} update"),
    allow("", "secrets", verbs="create delete get update"),
    allow("networking.k8s.io", "networkpolicies", verbs="create delete get"),
    allow("scheduling.k8s.io", "priorityclasses", verbs=READ),
    # PodGroups of pods with another owner take their size from annotations of the owner.
    allow("apps", "daemonsets", verbs="get"),
    allow("apps", "replicasets statefulsets", verbs=READ),
    allow("batch", "jobs", verbs="get"),
)

ADMISSION: tuple[PolicyRule, ...] = (
    allow(SCHEDULING, "podgroups queues", verbs=READ),
    allow("", "events", verbs="create patch"),
)


def trust(mutating: list[str], validating: list[str]) -> list[PolicyRule]:
    """By which the webhooks' server, when it starts, writes its certificate's authority into their configurations."""
    group = "admissionregistration.k8s.io"
    return [
        allow(group, "mutatingwebhookconfigurations", verbs="get update", names=" ".join(sorted(mutating))),
        allow(group, "validatingwebhookconfigurations", verbs="get update", names=" ".join(sorted(validating))),
    ]


SIGNER = (allow("", "secrets", verbs="create get"),)
"""Of the Job that makes the certificate; no rule can name what is yet to be made."""

EDITORS: tuple[PolicyRule, ...] = (
    allow(BATCH, "cronjobs jobs", verbs=f"create delete {READ} patch update"),
    allow(BUS, "commands", verbs="create get list"),
    allow(FLOW, "jobflows jobtemplates", verbs=f"create delete {READ} patch update"),
    allow(SCHEDULING, "podgroups", verbs=f"create delete {READ} patch update"),
)
VIEWERS: tuple[PolicyRule, ...] = (
    allow(BATCH, "cronjobs jobs", verbs=READ),
    allow(FLOW, "jobflows jobtemplates", verbs=READ),
    allow(SCHEDULING, "podgroups queues", verbs=READ),
)
