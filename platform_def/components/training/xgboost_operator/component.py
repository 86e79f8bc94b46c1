"""XGBoost operator 0.2: runs XGBoostJob objects of a group of their own; legacy, archived upstream."""

from __future__ import annotations

from platform_def.config.model import Name
from platform_def.constructs import (
    APACHE,
    WRITE,
    Component,
    ComponentConfig,
    Crds,
    ImageFacts,
    Operator,
    PeopleRoles,
    Release,
    Support,
    Upkeep,
    allow,
    grants,
    port,
    releases,
)

NAME = "xgboost-operator"
# Compiled against Kubernetes 1.16; later servers still have what it calls.
RELEASES = releases(
    Release(
        "0.2.0",
        image="docker.io/kubeflow/xgboost-operator:v0.2.0",
        upkeep=Upkeep(Support.ENDED),
        kept="nothing newer serves the group xgboostjob.kubeflow.org",
    ),
    license=APACHE,
)

RULES = (
    allow("", "pods services", verbs=WRITE),
    allow("", "events", verbs="create patch"),
)
FACTS = ImageFacts(user=0, source="no USER in upstream's Dockerfile at v0.2.0; the program lies in /root")


class XgboostOperatorConfig(ComponentConfig):
    """What a stack may choose about the XGBoost operator."""

    releases = RELEASES

    namespace: Name = "kubeflow"
    """Namespace of the operator, upstream's."""


class XgboostOperator(Component[XgboostOperatorConfig, Release]):
    """CRD and controller of the XGBoostJobs of group xgboostjob.kubeflow.org; roles for people who train. Legacy."""

    def build(self) -> None:
        """Everything that runs the jobs."""
        Crds(self)
        Operator(
            self,
            NAME,
            container={
                "name": NAME,
                "image": self.release.image,
                "command": ["/root/manager"],
                "args": ["-mode=in-cluster"],
                "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
            },
            rules=[
                *RULES,
                *grants(self.served, WRITE),
                *grants(self.served, "update", "finalizers"),
            ],
            metrics=port("metrics", 8080),
            facts=FACTS,
        )
        PeopleRoles(self, status=False)
