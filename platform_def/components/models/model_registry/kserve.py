"""What ties registries to KServe: a controller that writes down who serves a model, and addresses of models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from platform_def.apis.core.core_v1 import Container
from platform_def.components.models.model_registry.config import CONTROLLER
from platform_def.components.models.model_registry.server import PORT, stem_of
from platform_def.constructs import (
    READ,
    AccountNames,
    Health,
    LeaderElection,
    MetricsEndpoint,
    Operator,
    Resource,
    allow,
    controller_alerts,
    env,
    port,
)

if TYPE_CHECKING:
    from platform_def.components.models.model_registry.config import AnyModelRegistry

KIND, STORAGE = "InferenceService.serving.kserve.io", "ClusterStorageContainer.serving.kserve.io"
NAME, SERVICE = "controller-controller-manager", "controller-controller-manager-metrics-service"
LEASE = "a7d60e25.kubeflow.org"
VARIABLES = {
    "NAMESPACE_LABEL": "modelregistry.kubeflow.org/namespace",
    "NAME_LABEL": "modelregistry.kubeflow.org/name",
    "URL_ANNOTATION": "modelregistry.kubeflow.org/url",
    "INFERENCE_SERVICE_ID_LABEL": "modelregistry.kubeflow.org/inference-service-id",
    "MODEL_VERSION_ID_LABEL": "modelregistry.kubeflow.org/model-version-id",
    "REGISTERED_MODEL_ID_LABEL": "modelregistry.kubeflow.org/registered-model-id",
    "FINALIZER": "modelregistry.kubeflow.org/finalizer",
    "SERVICE_ANNOTATION": "routing.kubeflow.org/external-address-rest",
    "SKIP_TLS_VERIFY": "false",
    "INFERENCE_SERVICE_CONTROLLER": "managed",
}
"""Names of labels by which an InferenceService says which model it serves; without one of them it does not start."""
RULES = controller_alerts(SERVICE, name="ModelRegistryController")


def controller(component: AnyModelRegistry, registry: str) -> None:
    """The controller with its rights, and the kind of address that its init container knows."""
    component.awaits(KIND)
    container: Container = {
        "name": "manager",
        "image": component.release.images["controller"],
        "command": ["/manager"],
        "args": ["--metrics-bind-address=:8443", "--health-probe-bind-address=:8081"],
        "env": env({**VARIABLES, "REGISTRIES_NAMESPACE": component.namespace}),
        "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
    }
    Operator(
        component,
        NAME,
        container=container,
        rules=(
            allow("", "services", verbs=READ),
            allow("serving.kserve.io", "inferenceservices", verbs="get list patch update watch"),
            allow("serving.kserve.io", "inferenceservices/finalizers", verbs="update"),
        ),
        names=AccountNames(role="controller-model-registry-manager-role"),
        leader_election=LeaderElection(lease=LEASE, role="controller-leader-election-role"),
        health=Health(8081),
        metrics=MetricsEndpoint(
            port=port("https", 8443),
            service=SERVICE,
            role="controller-metrics-auth-role",
            reader="controller-metrics-reader",
        ),
        facts=CONTROLLER,
    )
    if component.platform.serves(STORAGE):
        addresses(component, registry)


def addresses(component: AnyModelRegistry, registry: str) -> None:
    """`model-registry://<model>/<version>` in an InferenceService; the registry of the address, or this one."""
    from platform_def.apis.kserve.v1beta1 import CLUSTER_STORAGE_CONTAINER  # large, and rarely needed

    host = component.service_host(f"{stem_of(registry)}-service")
    Resource(
        component,
        CLUSTER_STORAGE_CONTAINER,
        "model-registry-storage-initializer",
        spec={
            "container": {
                "name": "storage-initializer",
                "image": component.image(component.release.images["storage"]),
                "env": env({"MODEL_REGISTRY_BASE_URL": f"{host}:{PORT}"}),
                "resources": {"requests": {"cpu": "100m", "memory": "100Mi"}, "limits": {"memory": "1Gi"}},
            },
            "supportedUriFormats": [{"prefix": "model-registry://"}],
        },
        part="after",
    )
