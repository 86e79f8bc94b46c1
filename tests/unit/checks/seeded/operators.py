"""Defects in what operators, device plugins and network plugins read."""

from __future__ import annotations

from tests.unit.checks.seeded.seed import wrong
from tests.unit.checks.seeded.stacks import CAMPUS, TOOLS

_SHARES, _LAYOUTS = "ConfigMap gpus/shares", "ConfigMap gpus/layouts"
_SLICING = "version: v1\nsharing:\n  timeSlicing:\n    resources: [{{name: nvidia.com/gpu, replicas: {replicas}}}]\n"
_LAYOUT = "version: v1\nmig-configs:\n  one: [{{devices: all, mig-enabled: {on}, mig-devices: {{{devices}}}}}]\n"

FILES = (
    wrong(TOOLS, _SHARES, "data.shared", _SLICING.format(replicas=1), "value-refused", "1 is not at least 2"),
    wrong(
        TOOLS,
        _SHARES,
        "data.shared",
        _SLICING.format(replicas=16384),
        "value-refused",
        "than a node runs containers",
        warns=True,
    ),
    wrong(
        TOOLS,
        _LAYOUTS,
        'data["config.yaml"]',
        _LAYOUT.format(on="true", devices="3g.40gb: 3"),
        "value-refused",
        "compute slices",
    ),
    wrong(
        TOOLS,
        _LAYOUTS,
        'data["config.yaml"]',
        _LAYOUT.format(on="false", devices="1g.10gb: 7"),
        "value-refused",
        "mig-enabled is false",
    ),
)

_NEAR, _GANG, _CLAIMS, _MODEL = "Job gpus/near", "Job gpus/gang", "Job gpus/claims", "InferenceService gpus/model"
_QUEUE, _TEMPLATE = "ClusterQueue research", "ResourceClaimTemplate gpus/card"
_RAIL, _POOL = "NetworkAttachmentDefinition gpus/rail", "IPAddressPool gpus/house"
_SHARED = {
    "apiVersion": "resource.nvidia.com/v1beta1",
    "kind": "GpuConfig",
    "sharing": {"strategy": "TimeSlicing"},
}
_CANARY = {
    "trafficPercent": 10,
    "predictor": {
        "name": "next",
        "model": {"name": "kserve-container", "modelFormat": {"name": "onnx"}, "storageUri": "s3://models/next"},
    },
}
_PARAMETERS = "spec.spec.devices.config[0].opaque.parameters"

REFUSED = (
    wrong(
        TOOLS, _QUEUE, "spec.resourceGroups[0].coveredResources", ["memory", "cpu"], "value-refused", "not in the order"
    ),
    wrong(TOOLS, _QUEUE, "spec.resourceGroups[0].coveredResources[1]", "cpu", "value-refused", "is covered at"),
    wrong(
        TOOLS,
        _NEAR,
        "metadata.annotations",
        {"kueue.x-k8s.io/job-min-parallelism": "2"},
        "value-refused",
        "below the job's 2 pods",
    ),
    wrong(
        TOOLS,
        _CLAIMS,
        "metadata.annotations",
        {"kueue.x-k8s.io/queue-name": "research"},
        "value-refused",
        "only from a label",
        warns=True,
    ),
    wrong(TOOLS, _GANG, "spec.minAvailable", 4, "value-refused", "more than the 3 pods"),
    wrong(TOOLS, _GANG, "spec.policies[0].action", "Restart", "value-refused", "'Restart' is not an action"),
    wrong(TOOLS, _TEMPLATE, f"{_PARAMETERS}.shared", False, "value-refused", "unknown field"),
    wrong(TOOLS, _TEMPLATE, _PARAMETERS, _SHARED, "value-refused", "TimeSlicingSettings", warns=True),
    wrong(TOOLS, _POOL, "spec.addresses[0]", "10.0.0.200...10.0.0.210", "value-refused", "neither a network"),
    wrong(TOOLS, _POOL, "spec.addresses[0]", "10.0.0.0/33", "value-refused", "is not a network"),
    wrong(TOOLS, _RAIL, "spec.config", '{"type": "sriov",}', "value-refused", "is not JSON"),
    wrong(TOOLS, _MODEL, "spec.predictor.minReplicas", 3, "value-refused", "more than maxReplicas, 2"),
    wrong(TOOLS, _MODEL, "spec.predictor.canaryTrafficPercent", 10, "value-refused", "is read with Knative alone"),
    wrong(TOOLS, _MODEL, "spec.canary", [_CANARY], "value-refused", "no route leads to", warns=True),
)

NEIGHBOURS = (
    wrong(TOOLS, "Service gpus/chat", "metadata.name", "vllm", "service-variable", "VLLM_PORT", at="Pod gpus/chat"),
    wrong(
        CAMPUS,
        "RoleBinding team-physics/members-edit",
        "subjects",
        [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": f"lattice-of-{n:019}"} for n in range(90)],
        "session-cookie",
        "all 91 groups",
        at="ConfigMap oauth2-proxy/oauth2-proxy",
        warns=True,
    ),
)

CHOICES = (
    wrong(
        TOOLS,
        _NEAR,
        "spec.template.metadata.annotations",
        {"kueue.x-k8s.io/podset-required-topology": "example.com/racks"},
        "choice-exists",
        "no Topology has a level",
    ),
    wrong(
        TOOLS,
        "Service gpus/claims",
        'metadata.annotations["metallb.io/address-pool"]',
        "houses",
        "choice-exists",
        "no IPAddressPool 'houses'",
    ),
    wrong(
        TOOLS,
        "ClusterPolicy cluster-policy",
        "spec.devicePlugin.config.default",
        "sliced",
        "choice-exists",
        "has no key 'sliced'",
    ),
    wrong(
        TOOLS,
        _CLAIMS,
        "spec.template.spec.containers[0].resources.claims[0].request",
        "gpus",
        "choice-exists",
        "no request 'gpus'",
    ),
    wrong(
        TOOLS,
        _CLAIMS,
        "spec.template.spec.containers[0].resources.limits",
        {"memory": "1Gi"},
        "choice-exists",
        "its networks need 1 of example.com/rail",
        warns=True,
    ),
)

REQUESTS = (
    wrong(TOOLS, "Queue gangs", "spec.capability.cpu", 8, "queue-admits", "its gang requests 12", at=_GANG, warns=True),
    wrong(
        TOOLS,
        _MODEL,
        "spec.predictor.model.resources.limits",
        {"nvidia.com/gpu": "0.5"},
        "device-request",
        "0.5 is no whole number",
    ),
    wrong(
        TOOLS,
        _GANG,
        "spec.tasks[0].template.spec.containers[0].resources.requests",
        {"cpu": 4, "mem": "8Gi"},
        "device-request",
        "no resource 'mem'",
    ),
)

SEEDS = FILES + REFUSED + CHOICES + NEIGHBOURS + REQUESTS
