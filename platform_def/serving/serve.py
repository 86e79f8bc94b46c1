"""A model as an InferenceService of KServe: fetched by its address, run by one of KServe's servers, with a canary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from platform_def.apis.core.core_v1 import PodSpec
from platform_def.capabilities import ModelServing, Serverless
from platform_def.config.model import Image, Model, Name
from platform_def.config.platform import Platform
from platform_def.constructs.resource import Resource
from platform_def.errors import nearest
from platform_def.jobs.pods.volumes import make_claims
from platform_def.jobs.problem import JobProblem
from platform_def.jobs.shares import Share
from platform_def.serving.access import account_of, make_account, make_policy
from platform_def.serving.address import Address, address_problems, full
from platform_def.serving.canary import NAME as CANARY
from platform_def.serving.canary import gateway_of_routes, share_requests
from platform_def.serving.pods import ServingContainer, annotations_of, leave_late, pod_of, queue_of
from platform_def.serving.restricted import image_problems, root_problems
from platform_def.serving.template import Scaling, ServedModel, ServiceConfig

Mode = Literal["standard", "knative"]
CONTAINER = "kserve-container"
"""The container that KServe's servers have, and into which a service's own fields are merged."""
PODS = "serving.kserve.io/inferenceservice"
"""Label of the pods of an InferenceService: its name."""
MODE = "serving.kserve.io/deploymentMode"
VISIBILITY: Mapping[Mode, str] = {
    "standard": "networking.kserve.io/visibility",
    "knative": "networking.knative.dev/visibility",
}
_SMALL = Share("1", "2Gi", "1Gi", "what KServe gives a model without GPUs")
_OF_PODS = ("cpu", "memory")


class ServeScaling(Scaling):
    """How many pods serve a model, and by what they become more."""

    metric: Literal["cpu", "memory", "concurrency", "rps"] | None = None
    """What is measured: with Knative requests at once (`concurrency`, the default) or a second (`rps`) of each pod;
    without it `cpu`, the default, or `memory`, in percent of what a pod asks for."""
    target: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    """The value that it aims at; by default KServe's."""


class ModelCanary(Model):
    """Another model that gets a share of the requests."""

    model: Address
    """Where it is."""
    percent: Annotated[int, Field(ge=0, le=100)]
    """Its share of the requests; 0 starts it without any."""
    replicas: Annotated[int, Field(ge=1, le=1000)] = 1
    """Its pods, no more than those of the model itself; Knative scales both alike."""
    image: Image | None = None
    """Its image, where that is another."""
    version: Annotated[str, Field(max_length=40)] | None = None
    """Version of its format, where that is another."""


