"""What the API server's own validation refuses: one change each to an object that it takes.

Held against a real server by tests/cluster; a path that is no example's own field is added.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from platform_def.manifests.paths import steps
from platform_def.manifests.rendered import Manifest
from tests.unit.checks.core_examples import EXAMPLES

GONE = object()
"""The field is taken away."""


class Refusal(NamedTuple):
    """An example with something wrong, and where the check must say so."""

    example: str
    path: str
    value: Any
    where: str

    @property
    def manifest(self) -> Manifest:
        """The object as it is refused."""
        changed = copy.deepcopy(EXAMPLES[self.example])
        _put(changed, self.path, self.value)
        return changed

    def __str__(self) -> str:
        return f"{self.example}: {self.path}"


def _put(manifest: Manifest, path: str, value: Any) -> None:
    inner: Any = manifest
    *most, last = steps(path)
    for step in most:
        inner = inner.setdefault(step, {}) if isinstance(inner, dict) else inner[step]
    if value is GONE:
        del inner[last]
    elif isinstance(inner, list) and last == len(inner):
        inner.append(value)
    else:
        inner[last] = value


_MAIN = "spec.template.spec.containers[0]"
_POD = "spec.containers[0]"
_V1 = "spec.versions[0].schema.openAPIV3Schema.properties.spec"

_ROWS: Mapping[str, tuple[tuple[Any, ...], ...]] = {
    "Deployment deployment": (
        ("spec.replicas", -1),
        ("spec.selector.matchLabels.app", "other", "spec.template.metadata.labels"),
        ("spec.selector", {}),
        ("spec.template.metadata.labels", GONE),
        ("spec.template.spec.restartPolicy", "Never"),
        ("spec.template.spec.activeDeadlineSeconds", 5),
        ("spec.strategy.type", "Recreate", "spec.strategy.rollingUpdate"),
        ("spec.strategy.rollingUpdate.maxSurge", "half"),
        ("spec.minReadySeconds", 700, "spec.progressDeadlineSeconds"),
        (f"{_MAIN}.image", ""),
        (f"{_MAIN}.name", "Main"),
        (f"{_MAIN}.resources.requests.cpu", "3"),
        (f"{_MAIN}.resources.requests.memory", "-1"),
        (f"{_MAIN}.resources.limits.gpu", "1"),
        (f"{_MAIN}.volumeMounts[0].name", "other"),
        (f"{_MAIN}.volumeMounts[0].mountPath", ""),
        (f"{_MAIN}.livenessProbe.tcpSocket", {"port": 80}),
        (f"{_MAIN}.livenessProbe.httpGet", GONE, f"{_MAIN}.livenessProbe"),
        (f"{_MAIN}.livenessProbe.successThreshold", 2),
        (f"{_MAIN}.ports[0].containerPort", 0),
        (f"{_MAIN}.ports[0].name", "a-name-that-is-too-long"),
        (f"{_MAIN}.imagePullPolicy", "Sometimes"),
        (f"{_MAIN}.env[0].valueFrom", {"fieldRef": {"fieldPath": "metadata.name"}}, f"{_MAIN}.env[0].value"),
        (f"{_MAIN}.env[0]", {"name": "A", "valueFrom": {}}, f"{_MAIN}.env[0].valueFrom"),
        (
            f"{_MAIN}.env[0]",
            {"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "spec.nope"}}},
            f"{_MAIN}.env[0].valueFrom.fieldRef.fieldPath",
        ),
        ("spec.template.spec.volumes[0].emptyDir", {}),
        ("spec.template.spec.volumes[0].configMap.defaultMode", 1000),
        ("spec.template.spec.dnsPolicy", "None", "spec.template.spec.dnsConfig.nameservers"),
        ("spec.template.spec.nodeSelector", {"a b": "c"}, 'spec.template.spec.nodeSelector["a b"]'),
        ("spec.template.spec.tolerations", [{"operator": "Equal"}], "spec.template.spec.tolerations[0].operator"),
    ),
    "Deployment recreated": (
        (f"{_MAIN}.resources.limits", {"hugepages-2Mi": "3Mi", "cpu": 1}, f"{_MAIN}.resources.limits.hugepages-2Mi"),
        (
            "spec.selector.matchExpressions",
            [{"key": "a", "operator": "In"}],
            "spec.selector.matchExpressions[0].values",
        ),
    ),
    "Pod pod": (
        (f"{_POD}.resources.limits", {"nvidia.com/gpu": "500m"}, f'{_POD}.resources.limits["nvidia.com/gpu"]'),
        (f"{_POD}.resources", {"requests": {"nvidia.com/gpu": 1}}, f'{_POD}.resources.limits["nvidia.com/gpu"]'),
        (f"{_POD}.resources.claims[0].name", "other"),
        (f"{_POD}.volumeDevices[0].name", "work"),
        (f"{_POD}.lifecycle.preStop.sleep.seconds", 60),
        (f"{_POD}.securityContext.privileged", True, f"{_POD}.securityContext.allowPrivilegeEscalation"),
        (
            f"{_POD}.securityContext.seccompProfile.type",
            "RuntimeDefault",
            f"{_POD}.securityContext.seccompProfile.localhostProfile",
        ),
        (f"{_POD}.volumeMounts[1].mountPropagation", "Bidirectional"),
        ("spec.initContainers[0].livenessProbe", {"exec": {"command": ["true"]}}),
        ("spec.initContainers[0].name", "main"),
        ("spec.topologySpreadConstraints[0].maxSkew", 0),
        (
            "spec.topologySpreadConstraints[0].whenUnsatisfiable",
            "ScheduleAnyway",
            "spec.topologySpreadConstraints[0].minDomains",
        ),
        ("spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey", ""),
        ("spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight", 0),
        ("spec.hostPID", True, "spec.shareProcessNamespace"),
        ("spec.volumes[3].projected.sources[0].serviceAccountToken.expirationSeconds", 60),
        ("metadata.finalizers[0]", "a b"),
    ),
    "Pod host-pod": ((f"{_POD}.ports[0].hostPort", 81), (f"{_POD}.ports[0].containerPort", 99999)),
    "StatefulSet set": (
        (
            "spec.volumeClaimTemplates[0].spec.resources",
            {},
            "spec.volumeClaimTemplates[0].spec.resources.requests.storage",
        ),
        ("spec.volumeClaimTemplates", [], f"{_MAIN}.volumeMounts[0].name"),
        ("spec.podManagementPolicy", "Quick"),
        ("spec.serviceName", "A.b"),
        ("spec.updateStrategy.type", "OnDelete", "spec.updateStrategy.rollingUpdate"),
    ),
    "DaemonSet daemons": (
        ("spec.updateStrategy.rollingUpdate.maxUnavailable", 0),
        ("spec.updateStrategy.rollingUpdate.maxSurge", 1),
        ("spec.template.metadata.labels.app", "other", "spec.template.metadata.labels"),
    ),
    "ReplicationController controller": (("spec.selector.a", "c", "spec.template.metadata.labels"),),
    "Job job": (
        ("spec.completions", GONE),
        ("spec.completionMode", "NonIndexed", "spec.backoffLimitPerIndex"),
        ("spec.template.spec.restartPolicy", "OnFailure"),
        ("spec.podFailurePolicy.rules[0].onExitCodes.values", [42, 1]),
        ("spec.podFailurePolicy.rules[0].onExitCodes.containerName", "other"),
        ("spec.parallelism", -1),
    ),
    "Job plain-job": (("spec.template.spec.restartPolicy", GONE), ("spec.backoffLimit", -1)),
    "CronJob cron": (
        ("spec.schedule", "every monday"),
        ("spec.schedule", "61 * * * *"),
        ("spec.schedule", "TZ=UTC 0 * * * *"),
        ("spec.timeZone", "Local"),
        ("spec.timeZone", "Asia/Beijing"),
        ("spec.concurrencyPolicy", "Maybe"),
        ("spec.jobTemplate.spec.template.spec.restartPolicy", "Always"),
    ),
    "Service service": (
        ("spec.ports[0].port", 99999),
        ("spec.ports[0].name", GONE),
        ("spec.ports[1].name", "http"),
        ("spec.ports[0].nodePort", 30080),
        ("spec.ports[0].targetPort", "Bad_Port"),
        ("spec.ports", GONE),
        ("spec.externalIPs[0]", "127.0.0.1"),
        ("spec.loadBalancerClass", "example.com/lb"),
        ("spec.selector.app", "a b"),
        ("spec.type", "Headless"),
        ("spec.sessionAffinityConfig.clientIP.timeoutSeconds", 0),
    ),
    "Service balanced": (
        ("spec.externalTrafficPolicy", "Cluster", "spec.healthCheckNodePort"),
        ("spec.loadBalancerSourceRanges[0]", "10.0.0.0"),
        ("spec.clusterIP", "None"),
    ),
    "Service external": (("spec.externalName", ""), ("spec.clusterIP", "10.0.0.1")),
    "Ingress ingress": (
        ("spec.rules[0].http.paths[0].path", "here"),
        ("spec.rules[0].http.paths[0].pathType", GONE),
        ("spec.rules[0].http.paths[0].backend", {}),
        ("spec.rules[0].http.paths[0].backend.service.port", {}),
        ("spec.rules[0].host", "10.0.0.1"),
        ("spec.tls[0].hosts[0]", "a_b"),
    ),
    "IngressClass nginx": (("spec.parameters.namespace", GONE), ("spec.controller", "nginx")),
    "NetworkPolicy policy": (
        ("spec.ingress[0].from[0].ipBlock", {"cidr": "10.0.0.0/8"}),
        ("spec.ingress[0].ports[0].endPort", 80),
        ("spec.ingress[0].from[1].ipBlock.except[0]", "11.0.0.0/16"),
        ("spec.policyTypes[0]", "Both"),
        ("spec.egress[0].to[0]", {}),
    ),
    "ConfigMap settings": (
        ("data", {"a/b": "c"}, 'data["a/b"]'),
        ("binaryData.colour", "AAEC"),
        ("data.large", "x" * 1_200_000, "data"),
    ),
    "Secret certificate": (("data", {}, 'data["tls.crt"]'),),
    "Secret registry": (("data", {".dockerconfigjson": "bm9uZQ=="}, 'data[".dockerconfigjson"]'),),
    "Secret basic": (("data", {}),),
    "Namespace team-a": (
        (
            "metadata.labels",
            {"pod-security.kubernetes.io/enforce": "strict"},
            'metadata.labels["pod-security.kubernetes.io/enforce"]',
        ),
    ),
    "PersistentVolumeClaim claim": (
        ("spec.accessModes", []),
        ("spec.accessModes", GONE),
        ("spec.accessModes[0]", "ReadWrite"),
        ("spec.resources.requests", {}, "spec.resources.requests.storage"),
        ("spec.resources.requests.storage", 0),
        ("spec.volumeMode", "Raw"),
        ("spec.storageClassName", "Fast"),
    ),
    "PersistentVolume volume": (
        ("spec.hostPath", {"path": "/data"}, "spec.nfs"),
        ("spec.nfs", GONE, "spec"),
        ("spec.capacity", {}, "spec.capacity.storage"),
        ("spec.persistentVolumeReclaimPolicy", "Keep"),
    ),
    "PersistentVolume local-volume": (("spec.nodeAffinity", GONE),),
    "StorageClass fast": (
        ("volumeBindingMode", "Later"),
        ("provisioner", ""),
        ("allowedTopologies[0].matchLabelExpressions[0].values", []),
    ),
    "CSIDriver csi.example.com": (("spec.fsGroupPolicy", "Some"), ("spec.tokenRequests[0].expirationSeconds", 5)),
    "Role role:reader": (
        ("rules[0].resources", GONE),
        ("rules[0].apiGroups", []),
        ("rules[0].verbs", []),
        ("rules[0]", {"nonResourceURLs": ["/metrics"], "verbs": ["get"]}, "rules[0].nonResourceURLs"),
    ),
    "ClusterRole cluster-role": (("rules[1].resources", ["pods"]),),
    "RoleBinding binding": (
        ("roleRef.kind", "Roles"),
        ("roleRef.name", ""),
        ("subjects[0].apiGroup", "rbac.authorization.k8s.io"),
        ("subjects[1].kind", "Person"),
    ),
    "ClusterRoleBinding cluster-binding": (("subjects[0].namespace", GONE), ("roleRef.kind", "Role")),
    "PodDisruptionBudget budget": (
        ("spec.maxUnavailable", 1),
        ("spec.minAvailable", "many"),
        ("spec.minAvailable", "120%"),
    ),
    "HorizontalPodAutoscaler scaler": (
        ("spec.maxReplicas", 0),
        ("spec.minReplicas", 11, "spec.maxReplicas"),
        ("spec.metrics[0].resource", GONE),
        ("spec.metrics[0].resource.target", {"type": "Utilization"}),
        ("spec.behavior.scaleDown.stabilizationWindowSeconds", 4000),
        ("spec.behavior.scaleDown.policies[0].periodSeconds", 0),
    ),
    "PriorityClass important": (("value", 2_000_000_000), ("preemptionPolicy", "Always")),
    "RuntimeClass nvidia": (("handler", ""), ("overhead.podFixed.cpu", "-1")),
    "ResourceQuota quota": (
        ("spec.hard.pods", "1.5"),
        ("spec.hard.gpus", "4"),
        ("spec.scopes", ["BestEffort"], "spec.scopes[0]"),
    ),
    "LimitRange limits": (
        ("spec.limits[0].min.cpu", "5"),
        ("spec.limits[1].default", {"cpu": "1"}),
        ("spec.limits[1].type", "Container"),
        ("spec.limits[0].maxLimitRequestRatio.cpu", "0.5"),
    ),
    "ValidatingWebhookConfiguration validating": (
        ("webhooks[0].sideEffects", "Some"),
        ("webhooks[0].matchConditions[0].expression", "params.a == 1"),
        ("webhooks[0].matchConditions[0].expression", "request.name"),
        ("webhooks[0].timeoutSeconds", 60),
        ("webhooks[0].clientConfig", {}),
        ("webhooks[0].rules[0].operations", ["*", "CREATE"]),
        ("webhooks[0].name", "hook"),
        ("webhooks[0].admissionReviewVersions", ["v9"]),
        ("webhooks[0].rules[0].resources", []),
    ),
    "MutatingWebhookConfiguration mutating": (("webhooks[0].clientConfig.url", "http://hook.example.com"),),
    "ValidatingAdmissionPolicy policy.example.com": (
        ("spec.matchConstraints.resourceRules", GONE),
        ("spec.matchConstraints", GONE),
        ("spec.validations[0].reason", "Because"),
        ("spec.validations[0].expression", ""),
        ("spec.validations[0].expression", "object.spec.replicas"),
        ("spec.validations[0].expression", "request.user.name == 'a'"),
        ("spec.validations[0].messageExpression", "1 + 1"),
        ("spec.variables[0].expression", "object.spec."),
        ("spec.variables[0].name", "a-b"),
        ("spec.failurePolicy", "Maybe"),
    ),
    "ValidatingAdmissionPolicyBinding binding.example.com": (
        ("spec.validationActions", ["Deny", "Warn"]),
        ("spec.paramRef.parameterNotFoundAction", GONE),
        ("spec.policyName", ""),
    ),
    "MutatingAdmissionPolicy mutate.example.com": (
        ("spec.mutations[0].applyConfiguration", GONE),
        ("spec.mutations[0].applyConfiguration.expression", "Object{metadata: "),
        ("spec.reinvocationPolicy", GONE),
    ),
    "APIService v1.metrics.example.com": (("spec.versionPriority", 0), ("spec.version", "v2", "metadata.name")),
    "CustomResourceDefinition things.example.com": (
        ("spec.versions[1].storage", True, "spec.versions"),
        ("spec.versions[1].name", "v1"),
        ("spec.versions[0].schema", GONE, "spec.versions[0].schema.openAPIV3Schema"),
        (f"{_V1}.type", GONE),
        (f"{_V1}.properties.size.type", "int"),
        (f"{_V1}.properties.size.default", 11),
        (f"{_V1}.properties.size.default", "one"),
        (f"{_V1}.properties.names.items", GONE),
        (
            f"{_V1}.properties.parts.x-kubernetes-list-map-keys",
            ["other"],
            f"{_V1}.properties.parts.x-kubernetes-list-map-keys[0]",
        ),
        (f"{_V1}.properties.parts.x-kubernetes-list-map-keys", GONE),
        (f"{_V1}.properties.parts.items.required", [], f"{_V1}.properties.parts.items.properties.name"),
        (f"{_V1}.x-kubernetes-validations[0].rule", "self.sise < 5"),
        (f"{_V1}.x-kubernetes-validations[0].rule", "self.size"),
        (f"{_V1}.x-kubernetes-validations[0].rule", "self.size < 'five'"),
        (f"{_V1}.x-kubernetes-validations[0].messageExpression", " "),
        (f"{_V1}.x-kubernetes-validations[0].messageExpression", "self.size"),
        (f"{_V1}.x-kubernetes-validations[0].reason", "TooLarge"),
        (f"{_V1}.x-kubernetes-validations[0].fieldPath", ".sise"),
        (f"{_V1}.x-kubernetes-validations[0].fieldPath", "size"),
        (f"{_V1}.x-kubernetes-validations[0].optionalOldSelf", True),
        (f"{_V1}.anyOf", [{"properties": {"size": {"type": "integer"}}}], f"{_V1}.anyOf[0].properties.size.type"),
        (
            "spec.versions[0].schema.openAPIV3Schema.not",
            {"properties": {"other": {"minimum": 1}}},
            "spec.versions[0].schema.openAPIV3Schema.not.properties.other",
        ),
        ("spec.scope", "Everywhere"),
        ("spec.names.listKind", "Thing"),
        ("spec.versions[0].subresources.scale.specReplicasPath", "spec.replicas"),
        ("spec.versions[1].deprecated", False, "spec.versions[1].deprecationWarning"),
        ("spec.preserveUnknownFields", True),
        ("spec.conversion.strategy", "Webhook", "spec.conversion.webhook.clientConfig"),
    ),
    "EndpointSlice slice": (("endpoints[0].addresses[0]", "::1"), ("addressType", "IP")),
    "ResourceClaim claim-of-gpu": (
        ("spec.devices.requests[0].firstAvailable", [{"name": "a", "deviceClassName": "gpu.example.com"}]),
        ("spec.devices.constraints[0].requests[0]", "other"),
        ("spec.devices.requests[0].exactly.selectors[0].cel.expression", "device.name == 'a'"),
        ("spec.devices.requests[0].exactly.deviceClassName", GONE),
    ),
    "PriorityLevelConfiguration level": (
        ("spec.limited.limitResponse.queuing", GONE),
        ("spec.type", "Exempt", "spec.limited"),
    ),
    "FlowSchema flow": (("spec.rules[0].subjects[0].user", {"name": "someone"}), ("spec.matchingPrecedence", 1)),
}
"""Example → path, value, and the path of the finding where it is another one."""


def refusals() -> Iterator[Refusal]:
    """Every row."""
    for example, rows in _ROWS.items():
        for path, value, *where in rows:
            yield Refusal(example, path, value, where[0] if where else path)
