"""What a stack says of kubeflow-roles."""

from __future__ import annotations

from platform_def.config.model import Name
from platform_def.constructs import Component, ComponentConfig


class KubeflowRolesConfig(ComponentConfig):
    """What a stack may choose about the roles."""

    namespace: Name = "default"
    """Not used: the roles belong to the cluster."""


AnyKubeflowRoles = Component[KubeflowRolesConfig]
"""The component, as its parts see it."""
