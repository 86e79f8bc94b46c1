"""NVIDIA's DRA driver: gives GPUs to pods by claims (Dynamic Resource Allocation), and joins nodes by NVLink.

It and the device plugin hand out the same cards without seeing each other: one of the two gives GPUs, never both.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, cast

from pydantic import Field

from platform_def.apis.core.admissionregistration_v1 import (
    VALIDATING_ADMISSION_POLICY,
    VALIDATING_ADMISSION_POLICY_BINDING,
    ValidatingAdmissionPolicyBindingSpec,
)
from platform_def.apis.core.core_v1 import PodSpec
from platform_def.apis.core.resource_v1 import DEVICE_CLASS, DeviceClassSpec
from platform_def.capabilities import CertificateIssuer, Devices, NodeWork
from platform_def.components.gpu.nvidia_dra_driver.access import (
    CONTROLLER_RULES,
    CONTROLLER_RULES_HERE,
    DAEMON_RULES,
    DOMAIN_CLASSES,
    DRA,
    GPU_CLASS,
    GPU_CLASSES,
    LEADER_RULES,
    MPS_RULES_HERE,
    PLUGIN_RULES,
    PLUGIN_RULES_HERE,
    slices_policy,
)
from platform_def.components.gpu.nvidia_dra_driver.pods import (
    ControllerSettings,
    HostPath,
    PluginSettings,
    controller_container,
    plugin_pod,
    webhook_pod,
)
from platform_def.components.gpu.nvidia_dra_driver.pools import cut_twice, served, unlike_claims
from platform_def.components.gpu.nvidia_dra_driver.releases import ON_BY_DEFAULT, RELEASES, DraRelease, Gate
from platform_def.components.gpu.pools.configurations import WHOLE
from platform_def.config.model import Name, conflict
from platform_def.config.pools import WHOLE_GPU
from platform_def.constructs import (
    Account,
    Component,
    ComponentConfig,
    Crds,
    DaemonSet,
    Deployment,
    Hook,
    Need,
    Offers,
    PodSecurityNeed,
    Problem,
    Resource,
    Service,
    ServingCertificate,
    Setting,
    Webhooks,
    need,
    node_paths,
    port,
    rule,
    scale,
)
from platform_def.constructs.extended_resources import by_extended_resource
from platform_def.constructs.gpu_nodes import gpu_affinity, gpu_tolerations, prefer_control_plane

NAME = "nvidia-dra-driver-gpu"
CONTROLLER, PLUGIN, WEBHOOK = f"{NAME}-controller", f"{NAME}-kubelet-plugin", f"{NAME}-webhook"
CONTROLLER_ACCOUNT = f"{NAME}-service-account-controller"
PLUGIN_ACCOUNT = f"{NAME}-service-account-kubeletplugin"
WEBHOOK_ACCOUNT = f"{NAME}-webhook-service-account"
DAEMON_ACCOUNT = "compute-domain-daemon-service-account"
POLICY = f"resourceslices-policy-{NAME}"
PARTITIONS = "DRAPartitionableDevices"
PRIVILEGED = "the kubelet plugin is privileged and mounts the driver's root and folders of the kubelet"


class NvidiaDraDriverConfig(ComponentConfig):
    """What a stack may choose about the DRA driver."""

    releases = RELEASES

    namespace: Name = NAME
    """Namespace of the driver and of the pods that it starts; it needs the privileged Pod Security level."""
    gpus: bool = True
    """Give out GPUs. Turned off it leaves them to the device plugin, and serves ComputeDomains alone."""
    compute_domains: bool = True
    """Serve ComputeDomains: nodes that share GPU memory over multi-node NVLink (GB200 and the like)."""
    feature_gates: dict[Gate, bool] = Field(default_factory=dict)
    """The driver's own feature gates that differ from its defaults."""
    driver_root: HostPath = "/"
    """Where the driver is installed on the node: `/`, or `/run/nvidia/driver` for a driver container."""
    cdi_hook: HostPath | None = None
    """Path of nvidia-cdi-hook on the node; by default the driver brings its own."""
    webhook: bool = False
    """Check the NVIDIA part of claims when they are created; needs cert-manager. Off as upstream has it: while it is
    down no claim of any driver can be created."""
    log_level: Annotated[int, Field(ge=0, le=10)] = 4
    """Upstream's; 6 and above log each call."""

    @conflict
    def _something_to_do(self) -> Iterator[ValueError]:
        if not (self.gpus or self.compute_domains):
            yield ValueError("gpus and computeDomains are both off: nothing is left for the driver to do")

    @conflict
    def _gates_that_go_together(self) -> Iterator[ValueError]:
        """As the driver itself checks them when it starts."""
        chosen = next(each for each in RELEASES if each.version == self.version)
        for name in sorted(chosen.unknown_gates & self.feature_gates.keys()):
            yield ValueError(f"release {self.version} has no feature gate {name}")
        for name, needed in chosen.needed_gates.items():
            if self.gate(name) and not self.gate(needed):
                yield ValueError(f"feature gate {name} needs {needed}")
        for one, other in chosen.excluded_gates:
            if self.gate(one) and self.gate(other):
                yield ValueError(f"feature gates {one} and {other} exclude each other")

    def gate(self, name: Gate) -> bool:
        """Whether a feature gate is on."""
        return self.feature_gates.get(name, name in ON_BY_DEFAULT)


