"""Claims and their parameters, shares of cards, whole devices everywhere, and what a ClusterPolicy chooses."""

from __future__ import annotations

import pytest

from platform_def.checks.rules.operators.choice_exists import CHOICE_EXISTS
from platform_def.checks.rules.operators.value_refused import VALUE_REFUSED
from platform_def.checks.rules.platform.device_request import DEVICE_REQUEST
from tests.unit.checks.operators.judged import findings, told

_TEMPLATE = """---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {{name: card, namespace: a}}
spec:
  spec:
    devices:
      requests: [{{name: gpu, exactly: {{deviceClassName: gpu.nvidia.com}}}}]
      config: [{{opaque: {{driver: gpu.nvidia.com, parameters: {parameters}}}}}]
"""
_GPU = "apiVersion: resource.nvidia.com/v1beta1, kind: GpuConfig"
_WHERE = "spec.spec.devices.config[0].opaque.parameters"
_DRIVER = """---
apiVersion: apps/v1
kind: DaemonSet
metadata: {{name: nvidia-dra-driver-gpu-kubelet-plugin, namespace: dra}}
spec: {{template: {{spec: {{containers: [{{name: gpus, image: "a:1", env: [{{name: FEATURE_GATES, value: "{gates}"}}]}}]}}}}}}
"""
_NEVER = "the driver refuses it, and the pod never starts"


def _template(parameters: str) -> str:
    return _TEMPLATE.format(parameters=f"{{{parameters}}}")


@pytest.mark.parametrize(
    ("parameters", "place", "text"),
    [
        (f"{_GPU}, shared: true", "shared", "unknown field"),
        (f"{_GPU}, sharing: {{timeSlicing: {{}}, strategy: MPS}}", "sharing.timeSlicing", "unknown field"),
        (f"{_GPU}, sharing: {{strategy: mps}}", "sharing.strategy", "'mps' is not one of 'TimeSlicing', 'MPS'"),
        (
            f"{_GPU}, sharing: {{strategy: MPS, timeSlicingConfig: {{interval: Long}}}}",
            "sharing.timeSlicingConfig",
            "cannot be combined with strategy MPS",
        ),
        (
            f"{_GPU}, sharing: {{strategy: MPS, mpsConfig: {{defaultActiveThreadPercentage: 101}}}}",
            "sharing.mpsConfig.defaultActiveThreadPercentage",
            "101 is not at most 100",
        ),
        (
            "apiVersion: gpu.nvidia.com/v1alpha1, kind: GpuConfig",
            "apiVersion",
            "'gpu.nvidia.com/v1alpha1' is not resource.nvidia.com/v1beta1",
        ),
        ("apiVersion: resource.nvidia.com/v1beta1, kind: GPUConfig", "kind", "the driver knows no kind 'GPUConfig'"),
    ],
)
def test_parameters_that_the_driver_refuses(parameters: str, place: str, text: str) -> None:
    gates = _DRIVER.format(gates="MPSSupport=true,TimeSlicingSettings=true")

    assert told(VALUE_REFUSED, _template(parameters) + gates) == [("error", f"{_WHERE}.{place}", f"{text}: {_NEVER}")]


def test_sharing_needs_its_gate() -> None:
    shared = _template(f"{_GPU}, sharing: {{strategy: TimeSlicing, timeSlicingConfig: {{interval: Long}}}}")
    off = "TimeSlicing needs the driver's feature gate TimeSlicingSettings, which is off"

    assert told(VALUE_REFUSED, shared) == [("warning", f"{_WHERE}.sharing.strategy", f"{off} by default: {_NEVER}")]
    assert told(VALUE_REFUSED, shared + _DRIVER.format(gates="MPSSupport=true")) == [
        ("error", f"{_WHERE}.sharing.strategy", f"{off}: {_NEVER}")
    ]
    assert told(VALUE_REFUSED, shared + _DRIVER.format(gates="A=false,TimeSlicingSettings=true")) == []
    assert told(VALUE_REFUSED, shared.replace("driver: gpu.nvidia.com", "driver: gpu.example.com")) == []


_POD = """apiVersion: {api}
kind: {kind}
metadata: {{name: train, namespace: a}}
spec:
  template:
    spec:
      resourceClaims: [{{name: card, resourceClaimTemplateName: card}}]
      containers: [{{name: main, image: "a:1", resources: {{claims: [{claim}]}}}}]
"""


def _pod(claim: str, api: str = "trainer.kubeflow.org/v1alpha1", kind: str = "TrainJob") -> str:
    return _POD.format(claim=claim, api=api, kind=kind)


def test_a_request_that_the_template_does_not_have() -> None:
    (finding,) = findings(CHOICE_EXISTS, _pod("{name: card, request: gpus}") + _template(_GPU))

    assert finding.path == "spec.template.spec.containers[0].resources.claims[0].request"
    assert finding.text == "ResourceClaimTemplate a/card has no request 'gpus': the container gets no device of it"
    assert finding.hint == "did you mean 'gpu'?"
    assert told(CHOICE_EXISTS, _pod("{name: card, request: gpu}") + _template(_GPU)) == []
    assert told(CHOICE_EXISTS, _pod("{name: card, request: gpus}")) == []


