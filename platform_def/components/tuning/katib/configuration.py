"""The configuration file of Katib's controller, as data: `init` is read at start, `runtime` at each use.

Katib's decoder drops what it does not know and checks next to nothing, so it is typed here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, Required, TypedDict, cast

from platform_def.apis.core.core_v1 import (
    Container,
    PersistentVolumeClaimSpec,
    ResourceRequirements,
    SecurityContext,
)
from platform_def.components.tuning.katib.config import algorithms
from platform_def.components.tuning.katib.releases import Helper, TrialKind
from platform_def.constructs import Claim, customized, yaml_file

if TYPE_CHECKING:
    from platform_def.components.tuning.katib.config import AnyKatib

NAME, KEY = "katib-config", "katib-config.yaml"
"""Names under which the controller asks the API server for it."""
WEBHOOK_PORT, METRICS_PORT, HEALTH_PORT = 8443, 8080, 18080


class Controller(TypedDict, total=False):
    """Of the controller itself."""

    enableLeaderElection: bool
    healthzAddr: str
    injectSecurityContext: bool
    metricsAddr: str
    trialResources: Required[list[str]]
    webhookPort: int


class CertGenerator(TypedDict, total=False):
    """Of the certificate that it makes itself; its names hold only where it is on."""

    enable: bool
    webhookSecretName: str
    webhookServiceName: str


class Init(TypedDict, total=False):
    """What is read at start."""

    certGenerator: CertGenerator
    controller: Required[Controller]


class Suggestion(Container, total=False):
    """An algorithm: its container with all fields, and what stands around it."""

    algorithmName: Required[str]  # noqa: N815 - as the file spells it
    persistentVolumeClaimSpec: PersistentVolumeClaimSpec  # noqa: N815 - likewise


class StoppingAlgorithm(TypedDict, total=False):
    """An algorithm that ends trials."""

    algorithmName: Required[str]
    image: Required[str]
    imagePullPolicy: Literal["IfNotPresent"]
    resources: ResourceRequirements


class Collector(TypedDict, total=False):
    """A sidecar of trials."""

    kind: Required[str]
    image: Required[str]
    imagePullPolicy: Literal["IfNotPresent"]
    resources: ResourceRequirements


class RuntimeSettings(TypedDict):
    """What is read at each use."""

    earlyStoppings: list[StoppingAlgorithm]
    metricsCollectors: list[Collector]
    suggestions: list[Suggestion]


CLOSED: SecurityContext = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "runAsUser": 1000,
    "runAsGroup": 0,
    "seccompProfile": {"type": "RuntimeDefault"},
}
"""For the algorithms' images: any user of the group 0 reads them, as their Dockerfiles arrange it."""

CLOSED_ROOT: SecurityContext = {
    "allowPrivilegeEscalation": False,
    "seccompProfile": {"type": "RuntimeDefault"},
}
"""For those that read what trials write on a shared volume, whatever user they run as."""


def init(component: AnyKatib, kinds: tuple[TrialKind, ...], *, several: bool) -> Init:
    """What is read at start; another content needs another pod."""
    controller: Controller = {
        "enableLeaderElection": several,
        "healthzAddr": f":{HEALTH_PORT}",
        "injectSecurityContext": component.config.inject_security_context,
        "metricsAddr": f":{METRICS_PORT}",
        "trialResources": [kind.resource for kind in kinds],
        "webhookPort": WEBHOOK_PORT,
    }
    made: Init = {"controller": controller}
    if component.config.certificates == "katib":
        made["certGenerator"] = {"enable": True}
    return made


def text(component: AnyKatib, started: Init) -> str:
    """The whole file."""
    runtime: RuntimeSettings = {
        "earlyStoppings": list(_early_stopping(component)),
        "metricsCollectors": list(_collectors(component)),
        "suggestions": list(_suggestions(component)),
    }
    head = {"apiVersion": "config.kubeflow.org/v1beta1", "kind": "KatibConfig"}
    return yaml_file({**head, "init": started, "runtime": runtime})


def _suggestions(component: AnyKatib) -> Iterator[Suggestion]:
    for algorithm, helper in algorithms(component.release, component.config).items():
        container = _container("suggestion", helper)
        restricted = component.config.own_algorithms.get(algorithm)
        if restricted is None or restricted.restricted:
            container["securityContext"] = CLOSED_ROOT if helper.shared_volume else CLOSED
        size, mode = (helper.shared_volume, "ReadWriteMany") if helper.shared_volume else ("1Gi", "ReadWriteOnce")
        claim = Claim("data", size, cast("Literal['ReadWriteOnce', 'ReadWriteMany']", mode))
        made, spec = customized(
            component,
            f"suggestion-{algorithm}",
            container,
            takes=("resources", "env", "flags"),
            claim=claim,
        )
        entry = cast(Suggestion, {"algorithmName": algorithm, **made})
        if spec:
            entry["persistentVolumeClaimSpec"] = spec
        yield entry


def _early_stopping(component: AnyKatib) -> Iterator[StoppingAlgorithm]:
    for algorithm, helper in component.release.early_stopping.items():
        made, _ = customized(component, f"early-stopping-{algorithm}", _container("early-stopping", helper))
        yield cast(StoppingAlgorithm, {"algorithmName": algorithm, **_unnamed(made)})


def _collectors(component: AnyKatib) -> Iterator[Collector]:
    for kind, helper in component.release.collectors.items():
        made, _ = customized(component, f"collector-{kind.lower()}", _container("collector", helper))
        yield cast(Collector, {"kind": kind, **_unnamed(made)})


def _unnamed(container: Container) -> dict[str, object]:
    return {name: value for name, value in container.items() if name != "name"}


def _container(name: str, helper: Helper) -> Container:
    return {
        "name": name,
        "image": helper.image,
        "imagePullPolicy": "IfNotPresent",
        "resources": {
            "requests": {"cpu": "50m", "memory": helper.memory},
            "limits": {"cpu": helper.cpu_limit, "memory": helper.memory_limit},
        },
    }