class ServeConfig(ServiceConfig):
    """Parameters of a model that KServe serves."""

    needs: ClassVar[tuple[str, ...]] = ("InferenceService.serving.kserve.io",)

    format: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=60)] | None = None
    """What the model was made with: `sklearn`, `xgboost`, `lightgbm`, `tensorflow`, `pytorch`, `onnx`, `huggingface`,
    `mlflow` …; by it KServe finds a server. Without one `image` serves the model, which lies in /mnt/models."""
    version: Annotated[str, Field(max_length=40)] | None = None
    """Version of the format, where servers differ by it."""
    runtime: Name | None = None
    """One of KServe's servers by name, such as `kserve-tritonserver`; by default the first that takes the format."""
    own_runtime: Name | None = None
    """A ServingRuntime or ClusterServingRuntime that the stack brings in a folder of your own."""
    protocol: Literal["v1", "v2", "grpc-v1", "grpc-v2"] | None = None
    """What is spoken; by default the server's first."""
    mode: Mode | None = None
    """How it runs: `standard`, as a Deployment, or `knative`, which scales to zero; by default as the stack's do."""
    scaling: ServeScaling | None = None
    """Scale it by its load."""
    concurrency: Annotated[int, Field(ge=1, le=100_000)] | None = None
    """Requests that a pod serves at once; with Knative more wait."""
    timeout_seconds: Annotated[int, Field(ge=1, le=3600)] | None = None
    """Longest time of a request; by default KServe's."""
    canary: ModelCanary | None = None
    """Another model that gets a share of the requests."""

    @property
    def most(self) -> int:
        """Most replicas that it ever has, with its canary's."""
        own = self.scaling.max if self.scaling else self.replicas
        return own + (self.canary.replicas if self.canary else 0)

    def share(self, platform: Platform) -> Share:
        """Processors and memory of a pod by default."""
        return super().share(platform) if self.gpus else _SMALL

    def mode_on(self, platform: Platform) -> Mode:
        """How it runs in this stack."""
        given = platform.maybe(ModelServing)
        return self.mode or (given.value.mode if given else "standard")

    def taking(self, platform: Platform) -> list[str]:
        """KServe's servers, as far as they are known, that may serve it."""
        given = platform.maybe(ModelServing)
        servers = given.value.servers if given else {}
        return [name for name, formats in servers.items() if self.format in formats and self.runtime in (None, name)]

    def spoken(self, platform: Platform) -> str | None:
        """The protocol that must be said: KServe finds servers of v1 alone where nothing is."""
        given = platform.maybe(ModelServing)
        spoken = [found for name in self.taking(platform) if given and (found := given.value.protocols.get(name))]
        return spoken[0][0] if spoken and not any("v1" in each for each in spoken) else None

    def derived(self, platform: Platform) -> Mapping[str, tuple[object, str]]:
        """What the stack decides: processors, memory, the mode."""
        return {**super().derived(platform), "mode": (self.mode_on(platform), "as the stack's models run")}

    def problems(self, platform: Platform) -> Iterator[JobProblem]:
        """What KServe, or the way it runs models in this stack, cannot do."""
        yield from super().problems(platform)
        yield from self._server_problems(platform)
        if self.mode == "knative" and platform.maybe(Serverless) is None:
            yield JobProblem("mode", "the stack has no Knative", "add `knative-serving: {}` under components")
        elif self.mode_on(platform) == "knative":
            yield from self._knative_problems()
        else:
            yield from self._standard_problems(platform)
        yield from image_problems("model", self.model, self, platform)
        yield from root_problems(self, platform, self.taking(platform))
        if self.canary:
            yield from address_problems("canary", self.canary.model, platform, self.team)
            yield from image_problems("canary", self.canary.model, self, platform)

    def _server_problems(self, platform: Platform) -> Iterator[JobProblem]:
        """A server or a format that KServe does not have here."""
        given = platform.maybe(ModelServing)
        servers = given.value.servers if given else {}
        if self.runtime and self.own_runtime:
            yield JobProblem("ownRuntime", "`runtime` and `ownRuntime` both name a server", "leave one of the two out")
        if not self.format:
            if not self.image or self.runtime or self.own_runtime:
                yield JobProblem(
                    "format", "`format` is missing, by which KServe finds a server", "write `format: sklearn`"
                )
            return
        if self.runtime and servers and self.runtime not in servers:
            hint = f"{nearest(self.runtime, servers)}; one of your own is `ownRuntime: {self.runtime}`"
            yield JobProblem("runtime", f"KServe has no server '{self.runtime}' in this stack", hint)
            return
        known = {each for name, formats in servers.items() for each in formats if self.runtime in (None, name)}
        if known and self.format not in known and not self.own_runtime:
            whose = f"the server {self.runtime}" if self.runtime else "no server of KServe"
            text = f"{whose} takes no models of format '{self.format}'" if self.runtime else f"{whose} takes models of"
            text += "" if self.runtime else f" format '{self.format}'"
            yield JobProblem("format", text, nearest(self.format, sorted(known)))

    def _knative_problems(self) -> Iterator[JobProblem]:
        if self.callers is not None:
            text = "Knative's local gateway calls the pods for everyone, so callers cannot be told apart there"
            yield JobProblem("callers", text, "write `mode: standard`, or leave `callers` out")
        if self.sidecars:
            yield JobProblem("sidecars", "Knative refuses sidecars beside a model", "write `mode: standard`")

    def _standard_problems(self, platform: Platform) -> Iterator[JobProblem]:
        scaling = self.scaling
        if self.canary and self.canary.percent and not (self.public and gateway_of_routes(platform)):
            text = "requests are shared with a canary by a HTTPRoute at the model's host, and it has none"
            hint = "let `gateway-api` open the stack's models and this one be public, or write `percent: 0`"
            yield JobProblem("canary", text, hint)
        if scaling and scaling.min == 0:
            hint = "write 1, or add `knative-serving: {}` under components"
            yield JobProblem("scaling", "only Knative scales a model to zero", hint)
        if scaling and scaling.metric in ("concurrency", "rps"):
            text = f"only Knative counts requests, so `metric: {scaling.metric}` has no effect"
            yield JobProblem("scaling", text, "write `metric: cpu` or `metric: memory`")
        least = scaling.min if scaling else self.replicas
        if self.canary and self.canary.replicas > max(least, 1):
            text = f"the canary has {self.canary.replicas} pods, and the model may have as few as {least}"
            yield JobProblem("canary", text, "KServe refuses a canary with more pods than the model")


