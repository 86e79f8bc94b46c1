"""Who gives a stack what rules ask for.

A capability is imported where a component of the stack gives it: in a check of plain manifests none does, and thirty
models are not needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from platform_def.checks.context import Context

if TYPE_CHECKING:
    from platform_def.capabilities import AccessManagement, Devices, GangScheduler, Identity, Mesh, ModelServing
    from platform_def.config.capability import Given


def access_managements(context: Context) -> tuple[Given[AccessManagement], ...]:
    """What keeps people and teams: their namespaces and rights."""
    if not context.stack.platform.gives("accessManagement"):
        return ()
    from platform_def.capabilities import AccessManagement

    return context.stack.platform.all(AccessManagement)


def devices(context: Context) -> tuple[Given[Devices], ...]:
    """The device plugins and drivers."""
    if not context.stack.platform.gives("devices"):
        return ()
    from platform_def.capabilities import Devices

    return context.stack.platform.all(Devices)


def gang_schedulers(context: Context) -> tuple[Given[GangScheduler], ...]:
    """The schedulers that start a job's pods together."""
    if not context.stack.platform.gives("gangScheduler"):
        return ()
    from platform_def.capabilities import GangScheduler

    return context.stack.platform.all(GangScheduler)


def identities(context: Context) -> tuple[Given[Identity], ...]:
    """The identity providers."""
    if not context.stack.platform.gives("identity"):
        return ()
    from platform_def.capabilities import Identity

    return context.stack.platform.all(Identity)


def meshes(context: Context) -> tuple[Given[Mesh], ...]:
    """The service meshes."""
    if not context.stack.platform.gives("mesh"):
        return ()
    from platform_def.capabilities import Mesh

    return context.stack.platform.all(Mesh)


def model_servings(context: Context) -> tuple[Given[ModelServing], ...]:
    """The model servers."""
    if not context.stack.platform.gives("modelServing"):
        return ()
    from platform_def.capabilities import ModelServing

    return context.stack.platform.all(ModelServing)
