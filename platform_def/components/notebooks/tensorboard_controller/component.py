"""TensorBoard controller: runs each Tensorboard on a folder of logs, and leads people there."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.apis.core.core_v1 import Container
from platform_def.components.notebooks import controllers
from platform_def.config.model import Image, Name
from platform_def.constructs import (
    APACHE,
    CONTROLLER_RUNTIME,
    READ,
    RESTRICTED_LEVEL,
    AccountNames,
    Alerts,
    Component,
    ComponentConfig,
    Crds,
    Health,
    ImageFacts,
    LeaderElection,
    MetricsEndpoint,
    Operator,
    PeopleRoles,
    Problem,
    Release,
    RuntimePath,
    Setting,
    Support,
    Upkeep,
    allow,
    controller_alerts,
    env,
    grants,
    port,
    releases,
)

NAME, SERVICE = "tensorboard-controller-deployment", "tensorboard-controller-controller-manager-metrics-service"
RELEASES = releases(
    Release(
        "1.11.0",
        upkeep=Upkeep(Support.CURRENT),  # SECURITY.md: fixes for the two newest minor lines
        image="ghcr.io/kubeflow/notebooks/tensorboard-controller:v1.11.0",
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


class TensorboardControllerConfig(ComponentConfig):
    """What a stack may choose about the TensorBoard controller."""

    releases = RELEASES

    namespace: Name = "kubeflow"
    """Namespace of the controller, upstream's."""
    image: Image = "docker.io/tensorflow/tensorflow:2.5.1"
    """Image of TensorBoards, upstream's; it has the program at /usr/local/bin/tensorboard."""
    follow_volumes: bool = True
    """Run a TensorBoard on the node where its volume is mounted already, as a volume for one node needs."""


class TensorboardController(Component[TensorboardControllerConfig]):
    """CRD, controller, who is asked before a request reaches a TensorBoard, and roles for people who write them."""

    pod_security = RESTRICTED_LEVEL

    @classmethod
    def problems(cls, at: Setting[TensorboardControllerConfig]) -> Iterator[Problem]:
        """A gateway that its routes do not reach."""
        yield from controllers.problems(at, "TensorBoards")

    @classmethod
    def runtime_images(cls, at: Setting[TensorboardControllerConfig]) -> tuple[str, ...]:
        """What it starts."""
        return (at.config.image,)

    def build(self) -> None:
        """Everything that runs TensorBoards."""
        Crds(self)
        self.awaits("VirtualService.networking.istio.io")
        served = self.served
        Operator(
            self,
            NAME,
            container=self._container(),
            names=AccountNames(
                account="tensorboard-controller-controller-manager", role="tensorboard-controller-manager-role"
            ),
            rules=[
                *grants(served, f"create delete {READ} patch update"),
                *grants(served, "get patch update", "status"),
                *grants(served, "update", "finalizers"),
                *GRANTED,
            ],
            leader_election=LeaderElection(
                lease="kubeflow-tensorboard-controller",
                role="tensorboard-controller-leader-election-role",
                config_map=True,
            ),
            health=Health(8081),
            metrics=MetricsEndpoint(port=port("metrics", 8080), service=SERVICE, protected=False),
            facts=FACTS,
        )
        RuntimePath(self, "tensorboards", path="/tensorboard/")
        PeopleRoles(self, name="tensorboards")
        Alerts(self, [*controller_alerts(SERVICE, name="TensorboardController")])

    def _container(self) -> Container:
        told = {
            "TENSORBOARD_IMAGE": self.image(self.config.image),
            "ISTIO_GATEWAY": controllers.gateway(self),
            "ISTIO_HOST": controllers.HOST,
            "RWO_PVC_SCHEDULING": "true" if self.config.follow_volumes else "false",
        }
        return {
            "name": "manager",
            "image": self.release.image,
            "command": ["/manager"],
            "args": ["--metrics-bind-address=:8080", "--health-probe-bind-address=:8081"],
            "env": env(told),
            "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        }