def test_a_claim_that_the_pod_does_not_have() -> None:
    (finding,) = findings(CHOICE_EXISTS, _pod("{name: cards}"))

    assert finding.path == "spec.template.spec.containers[0].resources.claims[0].name"
    assert finding.text == "the pod has no resourceClaims entry 'cards': the API server refuses the pod"
    assert told(CHOICE_EXISTS, _pod("{name: cards}", "apps/v1", "Deployment")) == []  # `schema` says it


_MAP = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, namespace: {namespace}}}\ndata: {data}\n"
_POLICY = """apiVersion: nvidia.com/v1
kind: ClusterPolicy
metadata: {name: cluster-policy}
spec: {devicePlugin: {config: {name: plugin, default: shared}}, migManager: {config: {name: mig}}}
"""
_OPERATOR = """---
apiVersion: apps/v1
kind: Deployment
metadata: {name: gpu-operator, namespace: gpu-operator}
spec: {}
"""


def test_a_policy_chooses_what_its_config_maps_hold() -> None:
    plugin = _MAP.format(name="plugin", namespace="gpu-operator", data='{shares: ""}')
    mig = _MAP.format(name="mig", namespace="gpu-operator", data='{mig.yaml: ""}')
    sound = plugin.replace("shares", "shared") + mig.replace("mig.yaml", "config.yaml")

    assert told(CHOICE_EXISTS, _POLICY + plugin + mig) == [
        (
            "error",
            "spec.devicePlugin.config.default",
            "ConfigMap gpu-operator/plugin has no key 'shared': the device plugin finds no configuration",
        ),
        (
            "error",
            "spec.migManager.config.name",
            "ConfigMap gpu-operator/mig has no key config.yaml, which the MIG manager reads",
        ),
    ]
    assert told(CHOICE_EXISTS, _POLICY + _OPERATOR + sound) == []
    assert told(CHOICE_EXISTS, _POLICY) == []


@pytest.mark.parametrize(
    "operator",
    [
        _OPERATOR,
        (
            "---\napiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: gpus, namespace: gpu-operator}\n"
            "spec: {chart: {spec: {chart: gpu-operator}}}\n"
        ),
    ],
)
def test_the_operator_reads_config_maps_of_its_own_namespace(operator: str) -> None:
    plugin = _MAP.format(name="plugin", namespace="default", data='{shared: ""}')
    (finding,) = findings(CHOICE_EXISTS, _POLICY + operator + plugin)

    assert finding.path == "spec.devicePlugin.config.name"
    assert finding.text == (
        "ConfigMap plugin is in namespace default, and the operator runs in gpu-operator: "
        "it reads ConfigMaps of its own alone"
    )


_SHARE = """apiVersion: v1
kind: Pod
metadata: {{name: train, namespace: a, annotations: {annotations}}}
spec:
  schedulerName: {scheduler}
  containers: [{{name: main, image: "a:1", resources: {{limits: {limits}}}}}]
"""


def _share(annotations: str, limits: str = "{cpu: 1}", scheduler: str = "kai-scheduler") -> str:
    return _SHARE.format(annotations=annotations, limits=limits, scheduler=scheduler)


@pytest.mark.parametrize(
    ("annotations", "limits", "text"),
    [
        ('{gpu-fraction: "1.5"}', "{cpu: 1}", "'1.5' is not a share between 0 and 1"),
        ('{gpu-fraction: "1"}', "{cpu: 1}", "'1' is not a share between 0 and 1"),
        ("{gpu-fraction: half}", "{cpu: 1}", "'half' is not a share between 0 and 1"),
        ('{gpu-memory: "4Gi"}', "{cpu: 1}", "'4Gi' is not a number of MiB"),
        ('{gpu-fraction: "0.5", gpu-memory: "4096"}', "{cpu: 1}", "cannot be combined with gpu-fraction"),
        (
            '{gpu-fraction: "0.5"}',
            "{nvidia.com/gpu: 1}",
            "cannot be combined with a whole card, and a container asks for nvidia.com/gpu",
        ),
        ('{gpu-fraction-num-devices: "2"}', "{cpu: 1}", "needs gpu-fraction"),
    ],
)
def test_a_share_that_kai_refuses(annotations: str, limits: str, text: str) -> None:
    written = _share(annotations, limits)

    assert [each for _, _, each in told(VALUE_REFUSED, written)] == [f"{text}: KAI's webhook refuses the pod"]
    assert told(VALUE_REFUSED, written.replace("kai-scheduler", "default-scheduler")) == []


def test_a_share_that_kai_takes() -> None:
    assert told(VALUE_REFUSED, _share('{gpu-fraction: "0.5", gpu-fraction-num-devices: "2"}')) == []
    assert told(VALUE_REFUSED, _share('{gpu-memory: "4096"}')) == []