class NvidiaDraDriver(Component[NvidiaDraDriverConfig]):
    """CRDs, device classes, controller, kubelet plugin, the limit on what plugins write, and optionally a webhook."""

    pod_security = PodSecurityNeed("privileged", PRIVILEGED)
    gives = (Devices, NodeWork)

    @property
    def release(self) -> DraRelease:
        """The chosen release."""
        return cast(DraRelease, super().release)

    @classmethod
    def offers(cls, at: Setting[NvidiaDraDriverConfig]) -> Offers:
        """GPUs under the name that the device plugin has for them."""
        if not at.config.gpus:
            return Offers()
        blind = "let this tool render nvidia-dra-driver, which leaves out pools with mode vgpu" if at.provided else ""
        alone = "`gpus: false`, which serves ComputeDomains alone"
        return Offers(
            capabilities=(
                Devices(resources=[WHOLE_GPU], by_claim=True),
                NodeWork(work="devices", nodes=WHOLE, everywhere=blind, without=alone),
            )
        )

    @classmethod
    def needs_of(cls, at: Setting[NvidiaDraDriverConfig]) -> tuple[Need[CertificateIssuer], ...]:
        """A certificate for the webhook."""
        return (need(CertificateIssuer),) if at.config.webhook else ()

    @classmethod
    def problems(cls, at: Setting[NvidiaDraDriverConfig]) -> Iterator[Problem]:
        """Ways to cut and to share cards that it does not know."""
        if at.platform.feature_gates.get("DynamicResourceAllocation") is False:
            yield Problem(
                "components.nvidia-dra-driver: the feature gate DynamicResourceAllocation is off: no claims work",
                hint="take it out of `cluster: {featureGates: …}`: it is on by default from Kubernetes 1.34 on",
            )
        if not at.config.gpus:
            return
        if at.config.gate("DynamicMIG"):
            yield from cut_twice(at.platform)
            if not at.platform.feature_gates.get(PARTITIONS, at.platform.kubernetes >= "1.36"):
                yield Problem(
                    f"components.nvidia-dra-driver: DynamicMIG needs the cluster's feature gate {PARTITIONS}, which is "
                    "off before 1.36",
                    hint=f"turn it on in the cluster, and say `cluster: {{featureGates: {{{PARTITIONS}: true}}}}`",
                )
        yield from unlike_claims(at.platform)

    def build(self) -> None:
        """Everything that makes GPUs devices that pods can claim."""
        Crds(self)
        classes: dict[str, str] = {}
        if self.config.gpus:
            classes |= GPU_CLASSES
        if self.config.compute_domains:
            classes |= DOMAIN_CLASSES
        for name, expression in sorted(classes.items()):
            Resource(self, DEVICE_CLASS, name, spec=self.device_class(name, expression))
        self.plugin()
        if self.config.compute_domains:
            self.controller()
            Account(self, DAEMON_ACCOUNT).allow(DAEMON_RULES, role="compute-domain-daemon-role")
        if self.config.webhook:
            self.webhook()

    def device_class(self, name: str, expression: str) -> DeviceClassSpec:
        """A device class; where the cluster knows how, whole cards stand for the device plugin's resource as well."""
        spec: DeviceClassSpec = {"selectors": [{"cel": {"expression": expression}}]}
        if name == GPU_CLASS and by_extended_resource(self.platform):
            spec["extendedResourceName"] = WHOLE_GPU
        return spec

    def plugin(self) -> None:
        """The kubelet plugin on the nodes with GPUs, and the limit that it writes slices of its own node alone."""
        here = (*PLUGIN_RULES_HERE, *(MPS_RULES_HERE if self.config.gpus and self.config.gate("MPSSupport") else ()))
        account = Account(self, PLUGIN_ACCOUNT)
        account.allow(PLUGIN_RULES, role=f"{NAME}-clusterrole-kubeletplugin")
        account.allow_in(self.namespace, here, role=f"{NAME}-role-kubeletplugin")
        # Upstream's policy is for `…-service-account`, an account that its chart does not make: it never applied.
        policy = slices_policy(f"system:serviceaccount:{self.namespace}:{PLUGIN_ACCOUNT}")
        Resource(self, VALIDATING_ADMISSION_POLICY, POLICY, spec=policy)
        binding: ValidatingAdmissionPolicyBindingSpec = {"policyName": POLICY, "validationActions": ["Deny"]}
        Resource(self, VALIDATING_ADMISSION_POLICY_BINDING, POLICY, spec=binding)
        update = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "100%"}}
        DaemonSet(self, PLUGIN, pod=self.plugin_pod(), extra_spec={"updateStrategy": update})

    def plugin_pod(self) -> PodSpec:
        """The plugin's pod: it has no effect on running pods, so all nodes may update at once, as upstream has it."""
        pools = served(self.platform.node_pools)
        paths = node_paths(self.platform.distribution)
        settings = PluginSettings(
            image=self.release.image,
            mirrored_image=self.image(self.release.image),
            driver_root=self.config.driver_root,
            cdi_hook=self.config.cdi_hook,
            plugins=paths.plugins,
            registry=paths.registry,
            log_level=self.config.log_level,
            gates=self.gates,
            passthrough=self.config.gate("PassthroughSupport"),
            release=self.release,
        )
        pod = plugin_pod(settings, gpus=self.config.gpus, compute_domains=self.config.compute_domains)
        return {
            **pod,
            "serviceAccountName": PLUGIN_ACCOUNT,
            "priorityClassName": "system-node-critical",
            "affinity": {"nodeAffinity": gpu_affinity(pools)},
            "tolerations": gpu_tolerations(pools),
        }

    def controller(self) -> None:
        """The controller of ComputeDomains: it starts a DaemonSet of IMEX daemons for each."""
        account = Account(self, CONTROLLER_ACCOUNT)
        account.allow(CONTROLLER_RULES, role=f"{NAME}-clusterrole-controller")
        here = (*CONTROLLER_RULES_HERE, *(LEADER_RULES if self.release.leads else ()))
        account.allow_in(self.namespace, here, role=f"{NAME}-role-controller")
        most = 2 if self.release.leads else 0
        settings = ControllerSettings(
            image=self.release.image,
            mirrored_image=self.image(self.release.image),
            name=CONTROLLER,
            log_level=self.config.log_level,
            gates=self.gates,
            release=self.release,
            several=scale(self, CONTROLLER, ha_replicas=most).several,
        )
        pod: PodSpec = {
            "serviceAccountName": CONTROLLER_ACCOUNT,
            "priorityClassName": "system-node-critical",
            "containers": [controller_container(settings)],
        }
        # Release 25.12 requires such a node, so that its controller never runs where a cloud hides them.
        Deployment(self, CONTROLLER, pod=prefer_control_plane(pod), ha_replicas=most)

    def webhook(self) -> None:
        """Checks what claims say to NVIDIA's driver."""
        Account(self, WEBHOOK_ACCOUNT)
        certificate = ServingCertificate(self, f"{WEBHOOK}-cert", services=[WEBHOOK], issuer=f"{WEBHOOK}-issuer")
        pod = webhook_pod(self.release.image, certificate.secret, gates=self.gates)
        Deployment(self, WEBHOOK, pod={**pod, "serviceAccountName": WEBHOOK_ACCOUNT}, ha_replicas=2)
        Service(self, WEBHOOK, ports=[port("https", 443, "webhook")])
        claims = rule(DRA, "v1 v1beta1 v1beta2", "resourceclaims resourceclaimtemplates", "CREATE UPDATE")
        hook = Hook(
            name="gpu.nvidia.com", path="/validate-resource-claim-parameters", rules=[{**claims, "scope": "Namespaced"}]
        )
        Webhooks(
            self,
            f"{WEBHOOK}-config",
            kind="validating",
            service=WEBHOOK,
            hooks=[hook],
            ca_from=certificate.ca_from,
        )

    @property
    def gates(self) -> str:
        """Feature gates as the driver reads them; empty where all are the driver's own."""
        return ",".join(f"{name}={str(on).lower()}" for name, on in sorted(self.config.feature_gates.items()))
