"""No Service's name makes the variable of a port that a program next to it reads as its own.

The kubelet gives each container the addresses of the namespace's Services as variables: of a Service `vllm`
VLLM_PORT, with tcp:// in front.

Facts: vLLM (vllm/envs.py: get_vllm_port), MLflow (mlflow/cli: --port), Jupyter Server (serverapp.py: port_env), Spark
(deploy/master/MasterArguments and worker/WorkerArguments) read these as a number, and end with what is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.checks.selection import pods_by_namespace
from platform_def.manifests.images import repository
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import RenderedObject
from platform_def.manifests.workloads import Pods

_READERS: Mapping[str, tuple[str, ...]] = {
    "jupyter": ("jupyter", "notebook"),
    "mlflow": ("mlflow",),
    "spark-master": ("spark",),
    "spark-worker": ("spark",),
    "vllm": ("vllm",),
}
"""By the Service's name, what the name of an image has that reads the variable."""


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    neighbours = context.once(pods_by_namespace)
    for item in context.index.by_kind.get(("", "Service"), ()):
        name = text(mapping(item.manifest.get("metadata")).get("name"))
        if name in _READERS and _has_address(item):
            for pods in neighbours.get(item.namespace or "", ()):
                yield from ((pods.item, fault) for fault in _read(pods, name))


def _has_address(item: RenderedObject) -> bool:
    """Whether the kubelet makes variables of it."""
    spec = mapping(item.manifest.get("spec"))
    return spec.get("clusterIP") != "None" and spec.get("type") != "ExternalName"


def _read(pods: Pods, service: str) -> Iterator[Fault]:
    variable = f"{service.upper().replace('-', '_')}_PORT"
    if pods.spec.get("enableServiceLinks") is False:
        return
    for path, container in pods.containers():
        image = repository(text(container.get("image"))).rpartition("/")[2]
        set_here = {mapping(each).get("name") for each in items(at(container, "env"))}
        if any(each in image for each in _READERS[service]) and variable not in set_here:
            said = f"Service {service} next to it makes {variable} an address, which {image} reads as its port: it ends"
            yield Fault(dotted(path), said, "write enableServiceLinks: false in the pod, or call the Service otherwise")


SERVICE_VARIABLE = StackRule(
    id="service-variable",
    severity="error",
    title="No Service's name makes a variable that a program reads as its own port",
    why="The kubelet sets NAME_PORT=tcp://… for each Service next to a pod, which no program reads as a number.",
    fix="write `enableServiceLinks: false` in the pod's specification, or call the Service otherwise",
    kinds=frozenset({"Service"}),
    check=_check,
)
