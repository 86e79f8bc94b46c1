"""The controller of LLM services with its webhooks, and its presets, which wait for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from platform_def.apis.core.core_v1 import Container
from platform_def.components.serving.kserve.config import LlmServicesConfig
from platform_def.components.serving.kserve.llm import rules
from platform_def.components.serving.kserve.llm.presets import presets, tracing
from platform_def.components.serving.kserve.webhooks import GROUP
from platform_def.config.objects import Drift
from platform_def.constructs import (
    AccountNames,
    AdmissionServer,
    Health,
    Hook,
    ImageFacts,
    LeaderElection,
    MetricsEndpoint,
    Operator,
    Problem,
    Resource,
    Setting,
    Webhooks,
    env,
    from_field,
    port,
    rule,
)
from platform_def.constructs.certificate import INJECT
from platform_def.crds.model import Definition

if TYPE_CHECKING:
    from platform_def.components.serving.kserve.config import AnyKserve

NAME, SERVICE, CERTIFICATE = "llmisvc-controller-manager", "llmisvc-webhook-server-service", "llmisvc-serving-cert"
METRICS = "llmisvc-controller-manager-service"
SECRET = "llmisvc-webhook-server-cert"  # noqa: S105 - a name
SERVED, PRESET = "llminferenceservice", "llminferenceserviceconfig"
VERSIONS = ("v1alpha1", "v1alpha2")
FACTS = ImageFacts(runs_as=1000, read_only=True, source="config/llmisvc/manager.yaml at v0.20.0")
NEEDED = {
    "HTTPRoute.gateway.networking.k8s.io": "gateway-api",
    "InferencePool.inference.networking.k8s.io": "gateway-api-inference-extension",
}


def is_llm(definition: Definition) -> bool:
    """Whether a kind is about language models."""
    return definition.api.kind.startswith("LLMInferenceService")


def converted(definition: Definition, namespace: str) -> Definition:
    """A kind whose versions the controller converts, by a certificate of cert-manager's."""
    if definition.conversion is None:
        return definition
    told = {**definition.annotations, INJECT: f"{namespace}/{CERTIFICATE}"}
    return replace(definition, conversion=replace(definition.conversion, namespace=namespace), annotations=told)


def llm_images(at: Setting[Any]) -> dict[str, str]:
    """What its presets start in this stack, by role."""
    release = next(each for each in at.config.releases if each.version == at.config.version)
    return dict(release.llm_images)


def llm_problems(at: Setting[Any], *, routed: bool) -> Iterator[Problem]:
    """Kinds that the stack lacks, gateways that serve no pools, images of no role."""
    config: LlmServicesConfig | None = at.config.llm
    if config is None:
        return
    here, knob = ("components", at.name, "llm"), f"components.{at.name}.llm"
    for kind, component in NEEDED.items():
        if not at.platform.serves(kind):
            text = f"{knob}: language models need {kind}, which the stack does not serve"
            yield Problem(text, hint=f"add `{component}: {{}}` under components", at=here)
    if not routed:
        text = f"{knob}: language models are reached by HTTPRoutes alone, and KServe writes none in this stack"
        yield Problem(text, hint="add `gateway-api: {}`, and choose a gateway of Istio's without Knative", at=here)
    known = llm_images(at)
    for role in sorted(set(config.images) - set(known)):
        text = f"{knob}.images: there is no image for '{role}'"
        yield Problem(text, hint=f"known: {', '.join(sorted(known))}", at=(*here, "images", role))


def llm(component: AnyKserve, config: LlmServicesConfig) -> None:
    """Everything that serves language models."""
    there = [kind for kind in rules.NEIGHBOURS if component.platform.serves(kind)]
    component.awaits(*there, *(kind for kind in NEEDED if component.platform.serves(kind)))
    made = Operator(
        component,
        NAME,
        container=_container(component),
        rules=[*rules.CONTROLLER, *(each for kind in there for each in rules.NEIGHBOURS[kind])],
        names=AccountNames(role="kserve-llmisvc-manager-role"),
        leader_election=LeaderElection(
            lease="llminferenceservice-kserve-controller-manager", role="llmisvc-leader-election-role"
        ),
        ha_replicas=2,
        health=Health(8081),
        metrics=MetricsEndpoint(port=port("https", 8443), service=METRICS),
        webhook=_webhooks(),
        facts=FACTS,
    )
    assert made.admission
    hooks = [_hook(PRESET, version, "validate", "CREATE UPDATE DELETE") for version in reversed(VERSIONS)]
    Webhooks(
        component,
        f"{PRESET}.{GROUP}",
        kind="validating",
        service=SERVICE,
        hooks=hooks,
        ca_from=made.admission.ca_from,
    )
    for definition in filter(is_llm, component.served):
        pointer = ("/spec/conversion/webhook/clientConfig/caBundle",)
        component.mutated(Drift("apiextensions.k8s.io/v1", "CustomResourceDefinition", definition.name, pointer))
    _presets(component, config)


def _presets(component: AnyKserve, config: LlmServicesConfig) -> None:
    from platform_def.apis.kserve.llm_v1alpha2 import LLM_INFERENCE_SERVICE_CONFIG

    images = {**component.release.llm_images, **config.images}
    found = presets(lambda role: component.image(images[role]))
    if config.traces:
        found["kserve-config-llm-tracing"] = tracing(config.traces, config.traced_percent)
    for name, spec in found.items():
        Resource(component, LLM_INFERENCE_SERVICE_CONFIG, name, spec=spec, part="after")


def _container(component: AnyKserve) -> Container:
    settings = {
        "POD_NAMESPACE": from_field("metadata.namespace"),
        # Its webhook would refuse to let Git take a preset away.
        "PREVENT_WELL_KNOWN_CONFIG_DELETION": "false",
    }
    return {
        "name": "manager",
        "image": component.release.llm_controller,
        "command": ["/manager"],
        "args": ["--metrics-addr=:8443"],
        "env": env(cast("dict[str, Any]", settings)),
        "resources": {"requests": {"cpu": "100m", "memory": "300Mi"}, "limits": {"memory": "1Gi"}},
    }


def _webhooks() -> AdmissionServer:
    return AdmissionServer(
        mutating=[_hook(SERVED, version, "mutate") for version in VERSIONS],
        validating=[_hook(SERVED, version, "validate") for version in reversed(VERSIONS)],
        secret=SECRET,
        trust="cert-manager",
        certificate=CERTIFICATE,
        configuration=f"{SERVED}.{GROUP}",
        service=SERVICE,
    )


def _hook(kind: str, version: str, verb: str, operations: str = "CREATE UPDATE") -> Hook:
    word = {"mutate": "defaulter", "validate": "validator"}[verb]
    return Hook(
        name=f"{kind}.kserve-webhook-server.{version}.{word}",
        path=f"/{verb}-serving-kserve-io-{version}-{kind}",
        rules=[rule(GROUP, version, f"{kind}s", operations)],
        # Each version has a hook of its own: an object would otherwise be converted and judged twice.
        match_policy="Exact",
    )
