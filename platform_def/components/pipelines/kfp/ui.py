"""The interface: pages, and a server that fetches artifacts and logs for people who may see them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from platform_def.apis.core.core_v1 import Container
from platform_def.capabilities import WebLink
from platform_def.components.pipelines.kfp import rules
from platform_def.components.pipelines.kfp.accounts import bind, grant
from platform_def.components.pipelines.kfp.parts import CONTEXT, ENVOY, ENVOY_PORT, HTTP, SERVER, UI, UI_PORT
from platform_def.components.pipelines.kfp.releases import TENSORBOARD
from platform_def.components.pipelines.kfp.server import user_headers
from platform_def.components.pipelines.kfp.stores import Stores
from platform_def.config.secrets import GENERATED
from platform_def.constructs import Route, WebApp, config_files, config_map, env, http_probe, mounts, secret_of

if TYPE_CHECKING:
    from platform_def.components.pipelines.kfp.config import AnyKfp

PATH, FILES, VIEWER = "/pipeline/", "ml-pipeline-ui-configmap", "kubeflow-pipelines-viewer"
LINK = WebLink(text="Pipelines", path=PATH, icon="kubeflow:pipeline-centered")
HEALTH = "/apis/v1beta1/healthz"


def ui(component: AnyKfp, stores: Stores) -> None:
    """Deployment, Service and routes; with one namespace for all runs its rights end there."""
    many, access = component.config.serves == "teams", component.config.ui.access
    account = component.config.account if many else VIEWER
    config_map(
        component,
        FILES,
        {"viewer-pod-template.json": json.dumps({"spec": {"serviceAccountName": account}}, indent=2) + "\n"},
    )
    if not many:
        grant(component, VIEWER, ())
    signing = secret_of(component, "ml-pipeline-ui-signing", GENERATED, keys=("key",))
    container: Container = {
        "name": UI,
        "image": component.release.of("frontend"),
        "env": [
            *env(_variables(component, stores)),
            *stores.of_ui(),
            signing.env("TENSORBOARD_PROXY_SIGNING_SECRET", "key"),
        ],
        "readinessProbe": http_probe(HEALTH, UI_PORT, delay=3, period=5, timeout=2),
        "livenessProbe": http_probe(HEALTH, UI_PORT, delay=3, period=10, timeout=5),
        "volumeMounts": [*mounts({FILES: "/etc/config"}, read_only=True), *stores.bucket.authority_mounts()],
        "resources": {"requests": {"cpu": "10m", "memory": "70Mi"}, "limits": {"memory": "512Mi"}},
        "securityContext": CONTEXT,
    }
    WebApp(
        component,
        UI,
        container=container,
        access=access,
        path=PATH,
        target=UI_PORT,
        timeout_seconds=300,
        rules=rules.UI if many else (),
        pod={"containers": [], "volumes": [*config_files(FILES), *stores.bucket.authority_volumes()]},
    )
    bind(component, UI, rules.UI_OWN, UI)
    if access != "administrators":
        # Pages ask ML Metadata at the root of the host; the interface's server hands it on.
        path = "/ml_metadata.MetadataStoreService/"
        Route(component, "ml-pipeline-ui-metadata", path=path, service=UI, port=80, timeout_seconds=300)


def _variables(component: AnyKfp, stores: Stores) -> dict[str, str]:
    header, prefix = user_headers(component)
    known = component.config.serves == "teams"
    return {
        "DEPLOYMENT": "KUBEFLOW",
        "ENABLE_AUTHZ": str(known).lower(),
        "KUBEFLOW_USERID_HEADER": header,
        "KUBEFLOW_USERID_PREFIX": prefix,
        "ML_PIPELINE_SERVICE_HOST": component.service_host(SERVER),
        "ML_PIPELINE_SERVICE_PORT": str(HTTP),
        "METADATA_ENVOY_SERVICE_SERVICE_HOST": component.service_host(ENVOY),
        "METADATA_ENVOY_SERVICE_SERVICE_PORT": str(ENVOY_PORT),
        "FRONTEND_SERVER_NAMESPACE": component.namespace,
        "CLUSTER_DOMAIN": f".svc.{component.platform.dns_domain}",
        "ARTIFACTS_SERVICE_PROXY_ENABLED": "false",
        "ARTIFACT_NAMESPACE_OWNERSHIP_MODE": "mlmd-then-prefix",
        "ARTIFACT_NAMESPACE_KEY_PREFIX": stores.prefix,
        "DISABLE_GKE_METADATA": "true",
        # Anyone who may look at a run could else run any Python in the visualization server, beside other people's.
        "ALLOW_CUSTOM_VISUALIZATIONS": "false",
        "VIEWER_TENSORBOARD_POD_TEMPLATE_SPEC_PATH": "/etc/config/viewer-pod-template.json",
        "VIEWER_TENSORBOARD_TF_IMAGE_NAME": component.image(TENSORBOARD).rpartition(":")[0],
    }
