"""The interface: experiments, their trials and logs, for people who are known by the gateway."""

from __future__ import annotations

from typing import TYPE_CHECKING

from platform_def.apis.core.core_v1 import Container
from platform_def.capabilities import WebLink
from platform_def.components.tuning.katib import rules
from platform_def.components.tuning.katib.controller import FACTS
from platform_def.constructs import WebApp, env, from_field, http_probe, user_env

if TYPE_CHECKING:
    from platform_def.components.tuning.katib.config import AnyKatib

NAME = "katib-ui"
PORT = 8080
PATH = "/katib/"
LINK = WebLink(text="Katib Experiments", path=PATH, icon="kubeflow:katib")


def ui(component: AnyKatib) -> None:
    """The interface behind the gateway; it answers only below its path, and that path asks for no login."""
    access = component.config.ui.access
    container: Container = {
        "name": NAME,
        "image": component.release.ui,
        "command": ["./katib-ui"],
        "args": [f"--port={PORT}"],
        "env": env({"KATIB_CORE_NAMESPACE": from_field("metadata.namespace"), **user_env(component, access)}),
        "ports": [{"name": "ui", "containerPort": PORT, "protocol": "TCP"}],
        "readinessProbe": http_probe(PATH, "ui"),
        "livenessProbe": http_probe(PATH, "ui", delay=10, period=30),
        "resources": {"requests": {"cpu": "20m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
    }
    WebApp(
        component,
        NAME,
        container=container,
        access=access,
        path=PATH,
        target=PORT,
        rules=rules.UI,
        facts=FACTS,
        pod_labels={"katib.kubeflow.org/component": "ui"},
    )
