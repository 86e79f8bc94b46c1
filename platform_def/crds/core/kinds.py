"""Every core kind that can be delivered, with scope and plural; written by `generate.py`."""

from typing import NamedTuple


class CoreKind(NamedTuple):
    """What discovery says of a core kind, and which minor versions of Kubernetes 1.x know it (if behind a gate)."""

    plural: str
    namespaced: bool
    since: int
    """25 also stands for earlier."""
    until: int
    """37 also stands for later."""


_TABLE = """
admissionregistration.k8s.io/v1 MutatingAdmissionPolicy mutatingadmissionpolicies cluster 36 37
admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding mutatingadmissionpolicybindings cluster 36 37
admissionregistration.k8s.io/v1 MutatingWebhookConfiguration mutatingwebhookconfigurations cluster 25 37
admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy validatingadmissionpolicies cluster 30 37
admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding validatingadmissionpolicybindings cluster 30 37
admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration validatingwebhookconfigurations cluster 25 37
admissionregistration.k8s.io/v1alpha1 MutatingAdmissionPolicy mutatingadmissionpolicies cluster 32 37
admissionregistration.k8s.io/v1alpha1 MutatingAdmissionPolicyBinding mutatingadmissionpolicybindings cluster 32 37
admissionregistration.k8s.io/v1alpha1 ValidatingAdmissionPolicy validatingadmissionpolicies cluster 26 31
admissionregistration.k8s.io/v1alpha1 ValidatingAdmissionPolicyBinding validatingadmissionpolicybindings cluster 26 31
admissionregistration.k8s.io/v1beta1 MutatingAdmissionPolicy mutatingadmissionpolicies cluster 34 37
admissionregistration.k8s.io/v1beta1 MutatingAdmissionPolicyBinding mutatingadmissionpolicybindings cluster 34 37
admissionregistration.k8s.io/v1beta1 ValidatingAdmissionPolicy validatingadmissionpolicies cluster 28 33
admissionregistration.k8s.io/v1beta1 ValidatingAdmissionPolicyBinding validatingadmissionpolicybindings cluster 28 33
apiextensions.k8s.io/v1 CustomResourceDefinition customresourcedefinitions cluster 25 37
apiregistration.k8s.io/v1 APIService apiservices cluster 25 37
apps/v1 ControllerRevision controllerrevisions namespaced 25 37
apps/v1 DaemonSet daemonsets namespaced 25 37
apps/v1 Deployment deployments namespaced 25 37
apps/v1 ReplicaSet replicasets namespaced 25 37
apps/v1 StatefulSet statefulsets namespaced 25 37
autoscaling/v1 HorizontalPodAutoscaler horizontalpodautoscalers namespaced 25 37
autoscaling/v2 HorizontalPodAutoscaler horizontalpodautoscalers namespaced 25 37
autoscaling/v2beta2 HorizontalPodAutoscaler horizontalpodautoscalers namespaced 25 25
batch/v1 CronJob cronjobs namespaced 25 37
batch/v1 Job jobs namespaced 25 37
certificates.k8s.io/v1 CertificateSigningRequest certificatesigningrequests cluster 25 37
certificates.k8s.io/v1 ClusterTrustBundle clustertrustbundles cluster 37 37
certificates.k8s.io/v1 PodCertificateRequest podcertificaterequests namespaced 37 37
certificates.k8s.io/v1alpha1 ClusterTrustBundle clustertrustbundles cluster 27 36
certificates.k8s.io/v1alpha1 PodCertificateRequest podcertificaterequests namespaced 34 34
certificates.k8s.io/v1beta1 ClusterTrustBundle clustertrustbundles cluster 33 37
certificates.k8s.io/v1beta1 PodCertificateRequest podcertificaterequests namespaced 35 37
coordination.k8s.io/v1 Lease leases namespaced 25 37
coordination.k8s.io/v1alpha1 LeaseCandidate leasecandidates namespaced 31 31
coordination.k8s.io/v1alpha2 LeaseCandidate leasecandidates namespaced 32 37
coordination.k8s.io/v1beta1 LeaseCandidate leasecandidates namespaced 33 37
discovery.k8s.io/v1 EndpointSlice endpointslices namespaced 25 37
events.k8s.io/v1 Event events namespaced 25 37
flowcontrol.apiserver.k8s.io/v1 FlowSchema flowschemas cluster 29 37
flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration prioritylevelconfigurations cluster 29 37
flowcontrol.apiserver.k8s.io/v1beta1 FlowSchema flowschemas cluster 25 25
flowcontrol.apiserver.k8s.io/v1beta1 PriorityLevelConfiguration prioritylevelconfigurations cluster 25 25
flowcontrol.apiserver.k8s.io/v1beta2 FlowSchema flowschemas cluster 25 28
flowcontrol.apiserver.k8s.io/v1beta2 PriorityLevelConfiguration prioritylevelconfigurations cluster 25 28
flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema flowschemas cluster 26 31
flowcontrol.apiserver.k8s.io/v1beta3 PriorityLevelConfiguration prioritylevelconfigurations cluster 26 31
internal.apiserver.k8s.io/v1alpha1 StorageVersion storageversions cluster 25 37
lifecycle.k8s.io/v1alpha1 EvictionRequest evictionrequests namespaced 37 37
networking.k8s.io/v1 IPAddress ipaddresses cluster 33 37
networking.k8s.io/v1 Ingress ingresses namespaced 25 37
networking.k8s.io/v1 IngressClass ingressclasses cluster 25 37
networking.k8s.io/v1 NetworkPolicy networkpolicies namespaced 25 37
networking.k8s.io/v1 ServiceCIDR servicecidrs cluster 33 37
networking.k8s.io/v1alpha1 ClusterCIDR clustercidrs cluster 25 28
networking.k8s.io/v1alpha1 IPAddress ipaddresses cluster 27 30
networking.k8s.io/v1alpha1 ServiceCIDR servicecidrs cluster 29 30
networking.k8s.io/v1beta1 IPAddress ipaddresses cluster 31 36
networking.k8s.io/v1beta1 ServiceCIDR servicecidrs cluster 31 36
node.k8s.io/v1 RuntimeClass runtimeclasses cluster 25 37
policy/v1 PodDisruptionBudget poddisruptionbudgets namespaced 25 37
rbac.authorization.k8s.io/v1 ClusterRole clusterroles cluster 25 37
rbac.authorization.k8s.io/v1 ClusterRoleBinding clusterrolebindings cluster 25 37
rbac.authorization.k8s.io/v1 Role roles namespaced 25 37
rbac.authorization.k8s.io/v1 RoleBinding rolebindings namespaced 25 37
resource.k8s.io/v1 DeviceClass deviceclasses cluster 34 37
resource.k8s.io/v1 DeviceTaintRule devicetaintrules cluster 37 37
resource.k8s.io/v1 ResourceClaim resourceclaims namespaced 34 37
resource.k8s.io/v1 ResourceClaimTemplate resourceclaimtemplates namespaced 34 37
resource.k8s.io/v1 ResourceSlice resourceslices cluster 34 37
resource.k8s.io/v1alpha1 PodScheduling podschedulings namespaced 26 26
resource.k8s.io/v1alpha1 ResourceClaim resourceclaims namespaced 26 26
resource.k8s.io/v1alpha1 ResourceClaimTemplate resourceclaimtemplates namespaced 26 26
resource.k8s.io/v1alpha1 ResourceClass resourceclasses cluster 26 26
resource.k8s.io/v1alpha2 PodSchedulingContext podschedulingcontexts namespaced 27 30
resource.k8s.io/v1alpha2 ResourceClaim resourceclaims namespaced 27 30
resource.k8s.io/v1alpha2 ResourceClaimParameters resourceclaimparameters namespaced 30 30
resource.k8s.io/v1alpha2 ResourceClaimTemplate resourceclaimtemplates namespaced 27 30
resource.k8s.io/v1alpha2 ResourceClass resourceclasses cluster 27 30
resource.k8s.io/v1alpha2 ResourceClassParameters resourceclassparameters namespaced 30 30
resource.k8s.io/v1alpha2 ResourceSlice resourceslices cluster 30 30
resource.k8s.io/v1alpha3 DeviceClass deviceclasses cluster 31 33
resource.k8s.io/v1alpha3 DeviceTaintRule devicetaintrules cluster 33 37
resource.k8s.io/v1alpha3 PodSchedulingContext podschedulingcontexts namespaced 31 31
resource.k8s.io/v1alpha3 ResourceClaim resourceclaims namespaced 31 33
resource.k8s.io/v1alpha3 ResourceClaimTemplate resourceclaimtemplates namespaced 31 33
resource.k8s.io/v1alpha3 ResourcePoolStatusRequest resourcepoolstatusrequests cluster 36 37
resource.k8s.io/v1alpha3 ResourceSlice resourceslices cluster 31 33
resource.k8s.io/v1beta1 DeviceClass deviceclasses cluster 32 37
resource.k8s.io/v1beta1 ResourceClaim resourceclaims namespaced 32 37
resource.k8s.io/v1beta1 ResourceClaimTemplate resourceclaimtemplates namespaced 32 37
resource.k8s.io/v1beta1 ResourceSlice resourceslices cluster 32 37
resource.k8s.io/v1beta2 DeviceClass deviceclasses cluster 33 37
resource.k8s.io/v1beta2 DeviceTaintRule devicetaintrules cluster 36 37
resource.k8s.io/v1beta2 ResourceClaim resourceclaims namespaced 33 37
resource.k8s.io/v1beta2 ResourceClaimTemplate resourceclaimtemplates namespaced 33 37
resource.k8s.io/v1beta2 ResourceSlice resourceslices cluster 33 37
scheduling.k8s.io/v1 PriorityClass priorityclasses cluster 25 37
scheduling.k8s.io/v1alpha1 Workload workloads namespaced 35 35
scheduling.k8s.io/v1alpha2 PodGroup podgroups namespaced 36 36
scheduling.k8s.io/v1alpha2 Workload workloads namespaced 36 36
scheduling.k8s.io/v1alpha3 CompositePodGroup compositepodgroups namespaced 37 37
scheduling.k8s.io/v1alpha3 PodGroup podgroups namespaced 37 37
scheduling.k8s.io/v1alpha3 Workload workloads namespaced 37 37
scheduling.k8s.io/v1beta1 PodGroup podgroups namespaced 37 37
scheduling.k8s.io/v1beta1 Workload workloads namespaced 37 37
storage.k8s.io/v1 CSIDriver csidrivers cluster 25 37
storage.k8s.io/v1 CSINode csinodes cluster 25 37
storage.k8s.io/v1 CSIStorageCapacity csistoragecapacities namespaced 25 37
storage.k8s.io/v1 StorageClass storageclasses cluster 25 37
storage.k8s.io/v1 VolumeAttachment volumeattachments cluster 25 37
storage.k8s.io/v1 VolumeAttributesClass volumeattributesclasses cluster 34 37
storage.k8s.io/v1alpha1 VolumeAttributesClass volumeattributesclasses cluster 29 34
storage.k8s.io/v1beta1 CSIStorageCapacity csistoragecapacities namespaced 25 26
storage.k8s.io/v1beta1 VolumeAttributesClass volumeattributesclasses cluster 31 36
storagemigration.k8s.io/v1 StorageVersionMigration storageversionmigrations cluster 37 37
storagemigration.k8s.io/v1alpha1 StorageVersionMigration storageversionmigrations cluster 30 34
storagemigration.k8s.io/v1beta1 StorageVersionMigration storageversionmigrations cluster 35 37
v1 ComponentStatus componentstatuses cluster 25 37
v1 ConfigMap configmaps namespaced 25 37
v1 Endpoints endpoints namespaced 25 37
v1 Event events namespaced 25 37
v1 LimitRange limitranges namespaced 25 37
v1 Namespace namespaces cluster 25 37
v1 Node nodes cluster 25 37
v1 PersistentVolume persistentvolumes cluster 25 37
v1 PersistentVolumeClaim persistentvolumeclaims namespaced 25 37
v1 Pod pods namespaced 25 37
v1 PodTemplate podtemplates namespaced 25 37
v1 ReplicationController replicationcontrollers namespaced 25 37
v1 ResourceQuota resourcequotas namespaced 25 37
v1 Secret secrets namespaced 25 37
v1 Service services namespaced 25 37
v1 ServiceAccount serviceaccounts namespaced 25 37
"""

CORE_KINDS: dict[tuple[str, str], CoreKind] = {
    (api, kind): CoreKind(plural, scope == "namespaced", int(since), int(until))
    for api, kind, plural, scope, since, until in map(str.split, _TABLE.strip().splitlines())
}
"""(apiVersion, kind) → what is known of it."""
