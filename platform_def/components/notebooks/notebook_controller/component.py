"""Notebook controller: runs each Notebook as a pod of its own, leads people there, and stops it when it is idle.

It writes the routes to notebooks itself. To learn whether one is idle it asks Jupyter which kernels run, as a member of
the mesh whose account the policies of teams let in for that path.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from platform_def.apis.core.core_v1 import Container, ServicePort
from platform_def.capabilities import MeshCaller
from platform_def.components.notebooks import controllers
from platform_def.components.notebooks.notebook_controller.releases import BOARD, FACTS, NAME, RELEASES, RULES
from platform_def.config.model import Name
from platform_def.constructs import (
    READ,
    RESTRICTED_LEVEL,
    AccountNames,
    Alerts,
    Component,
    ComponentConfig,
    Crds,
    Dashboards,
    Health,
    LeaderElection,
    MetricsEndpoint,
    Offers,
    Operator,
    PeopleRoles,
    PodSettings,
    Problem,
    RuntimePath,
    Setting,
    allow,
    env,
    grants,
    port,
)
from platform_def.constructs.web_app import redirection_problems

ACCOUNT, METRICS = "notebook-controller-service-account", 8080
PORT: ServicePort = port("metrics", METRICS)
PATH = "/notebook/"
ALL = "create delete deletecollection get list patch update watch"
GRANTED = (
    allow("", "pods", verbs=READ),
    allow("", "events", verbs="create get list patch watch"),
    allow("", "services", verbs=ALL),
    allow("apps", "statefulsets", verbs=ALL),
    allow("networking.istio.io", "virtualservices", verbs=ALL),
)
MINUTES = {"m": 1, "h": 60, "d": 24 * 60}
Duration = Annotated[str, Field(pattern=r"^[1-9][0-9]{0,5}[mhd]$")]


class NotebookControllerConfig(ComponentConfig):
    """What a stack may choose about the notebook controller."""

    releases = RELEASES

    namespace: Name = "kubeflow"
    """Namespace of the controller, upstream's."""
    idle_after: Duration | None = None
    """How long after its last activity a notebook is stopped: `90m`, `12h`, `2d`; its files stay. Absent: never. Only
    Jupyter tells its activity: others (VS Code, RStudio) are stopped that long after they started."""
    fs_group: bool = True
    """Have volumes of notebooks belong to group 100, which upstream's images may write; false: as their pods say."""


class NotebookController(Component[NotebookControllerConfig]):
    """CRD, controller, who is asked before a request reaches a notebook, and roles for people who write Notebooks."""

    pod_security = RESTRICTED_LEVEL
    gives = (MeshCaller,)

    @classmethod
    def offers(cls, at: Setting[NotebookControllerConfig]) -> Offers:
        """Itself, where it asks notebooks whether they are idle."""
        caller = MeshCaller(purpose="notebook-activity", namespace=at.config.namespace, account=ACCOUNT)
        return Offers(capabilities=(caller,) if at.config.idle_after else ())

    @classmethod
    def problems(cls, at: Setting[NotebookControllerConfig]) -> Iterator[Problem]:
        """A gateway that its routes do not reach; a mesh that it could not join."""
        yield from controllers.problems(at, "notebooks")
        if at.config.idle_after:
            knob, here = f"components.{at.name}.idleAfter", ("components", at.name, "idleAfter")
            yield from redirection_problems(at, knob, at=here, instead="or leave out `idleAfter`")

    def build(self) -> None:
        """Everything that runs notebooks."""
        Crds(self)
        self.awaits("VirtualService.networking.istio.io")
        served = self.served
        Operator(
            self,
            NAME,
            container=self._container(),
            names=AccountNames(account=ACCOUNT, role="notebook-controller-role"),
            rules=[
                *grants(served, ALL),
                *grants(served, "get patch update", "status"),
                *grants(served, "update", "finalizers"),
                *GRANTED,
            ],
            leader_election=LeaderElection(
                flag="--enable-leader-election",
                lease="kubeflow-notebook-controller",
                role="notebook-controller-leader-election-role",
                config_map=True,
            ),
            health=Health(8081),
            metrics=MetricsEndpoint(
                port=PORT, service="notebook-controller-service", protected=False, honor_labels=True
            ),
            facts=FACTS,
            pod=PodSettings(
                annotations={controllers.EXCLUDED: str(METRICS)} if self.config.idle_after else None,
                mesh="in" if self.config.idle_after else "out",
            ),
        )
        RuntimePath(self, "notebooks", path=PATH)
        PeopleRoles(self, name="notebooks")
        Dashboards(self, [BOARD], tables=Alerts(self, RULES).tables)

    def _container(self) -> Container:
        idle = self.config.idle_after
        minutes = (
            {"CULL_IDLE_TIME": str(int(idle[:-1]) * MINUTES[idle[-1]]), "IDLENESS_CHECK_PERIOD": "1"} if idle else {}
        )
        told = {
            "USE_ISTIO": "true",
            "ISTIO_GATEWAY": controllers.gateway(self),
            "ISTIO_HOST": controllers.HOST,
            "CLUSTER_DOMAIN": self.platform.dns_domain,
            "ADD_FSGROUP": "true" if self.config.fs_group else "false",
            "ENABLE_CULLING": "true" if idle else "false",
            **minutes,
        }
        return {
            "name": "manager",
            "image": self.release.image,
            "command": ["/manager"],
            "env": env(told),
            "resources": {"requests": {"cpu": "20m", "memory": "96Mi"}, "limits": {"memory": "512Mi"}},
        }
