"""PVCViewer controller: shows the files of a volume in the browser, on the node where the volume is mounted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from platform_def.apis.core.core_v1 import Container, PodSpec
from platform_def.capabilities import CertificateIssuer
from platform_def.components.notebooks import controllers
from platform_def.components.notebooks.viewer import FILE_BROWSER, default_pod
from platform_def.config.model import Image, Name
from platform_def.constructs import (
    APACHE,
    CONTROLLER_RUNTIME,
    READ,
    RESTRICTED_LEVEL,
    AccountNames,
    AdmissionServer,
    Alerts,
    Component,
    ComponentConfig,
    Crds,
    Definition,
    Health,
    Hook,
    ImageFacts,
    LeaderElection,
    MetricsEndpoint,
    Operator,
    PeopleRoles,
    PodSettings,
    Problem,
    Release,
    RuntimePath,
    Setting,
    Support,
    Upkeep,
    allow,
    config_map,
    controller_alerts,
    env,
    grants,
    need,
    port,
    releases,
    restart_on_change,
    rule,
    yaml_file,
)
from platform_def.crds.catalogue import definitions_of

NAME = "pvcviewer-controller-manager"
METRICS_SERVICE, WEBHOOK_SERVICE = "pvcviewer-controller-manager-metrics-service", "pvcviewer-webhook-service"
RELEASES = releases(
    Release(
        "1.11.0",
        upkeep=Upkeep(Support.CURRENT),  # SECURITY.md: fixes for the two newest minor lines
        image="ghcr.io/kubeflow/notebooks/pvcviewer-controller:v1.11.0",
        kubernetes="1.29-1.37",
        exports=(CONTROLLER_RUNTIME,),
    ),
    license=APACHE,
)
FACTS = ImageFacts(user=65532, read_only=True, source="Dockerfile at v1.11.0: distroless, one static program")
GRANTED = (
    allow("", "persistentvolumeclaims pods", verbs=READ),
    allow("", "services", verbs=f"create {READ} update"),
    allow("apps", "deployments", verbs=f"create {READ} update"),
    allow("networking.istio.io", "virtualservices", verbs=f"create {READ} update"),
)
SPEC_MAP, FILE, FOLDER = "pvcviewer-default-pod", "pod.yaml", "/etc/pvcviewer"


class PvcviewerControllerConfig(ComponentConfig):
    """What a stack may choose about the PVCViewer controller."""

    releases = RELEASES

    namespace: Name = "kubeflow"
    """Namespace of the controller, upstream's."""
    viewer_image: Image = FILE_BROWSER
    """File browser of viewers that name no pod of their own."""


class PvcviewerController(Component[PvcviewerControllerConfig]):
    """CRD, controller with webhooks, who is asked before a request reaches a viewer, and roles for people."""

    pod_security = RESTRICTED_LEVEL
    needs = (need(CertificateIssuer),)

    @classmethod
    def served_by(cls, at: Setting[PvcviewerControllerConfig]) -> tuple[Definition, ...]:
        """The kind; of one version, so that nothing converts it."""
        return tuple(replace(each, conversion=None) for each in definitions_of(cls.slug, at.config.version))

    @classmethod
    def problems(cls, at: Setting[PvcviewerControllerConfig]) -> Iterator[Problem]:
        """A gateway that its routes do not reach."""
        yield from controllers.problems(at, "viewers of volumes")

    @classmethod
    def runtime_images(cls, at: Setting[PvcviewerControllerConfig]) -> tuple[str, ...]:
        """What it starts."""
        return (at.config.viewer_image,)

    def build(self) -> None:
        """Everything that shows files of volumes."""
        Crds(self)
        self.awaits("VirtualService.networking.istio.io")
        text = yaml_file(default_pod(self.image(self.config.viewer_image)))
        config_map(self, SPEC_MAP, {FILE: text})
        served = self.served
        Operator(
            self,
            NAME,
            container=self._container(),
            rules=[
                *grants(served, f"create delete {READ} patch update"),
                *grants(served, "get patch update", "status"),
                *grants(served, "update", "finalizers"),
                *GRANTED,
            ],
            names=AccountNames(role="pvcviewer-role"),
            leader_election=LeaderElection(lease="57a72bdf.kubeflow.org", role="pvcviewer-leader-election-role"),
            health=Health(8081),
            metrics=MetricsEndpoint(port=port("metrics", 8080), service=METRICS_SERVICE, protected=False),
            webhook=AdmissionServer(
                mutating=[_hook("m", "mutate")],
                validating=[_hook("v", "validate")],
                secret="pvcviewer-webhook-server-cert",  # noqa: S106 - its name
                trust="cert-manager",
                certificate="pvcviewer-serving-cert",
                configuration=(
                    "pvcviewer-validating-webhook-configuration",
                    "pvcviewer-mutating-webhook-configuration",
                ),
                service=WEBHOOK_SERVICE,
                port=port("https", 443, 9443),
            ),
            facts=FACTS,
            pod=PodSettings(
                cast(PodSpec, {"volumes": [{"name": "default-pod", "configMap": {"name": SPEC_MAP}}]}),
                annotations=restart_on_change(text),
            ),
        )
        RuntimePath(self, "viewers", path="/pvcviewers/")
        PeopleRoles(self, name="pvcviewers")
        Alerts(self, [*controller_alerts(METRICS_SERVICE, name="PvcviewerController")])

    def _container(self) -> Container:
        return {
            "name": "manager",
            "image": self.release.image,
            "command": ["/manager"],
            "args": ["--health-probe-bind-address=:8081", "--metrics-bind-address=:8080"],
            "env": env({"ISTIO_GATEWAY": controllers.gateway(self), "DEFAULT_POD_SPEC_PATH": f"{FOLDER}/{FILE}"}),
            "ports": [{"name": "webhook-server", "containerPort": 9443, "protocol": "TCP"}],
            "volumeMounts": [{"name": "default-pod", "mountPath": FOLDER, "readOnly": True}],
            "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        }


def _hook(letter: str, verb: str) -> Hook:
    return Hook(
        name=f"{letter}pvcviewer.kb.io",
        path=f"/{verb}-kubeflow-org-v1alpha1-pvcviewer",
        rules=[rule("kubeflow.org", "v1alpha1", "pvcviewers", "CREATE UPDATE")],
    )
