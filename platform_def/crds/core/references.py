"""Which fields of core kinds and core types name other objects.

The types in this folder are written from the Kubernetes schemas, which do not say so; a table by type does. A path goes
down to a name, or to a type that has an entry of its own; `[]` stands for each item of a list, `{}` for each value of a
map; a key that holds dots stands in brackets and quotes. Facts: API reference of Kubernetes 1.36.
"""

from __future__ import annotations

from collections.abc import Mapping

from platform_def.crds.schema import Ref

Fields = Mapping[str, Ref | str]
"""Path → what the field names, or the type that stands there."""

_RBAC, _STORAGE, _DEVICES = "rbac.authorization.k8s.io", "storage.k8s.io", "resource.k8s.io"
_SECRET = Ref("Secret", namespace="namespace")
_SERVICE = Ref("Service", namespace="namespace")
_BACKEND = Ref("Service", weak=True)
_CLAIM_SOURCE = Ref("PersistentVolumeClaim", kind_field="kind", group_field="apiGroup", namespace="namespace")
_WEBHOOK: Fields = {"webhooks[].clientConfig.service.name": _SERVICE}
_WORKLOAD: Fields = {"spec.template": "PodTemplateSpec"}
_ROLE_BINDING: Fields = {
    "roleRef.name": Ref("ClusterRole", group=_RBAC, kind_field="kind", group_field="apiGroup"),
    "subjects[].name": Ref("User", kind_field="kind", group_field="apiGroup", namespace="namespace", weak=True),
}
_DEVICE_CLASS = Ref("DeviceClass", group=_DEVICES)
_DEVICE_CLAIM: Fields = {
    "devices.requests[].exactly.deviceClassName": _DEVICE_CLASS,
    "devices.requests[].firstAvailable[].deviceClassName": _DEVICE_CLASS,
    "devices.requests[].deviceClassName": _DEVICE_CLASS,
}
_ENVIRONMENT_KEY = {"key": "key", "optional": "optional"}

_POD: Fields = {
    'metadata.annotations["k8s.v1.cni.cncf.io/networks"]': Ref(
        "NetworkAttachmentDefinition", group="k8s.cni.cncf.io", qualified=True, listed=True
    ),
    "spec": "PodSpec",
}

TYPES: Mapping[str, Fields] = {
    "PodTemplateSpec": _POD,
    "PodTemplate": {"template": "PodTemplateSpec"},
    "JobSpec": {"template": "PodTemplateSpec"},
    "JobTemplateSpec": {"spec": "JobSpec"},
    "PodSpec": {
        "serviceAccountName": Ref("ServiceAccount"),
        "priorityClassName": Ref("PriorityClass", group="scheduling.k8s.io"),
        "runtimeClassName": Ref("RuntimeClass", group="node.k8s.io"),
        "imagePullSecrets[].name": Ref("Secret", weak=True),
        "containers[]": "Container",
        "initContainers[]": "Container",
        "volumes[]": "Volume",
        "resourceClaims[].resourceClaimName": Ref("ResourceClaim", group=_DEVICES),
        "resourceClaims[].resourceClaimTemplateName": Ref("ResourceClaimTemplate", group=_DEVICES),
    },
    "Container": {"env[]": "EnvVar", "envFrom[]": "EnvFromSource"},
    "EnvVar": {"valueFrom.configMapKeyRef": "ConfigMapKeySelector", "valueFrom.secretKeyRef": "SecretKeySelector"},
    "EnvVarSource": {"configMapKeyRef": "ConfigMapKeySelector", "secretKeyRef": "SecretKeySelector"},
    "ConfigMapKeySelector": {"name": Ref("ConfigMap", key="key", optional="optional")},
    "SecretKeySelector": {"name": Ref("Secret", key="key", optional="optional")},
    "EnvFromSource": {
        "configMapRef.name": Ref("ConfigMap", optional="optional"),
        "secretRef.name": Ref("Secret", optional="optional"),
    },
    "SecretReference": {"name": _SECRET},
    "Volume": {
        "configMap.name": Ref("ConfigMap", items="items", optional="optional"),
        "secret.secretName": Ref("Secret", items="items", optional="optional"),
        "persistentVolumeClaim.claimName": Ref("PersistentVolumeClaim"),
        "projected.sources[].configMap.name": Ref("ConfigMap", items="items", optional="optional"),
        "projected.sources[].secret.name": Ref("Secret", items="items", optional="optional"),
        "ephemeral.volumeClaimTemplate.spec": "PersistentVolumeClaimSpec",
        "csi.driver": Ref("CSIDriver", group=_STORAGE),
        "csi.nodePublishSecretRef.name": Ref("Secret"),
        "cephfs.secretRef.name": Ref("Secret"),
        "rbd.secretRef.name": Ref("Secret"),
    },
    "PersistentVolumeClaim": {"spec": "PersistentVolumeClaimSpec"},
    "PersistentVolumeClaimTemplate": {"spec": "PersistentVolumeClaimSpec"},
    "PersistentVolumeClaimSpec": {
        "storageClassName": Ref("StorageClass", group=_STORAGE),
        "volumeName": Ref("PersistentVolume"),
        "dataSource.name": _CLAIM_SOURCE,
        "dataSourceRef.name": _CLAIM_SOURCE,
    },
    "ResourceClaimSpec": _DEVICE_CLAIM,
}
"""By the type's own name, wherever it stands: in core kinds, and embedded in custom resources."""

