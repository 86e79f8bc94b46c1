"""Namespaces that people register have what pipelines need there.

Facts: profiles with `selfRegistration` make namespaces that no stack knows. Kubeflow Pipelines offers them to their
owners all the same, and a run there waits for a ConfigMap, an account or a key that is not there.
"""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.capabilities import AccessManagement, PipelineServer
from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.manifests.rendered import RenderedObject

_KIND = ("apps", "Deployment")


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    platform = context.stack.platform
    if not any(given.value.registration for given in platform.all(AccessManagement)):
        return
    for given in platform.all(PipelineServer):
        if not given.value.by_namespace:
            continue
        item = next((each for each in context.index.by_kind.get(_KIND, ()) if each.component == given.by), None)
        if item and not given.value.registered:
            text = "people register namespaces of their own, and these have no pipelines: a run there never starts"
            hint = f"write `{given.by}: {{registeredNamespaces: true}}` with `metacontroller: {{}}`, or `profiles: "
            yield item, Fault("", text, f"{hint}{{selfRegistration: false}}`")
        elif item and given.value.unmade:
            text = f"no one makes the Secret {given.value.unmade} that runs need in namespaces that people register"
            hint = (
                "make it in each, with accessKey and secretKey of a key that opens its prefix alone; with a store in "
            )
            yield item, Fault("", text, f"{hint}the cluster (`seaweedfs: {{}}`) it is made")


REGISTERED_NAMESPACES = StackRule(
    id="registered-namespaces",
    severity="warning",
    title="Namespaces that people register have pipelines",
    why="Kubeflow Pipelines offers each namespace of a person; a run in one that lacks account, settings or key waits "
    "or fails, and nothing says why.",
    fix="let the stack give them what teams have, or let no one register",
    check=_check,
    without_stack="not at all",
)
