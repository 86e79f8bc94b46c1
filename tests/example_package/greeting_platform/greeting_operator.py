"""Greeting operator: says what Greeting objects ask for."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from platform_def.config.model import Name
from platform_def.constructs import (
    KUBERNETES,
    Component,
    ComponentConfig,
    Crds,
    Health,
    ImageFacts,
    LeaderElection,
    Operator,
    PeopleRoles,
    Release,
    Resource,
    grants,
    releases,
)

from . import example_com

RELEASES = releases(
    Release("1.1.0", image="registry.example.com/greeting-operator:1.1.0", apis=example_com.DEFINITIONS),
    Release("1.0.0", image="registry.example.com/greeting-operator:1.0.0", apis=example_com.DEFINITIONS),
)

NAME = "greeting-operator"


class GreetingOperatorConfig(ComponentConfig):
    """What a stack may choose about the greeting operator."""

    releases = RELEASES

    namespace: Name = "greetings"
    """Namespace of the operator and of its first greeting."""
    first_words: Annotated[str, Field(min_length=1, max_length=200)] = "hello"
    """Text of the greeting that is there from the start."""


class GreetingOperator(Component[GreetingOperatorConfig]):
    """CRD and operator of greetings, roles for those who write them, and a first Greeting."""

    several = True

    def build(self) -> None:
        """Everything that serves Greetings."""
        Crds(self)
        Operator(
            self,
            NAME,
            container={
                "name": "operator",
                "image": self.release.image,
                "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "64Mi"}},
            },
            rules=[*grants(self.served, "get list update watch"), *grants(self.served, "update", "status")],
            leader_election=LeaderElection(lease="greetings.example.com"),
            health=Health(port=8081),
            metrics=8080,
            facts=ImageFacts(user=65532, read_only=True, source="the example's own Dockerfile"),
        )
        PeopleRoles(self, name="greetings", aggregate=KUBERNETES)
        Resource(self, example_com.GREETING, self.named("first"), spec={"text": self.config.first_words}, part="after")
