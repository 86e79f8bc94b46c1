"""What NVIDIA's DRA driver may do, what it puts before schedulers, and a limit on what its own pods write.

Source: the charts of k8s-dra-driver-gpu 25.12.0 and dra-driver-nvidia-gpu 0.4.1.
"""

from __future__ import annotations

from collections.abc import Mapping

from platform_def.apis.core.admissionregistration_v1 import ValidatingAdmissionPolicySpec
from platform_def.constructs import READ, WRITE, allow

NVIDIA, DRA = "resource.nvidia.com", "resource.k8s.io"

CONTROLLER_RULES = (
    allow(NVIDIA, "computedomains", verbs="get list update watch"),
    allow(NVIDIA, "computedomains/status", verbs="update"),
    allow(DRA, "resourceclaimtemplates", verbs="create delete get list update watch"),
    allow("", "nodes", verbs="get list update watch"),
    allow("", "pods", verbs=READ),
)
CONTROLLER_RULES_HERE = (
    allow("apps", "daemonsets", verbs=WRITE),
    allow(NVIDIA, "computedomaincliques", verbs="get list update watch"),
)
LEADER_RULES = (allow("coordination.k8s.io", "leases", verbs="create get update"),)
PLUGIN_RULES = (
    allow(NVIDIA, "computedomains", verbs=READ),
    allow(DRA, "resourceclaims", verbs=READ),
    allow(DRA, "resourceslices", verbs="create delete get list update watch"),
    allow("", "nodes", verbs="get list update watch"),
    allow("", "pods", verbs=READ),
)
PLUGIN_RULES_HERE = (allow(NVIDIA, "computedomaincliques", verbs="get"),)
MPS_RULES_HERE = (allow("apps", "deployments", verbs=WRITE),)
"""With MPS the plugin starts a Deployment for each shared card."""
DAEMON_RULES = (
    allow(NVIDIA, "computedomains computedomains/status", verbs="get list patch update watch"),
    allow(NVIDIA, "computedomaincliques", verbs="create get list patch update watch"),
    allow("", "pods", verbs="get list patch watch"),
)

GPU_CLASS = "gpu.nvidia.com"
_GPU = "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == '{}'"
_DOMAIN = "device.driver == 'compute-domain.nvidia.com' && device.attributes['compute-domain.nvidia.com'].type == '{}'"
GPU_CLASSES: Mapping[str, str] = {
    GPU_CLASS: _GPU.format("gpu"),
    "mig.nvidia.com": _GPU.format("mig"),
    "vfio.gpu.nvidia.com": _GPU.format("vfio"),
}
DOMAIN_CLASSES: Mapping[str, str] = {
    "compute-domain-daemon.nvidia.com": _DOMAIN.format("daemon"),
    "compute-domain-default-channel.nvidia.com": (
        _DOMAIN.format("channel") + " && device.attributes['compute-domain.nvidia.com'].id == 0"
    ),
}
"""Device classes by name, each with the CEL expression that says which devices it holds."""


def slices_policy(account: str) -> ValidatingAdmissionPolicySpec:
    """A plugin may write the ResourceSlices of its own node alone, and those of no node.

    `account` is the user that plugins are, `system:serviceaccount:<namespace>:<name>`.
    """
    written = "(request.operation == 'DELETE' ? oldObject : object).spec"
    return {
        "failurePolicy": "Fail",
        "matchConstraints": {
            "resourceRules": [
                {
                    "apiGroups": [DRA],
                    "apiVersions": ["v1", "v1beta1", "v1beta2"],
                    "operations": ["CREATE", "UPDATE", "DELETE"],
                    "resources": ["resourceslices"],
                }
            ]
        },
        "matchConditions": [{"name": "isPlugin", "expression": f"request.userInfo.username == '{account}'"}],
        "variables": [
            {
                "name": "runsOn",
                "expression": "request.userInfo.extra[?'authentication.kubernetes.io/node-name'][0].orValue('')",
            },
            {"name": "isFor", "expression": f"{written}.?nodeName.orValue('')"},
            {
                "name": "isForMany",
                "expression": f"{written}.?allNodes.orValue(false) || {written}.?nodeSelector.hasValue()",
            },
        ],
        "validations": [
            {"expression": "variables.runsOn != ''", "message": "the token of this account names no node"},
            {
                "expression": "variables.runsOn == variables.isFor || variables.isForMany",
                "messageExpression": (
                    "'a plugin on node ' + variables.runsOn + ' may not write slices of node ' + variables.isFor"
                ),
            },
        ],
    }
