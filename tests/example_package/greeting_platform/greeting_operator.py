"""Greeting operator: says what Greeting objects ask for."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from platform_def.apis.core.core_v1 import PodSpec
from platform_def.config.component import ComponentConfig
from platform_def.config.model import Name
from platform_def.constructs.component import Component
from platform_def.constructs.crds import Crds
from platform_def.constructs.rbac import Account, allow
from platform_def.constructs.release import Release, releases
from platform_def.constructs.resource import Resource
from platform_def.constructs.workload import Deployment

from . import example_com

RELEASES = releases(
    Release(version="1.1.0", image="registry.example.com/greeting-operator:1.1.0", apis=example_com.DEFINITIONS),
    Release(version="1.0.0", image="registry.example.com/greeting-operator:1.0.0", apis=example_com.DEFINITIONS),
)

RULES = (allow("example.com", "greetings greetings/status", verbs="get list update watch"),)

NAME = "greeting-operator"


class GreetingOperatorConfig(ComponentConfig):
    """What a stack may choose about the greeting operator."""

    releases = RELEASES

    namespace: Name = "greetings"
    """Namespace of the operator and of its first greeting."""
    first_words: Annotated[str, Field(min_length=1, max_length=200)] = "hello"
    """Text of the greeting that is there from the start."""


class GreetingOperator(Component[GreetingOperatorConfig]):
    """CRD, account and Deployment of the greeting operator, and a first Greeting."""

    def build(self) -> None:
        """Everything that serves Greetings."""
        Account(self, NAME).allow(RULES)
        Crds(self, apis=self.release.apis)
        Deployment(self, NAME, pod=self.pod(), ha_replicas=2)
        Resource(self, example_com.GREETING, "first", spec={"text": self.config.first_words}, part="after")

    def pod(self) -> PodSpec:
        """The operator's pod."""
        return {
            "serviceAccountName": NAME,
            "containers": [
                {
                    "name": "operator",
                    "image": self.release.image,
                    "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "64Mi"}},
                    "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
                }
            ],
        }