_MODEL = """apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {{name: model, namespace: a}}
spec: {{predictor: {{minReplicas: {least}, maxReplicas: {most}, model: {{modelFormat: {{name: onnx}}, resources: {resources}}}}}}}
"""


def test_a_model_has_no_more_replicas_at_least_than_at_most() -> None:
    wrong, right, unbounded = (
        _MODEL.format(least=3, most=most, resources="{limits: {nvidia.com/gpu: 1}}") for most in (2, 3, 0)
    )

    assert told(VALUE_REFUSED, wrong) == [
        ("error", "spec.predictor.minReplicas", "3 is more than maxReplicas, 2: KServe's webhook refuses it")
    ]
    assert told(VALUE_REFUSED, right) == []
    assert told(VALUE_REFUSED, unbounded) == []


_SCALED = "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {{name: web, namespace: a}}\nspec: {spec}\n"


@pytest.mark.parametrize(
    ("spec", "path", "text"),
    [
        (
            "{minReplicaCount: 1, idleReplicaCount: 1}",
            "spec.idleReplicaCount",
            "1 is not less than minReplicaCount, 1: KEDA's webhook refuses it",
        ),
        (
            "{idleReplicaCount: 0}",
            "spec.idleReplicaCount",
            "0 is not less than minReplicaCount, 0: KEDA's webhook refuses it",
        ),
    ],
)
def test_bounds_that_keda_refuses(spec: str, path: str, text: str) -> None:
    assert told(VALUE_REFUSED, _SCALED.format(spec=spec)) == [("error", path, text)]
    assert (
        told(VALUE_REFUSED, _SCALED.format(spec="{minReplicaCount: 0, maxReplicaCount: 1, idleReplicaCount: 0}")) == []
    )


@pytest.mark.parametrize(
    ("resources", "path", "text"),
    [
        (
            '{limits: {nvidia.com/gpu: "0.5"}}',
            'limits["nvidia.com/gpu"]',
            "0.5 is no whole number: the API server refuses the pod",
        ),
        (
            "{limits: {nvidia.com/gpu: 0.5}}",
            'limits["nvidia.com/gpu"]',
            "0.5 is no whole number: the API server refuses the pod",
        ),
        (
            "{requests: {nvidia.com/gpu: 1}}",
            'requests["nvidia.com/gpu"]',
            "a device has a limit: the API server refuses the pod",
        ),
        ("{requests: {mem: 1Gi}}", "requests.mem", "there is no resource 'mem': the API server refuses the pod"),
        ("{requests: {CPU: 1}}", "requests.CPU", "there is no resource 'CPU': the API server refuses the pod"),
    ],
)
def test_devices_are_whole_and_limited_wherever_a_kind_requests_them(resources: str, path: str, text: str) -> None:
    model = _MODEL.format(least=1, most=2, resources=resources)
    job = (
        "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: train, namespace: a}\n"
        f"spec: {{trainer: {{resourcesPerNode: {resources}}}}}\n"
    )

    assert told(DEVICE_REQUEST, model) == [("error", f"spec.predictor.model.resources.{path}", text)]
    assert told(DEVICE_REQUEST, job) == [("error", f"spec.trainer.resourcesPerNode.{path}", text)]


def test_a_container_requests_what_kubernetes_has() -> None:
    job = (
        "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: ray, namespace: a}\n"
        "spec: {headGroupSpec: {template: {spec: {containers: [{name: ray, image: 'ray:2', resources: {limits: %s}}]}}}}\n"
    )
    (finding,) = findings(DEVICE_REQUEST, job % "{gpu: 1}")
    model = _MODEL.format(least=1, most=2, resources="{limits: {gpu: 1}}")

    assert finding.text == "there is no resource 'gpu': the API server refuses the pod"
    assert finding.hint == "write cpu, memory, ephemeral-storage, or a name with its domain"
    assert findings(DEVICE_REQUEST, job % "{cpus: 1}")[0].hint == "did you mean 'cpu'?"
    assert told(DEVICE_REQUEST, job % "{hugepages-2Mi: 1Gi, ephemeral-storage: 1Gi}") == []
    assert told(DEVICE_REQUEST, model) == []  # a kind may count cards so


def test_patterns_of_policies_are_no_requests() -> None:
    policy = (
        "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: a}\n"
        "spec: {rules: [{validate: {pattern: {spec: {containers: [{resources: {limits: {nvidia.com/gpu: '?*'}}}]}}}}]}\n"
    )

    assert told(DEVICE_REQUEST, policy) == []


def test_values_of_charts_and_other_resources_are_let_be() -> None:
    release = (
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: a, namespace: a}\n"
        "spec: {values: {resources: {requests: {nvidia.com/gpu: 1, mem: 1}}}}\n"
    )
    model = _MODEL.format(least=1, most=2, resources="{limits: {cpu: 1, memory: 1Gi, nvidia.com/gpu: 1}, requests: {}}")

    assert told(DEVICE_REQUEST, release) == []
    assert told(DEVICE_REQUEST, model) == []
