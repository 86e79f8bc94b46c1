"""The server: the interface at the gateway, and the API that `argo` and scripts call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from platform_def.apis.core.core_v1 import Container
from platform_def.capabilities import WebLink
from platform_def.components.pipelines.argo_workflows import rules
from platform_def.components.pipelines.argo_workflows.configuration import PATH
from platform_def.constructs import Access, ImageFacts, Setting, WebApp, http_probe, mounts, scratch

if TYPE_CHECKING:
    from platform_def.components.pipelines.argo_workflows.config import AnyArgoWorkflows, ArgoWorkflowsConfig

NAME, PORT = "argo-server", 2746
LINK = WebLink(text="Workflows", path=PATH, icon="kubeflow:pipeline-centered")
FACTS = ImageFacts(runs_as=8737, read_only=True, source="USER in the Dockerfile at v4.0.5, and its Deployment")


def server(component: AnyArgoWorkflows) -> None:
    """The server. TLS ends at the gateway, so it speaks HTTP; it asks everyone for a token, or to log in."""
    modes = ["--auth-mode=client", *(["--auth-mode=sso"] if component.config.ui.sso else [])]
    container: Container = {
        "name": NAME,
        "image": component.release.server,
        "args": ["server", "--secure=false", f"--base-href={PATH}", *modes],
        "readinessProbe": http_probe("/", PORT, delay=10, period=20),
        "volumeMounts": mounts({"tmp": "/tmp"}),  # noqa: S108 - in the container
        "resources": {"requests": {"cpu": "20m", "memory": "64Mi"}, "limits": {"memory": "512Mi"}},
    }
    WebApp(
        component,
        NAME,
        container=container,
        access=access_of(component.setting),
        path=PATH,
        rewrite="/",
        target=PORT,
        service_port=PORT,
        rules=rules.SERVER,
        facts=FACTS,
        timeout_seconds=0,  # it streams logs and changes
        pod={"containers": [], "volumes": scratch("tmp"), "nodeSelector": {"kubernetes.io/os": "linux"}},
    )


def access_of(at: Setting[ArgoWorkflowsConfig]) -> Access:
    """Who reaches the server: what the stack says, else everyone at its gateway, where it has one."""
    return at.config.ui.access or ("everyone" if at.platform.gateway != "none" else "administrators")
