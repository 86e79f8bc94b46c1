"""Knative's programs: Deployments with what they have in common, and their Services."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from platform_def.apis.core.core_v1 import Container, PodSpec, Probe, ServicePort
from platform_def.constructs import (
    Deployment,
    ImageFacts,
    NetworkPolicy,
    Service,
    env,
    from_cluster,
    from_everywhere,
    from_field,
    http_probe,
    port,
    restart_on_change,
    secured,
)
from platform_def.constructs.workloads.jobs import OUT_OF_MESH

if TYPE_CHECKING:
    from platform_def.components.serving.knative_serving.config import AnyKnativeServing

METRICS, PROBES, HOOK = 9090, 8080, 8443
FACTS = ImageFacts(
    user=65532, read_only=True, source="config/core/deployments at v1.23.0; the base images of ko run as 65532"
)


@dataclass(frozen=True, kw_only=True)
class KnativeProgram:
    """One program of Knative's."""

    name: str
    image: str
    cpu: str
    memory: str
    memory_limit: str
    container: str = ""
    account: str = "controller"
    service: str = ""
    """Name of its Service; by default its own, and `-` for none."""
    ports: tuple[ServicePort, ...] = ()
    """Ports of the Service beside the metrics."""
    probe: Mapping[str, Any] | None = None
    """Its health by HTTP; None: at the port for probes."""
    settings: Mapping[str, str] | None = None
    grace_seconds: int = 0
    webhook: bool = False


ACTIVATOR_PORTS = (port("http", 80, 8012), port("http2", 81, 8013), port("https", 443, 8112))


def programs(component: AnyKnativeServing) -> list[KnativeProgram]:
    """All of them; the last two are net-istio's."""
    release = component.release
    hook = {"WEBHOOK_PORT": str(HOOK)}
    secure = {"httpGet": {"scheme": "HTTPS", "port": HOOK}}
    return [
        KnativeProgram(
            name="activator",
            image=release.activator,
            cpu="300m",
            memory="60Mi",
            memory_limit="600Mi",
            account="activator",
            service="activator-service",
            ports=ACTIVATOR_PORTS,
            probe={"httpGet": {"port": 8012}},
            settings={"GOGC": "500"},
            # Requests of services go through it: it ends no sooner than the longest of them may last.
            grace_seconds=max(component.config.timeout_seconds, component.config.most_timeout_seconds),
        ),
        KnativeProgram(
            name="autoscaler",
            image=release.autoscaler,
            cpu="100m",
            memory="100Mi",
            memory_limit="1000Mi",
            ports=(port("http", 8080),),
            probe={"httpGet": {"port": 8080}},
        ),
        KnativeProgram(name="controller", image=release.image, cpu="100m", memory="100Mi", memory_limit="1000Mi"),
        KnativeProgram(
            name="webhook",
            image=release.webhook,
            cpu="100m",
            memory="100Mi",
            memory_limit="500Mi",
            ports=(port("https-webhook", 443, HOOK),),
            probe=secure,
            settings={"WEBHOOK_NAME": "webhook", **hook},
            grace_seconds=300,
            webhook=True,
        ),
        KnativeProgram(
            name="net-istio-controller",
            container="controller",
            image=release.istio_controller,
            cpu="30m",
            memory="40Mi",
            memory_limit="400Mi",
            settings={"ENABLE_SECRET_INFORMER_FILTERING_BY_CERT_UID": "false"},
        ),
        KnativeProgram(
            name="net-istio-webhook",
            container="webhook",
            image=release.istio_webhook,
            cpu="20m",
            memory="20Mi",
            memory_limit="200Mi",
            ports=(port("https-webhook", 443, HOOK),),
            probe=secure,
            settings={"WEBHOOK_NAME": "net-istio-webhook", **hook},
            webhook=True,
        ),
    ]


def run(component: AnyKnativeServing, program: KnativeProgram, files: Sequence[str]) -> None:
    """The Deployment, its Service, and who may open connections to it. `files` restart it when they change."""
    pod: PodSpec = {"serviceAccountName": program.account, "containers": [_container(program)]}
    if program.grace_seconds:
        pod["terminationGracePeriodSeconds"] = program.grace_seconds
    labels = (
        {"app": program.name, "role": program.name} if program.webhook or program.service else {"app": program.name}
    )
    Deployment(
        component,
        program.name,
        pod=pod,
        ha_replicas=2,
        pod_labels=labels,
        pod_annotations={**OUT_OF_MESH, **restart_on_change(*files)},
    )
    service = Service(
        component,
        program.service or program.name,
        ports=[port("http-metrics", METRICS), *program.ports],
        workload=program.name,
    )
    service.monitor("http-metrics")
    if component.platform.network_policies:
        inside = [each["targetPort"] for each in program.ports if each["targetPort"] != HOOK]
        hook = [from_everywhere(HOOK)] if program.webhook else []
        NetworkPolicy(component, program.name, openings=[from_cluster(METRICS, *inside), *hook])


def _container(program: KnativeProgram) -> Container:
    fields = {
        "POD_NAME": from_field("metadata.name"),
        "POD_IP": from_field("status.podIP"),
        "SYSTEM_NAMESPACE": from_field("metadata.namespace"),
    }
    named = {"CONFIG_LOGGING_NAME": "config-logging", "CONFIG_OBSERVABILITY_NAME": "config-observability"}
    made: Container = {
        "name": program.container or program.name,
        "image": program.image,
        "env": [*env(fields), *env({**named, **(program.settings or {})})],
        "resources": {
            "requests": {"cpu": program.cpu, "memory": program.memory},
            "limits": {"memory": program.memory_limit},
        },
        "securityContext": secured(FACTS),
        "ports": [{"name": name, "containerPort": number, "protocol": "TCP"} for name, number in _listened_at(program)],
    }
    if program.probe is None:
        made["livenessProbe"] = http_probe("/health", "probes", period=5, failures=6)
        made["readinessProbe"] = http_probe("/readiness", "probes", period=5, failures=3)
    else:
        asked = dict(program.probe)
        live = {**asked, "periodSeconds": 10, "failureThreshold": 12, "initialDelaySeconds": 20}
        made["livenessProbe"] = cast(Probe, live)
        made["readinessProbe"] = cast(Probe, {**asked, "periodSeconds": 5, "failureThreshold": 5})
    return made


def _listened_at(program: KnativeProgram) -> list[tuple[str, int]]:
    """Its ports by name: those behind the Service, and that of its probes where it has one for them alone."""
    behind = [(each["name"], int(each["targetPort"])) for each in program.ports]
    return [("metrics", METRICS), *behind, *([] if program.probe else [("probes", PROBES)])]
