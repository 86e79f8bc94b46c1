"""What carries out controllers that are no program of their own, but a hook that says which objects there shall be."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from platform_def.config.capability import Capability
from platform_def.config.model import Name, Subdomain


class HookControllers(Capability):
    """Carries out DecoratorControllers and CompositeControllers: asks their hooks, and makes what they answer."""

    title: ClassVar[str] = "a program that asks the hooks of controllers"

    namespace: Name
    """Namespace of its account."""
    account: Subdomain
    """Its service account, which needs the rights on what a hook asks for."""
    labels: dict[str, str] = Field(default_factory=dict)
    """Labels of its pods, by which network policies let them in; none: all pods of the namespace."""

    def principal(self, trust_domain: str) -> str:
        """How a mesh of that trust domain names it."""
        return f"{trust_domain}/ns/{self.namespace}/sa/{self.account}"