class Serve(ServedModel[ServeConfig]):
    """An InferenceService, with the claims, the account and the policy that it needs."""

    def build(self) -> None:
        """Everything that the service needs, and the service."""
        from platform_def.apis.kserve.v1beta1 import INFERENCE_SERVICE  # large

        make_claims(self)
        make_account(self)
        make_policy(self, {PODS: self.config.name})
        shared = self._shared
        labels = {} if self.config.public and not shared else {VISIBILITY[self.mode]: "cluster-local"}
        spec: Any = self.spec()
        notes = {MODE: "Standard" if self.mode == "standard" else "Knative"}
        Resource(self, INFERENCE_SERVICE, self.unique_name, spec=spec, labels=labels, annotations=notes)
        if shared:
            share_requests(self, shared.percent, timeout_seconds=self.config.timeout_seconds)

    @property
    def _shared(self) -> ModelCanary | None:
        """The canary that requests are shared with by a route of this template."""
        routed = self.mode == "standard" and self.config.public and gateway_of_routes(self.platform)
        return self.config.canary if routed else None

    @property
    def mode(self) -> Mode:
        """How it runs."""
        return self.config.mode_on(self.platform)

    def labels_of(self, kind: str) -> dict[str, str]:
        """An InferenceService hands its labels on to its Deployment, whose kind is the one that may wait."""
        return super().labels_of("Deployment.apps" if kind == "InferenceService.serving.kserve.io" else kind)

    def spec(self) -> dict[str, Any]:
        """The specification of the InferenceService."""
        config, canary = self.config, self.config.canary
        predictor = {**self._predictor(config.model, config.image, config.version), **self._scaling()}
        if canary is None:
            return {"predictor": predictor}
        version = canary.version or config.version
        other = self._predictor(canary.model, canary.image or config.image, version)
        if self.mode == "knative":
            # The revision before, which served the model itself, keeps the rest of the requests.
            return {"predictor": {**other, **self._scaling(), "canaryTrafficPercent": canary.percent}}
        other |= {"name": CANARY, "minReplicas": canary.replicas}
        if config.format:
            other["model"] = {"name": CONTAINER, **other["model"]}  # here the definition asks for one
        return {"predictor": predictor, "canary": [{"trafficPercent": canary.percent, "predictor": other}]}

    def _scaling(self) -> dict[str, Any]:
        config, scaling = self.config, self.config.scaling
        made: dict[str, Any] = {"minReplicas": config.replicas, "maxReplicas": config.replicas}
        if scaling:
            made = {"minReplicas": scaling.min, "maxReplicas": scaling.max}
            if scaling.metric:
                made["scaleMetric"] = scaling.metric
            if scaling.target:
                made["scaleTarget"] = scaling.target
        return made

    def _predictor(self, address: str, image: str | None, version: str | None) -> dict[str, Any]:
        """A variant: its pod, whose container is KServe's with this service's own fields."""
        config = self.config
        uri = full(address, self.platform)
        own = {"STORAGE_URI": uri} if not config.format else {}
        server = ServingContainer(name=CONTAINER, env=own, account=account_of(self, address))
        pod: PodSpec = pod_of(self, server)
        (container,) = pod["containers"]
        # KServe's servers, and its defaults, limit a container to one processor.
        container["resources"]["limits"]["cpu"] = container["resources"]["requests"]["cpu"]
        if self.mode == "knative":
            del pod["terminationGracePeriodSeconds"]  # Knative has its own, and refuses it
        else:
            leave_late(self, container)
        made: dict[str, Any] = {key: value for key, value in pod.items() if key != "containers"}
        if image:
            container["image"] = self.image(image)
        if config.format:
            own_fields = {key: value for key, value in container.items() if key != "name"}  # its webhook refuses a name
            made["model"] = {**own_fields, **self._model(uri, version)}
        else:
            made["containers"] = [container]
        if config.concurrency:
            made["containerConcurrency"] = config.concurrency
        if config.timeout_seconds:
            made["timeout"] = config.timeout_seconds
        if notes := annotations_of(self):
            made["annotations"] = notes
        if labels := queue_of(self).labels:
            made["labels"] = dict(labels)
        return made

    def _model(self, uri: str, version: str | None) -> dict[str, Any]:
        config = self.config
        made: dict[str, Any] = {"storageUri": uri, "modelFormat": {"name": config.format}}
        if version:
            made["modelFormat"]["version"] = version
        if runtime := config.runtime or config.own_runtime:
            made["runtime"] = runtime
        if protocol := config.protocol or config.spoken(self.platform):
            made["protocolVersion"] = protocol
        return made