KINDS: Mapping[tuple[str, str], Fields] = {
    ("", "Pod"): _POD,
    ("", "PodTemplate"): {"template": "PodTemplateSpec"},
    ("", "ReplicationController"): _WORKLOAD,
    ("apps", "Deployment"): _WORKLOAD,
    ("apps", "DaemonSet"): _WORKLOAD,
    ("apps", "ReplicaSet"): _WORKLOAD,
    ("apps", "StatefulSet"): {
        **_WORKLOAD,
        "spec.serviceName": Ref("Service", weak=True),
        "spec.volumeClaimTemplates[].spec": "PersistentVolumeClaimSpec",
    },
    ("batch", "Job"): _WORKLOAD,
    ("batch", "CronJob"): {"spec.jobTemplate": "JobTemplateSpec"},
    ("autoscaling", "HorizontalPodAutoscaler"): {
        "spec.scaleTargetRef.name": Ref("Deployment", kind_field="kind", group_field="apiVersion", weak=True),
    },
    ("", "ServiceAccount"): {
        "secrets[].name": Ref("Secret", optional=True, weak=True),
        "imagePullSecrets[].name": Ref("Secret", weak=True),
    },
    ("", "PersistentVolumeClaim"): {"spec": "PersistentVolumeClaimSpec"},
    ("", "PersistentVolume"): {
        "spec.csi.driver": Ref("CSIDriver", group=_STORAGE),
        "spec.csi.nodeStageSecretRef.name": _SECRET,
        "spec.csi.nodePublishSecretRef.name": _SECRET,
        "spec.csi.controllerExpandSecretRef.name": _SECRET,
        "spec.csi.nodeExpandSecretRef.name": _SECRET,
        "spec.csi.controllerPublishSecretRef.name": _SECRET,
    },
    (_STORAGE, "StorageClass"): {
        # A provisioner needs no CSIDriver of its name: local-path has none.
        "provisioner": Ref("CSIDriver", group=_STORAGE, optional=True),
        **{
            f'parameters["csi.storage.k8s.io/{use}-secret-name"]': Ref(
                "Secret", namespace=f"csi.storage.k8s.io/{use}-secret-namespace"
            )
            for use in ("provisioner", "node-stage", "node-publish", "controller-expand", "controller-publish")
        },
    },
    ("networking.k8s.io", "Ingress"): {
        "spec.ingressClassName": Ref("IngressClass", group="networking.k8s.io", weak=True),
        "spec.defaultBackend.service.name": _BACKEND,
        "spec.rules[].http.paths[].backend.service.name": _BACKEND,
        "spec.tls[].secretName": Ref("Secret", weak=True),
    },
    (_RBAC, "RoleBinding"): _ROLE_BINDING,
    (_RBAC, "ClusterRoleBinding"): _ROLE_BINDING,
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"): _WEBHOOK,
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"): _WEBHOOK,
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"): {
        "spec.policyName": Ref("ValidatingAdmissionPolicy", group="admissionregistration.k8s.io"),
    },
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding"): {
        "spec.policyName": Ref("MutatingAdmissionPolicy", group="admissionregistration.k8s.io"),
    },
    ("apiregistration.k8s.io", "APIService"): {"spec.service.name": _SERVICE},
    # Definitions come before the Service that converts their objects: an order would be a circle.
    ("apiextensions.k8s.io", "CustomResourceDefinition"): {
        "spec.conversion.webhook.clientConfig.service.name": Ref("Service", namespace="namespace", weak=True),
    },
    (_DEVICES, "ResourceClaim"): {"spec": "ResourceClaimSpec"},
    (_DEVICES, "ResourceClaimTemplate"): {"spec.spec": "ResourceClaimSpec"},
}
"""By group and kind, from the top of the object."""

ANNOTATIONS: Mapping[str, Ref] = {
    "cert-manager.io/inject-ca-from": Ref("Certificate", group="cert-manager.io", qualified=True, weak=True),
    # A program that makes its own CA writes that Secret when it starts: cert-manager's webhook does.
    "cert-manager.io/inject-ca-from-secret": Ref("Secret", qualified=True, optional=True, weak=True),
    "cert-manager.io/issuer": Ref("Issuer", group="cert-manager.io"),
    "cert-manager.io/cluster-issuer": Ref("ClusterIssuer", group="cert-manager.io"),
}
"""Annotations of any object that name another one."""
