"""The controller: experiments, suggestions and trials, and the webhook that puts collectors into trials' pods."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from platform_def.apis.core.core_v1 import Container, PodSpec
from platform_def.components.tuning.katib import configuration, rules, templates, trials
from platform_def.components.tuning.katib.releases import TrialKind
from platform_def.constructs import (
    AdmissionServer,
    Hook,
    ImageFacts,
    LeaderElection,
    MetricsEndpoint,
    Operator,
    PodSettings,
    config_map,
    env,
    from_field,
    http_probe,
    port,
    restart_on_change,
    rule,
    scale,
    yaml_file,
)

if TYPE_CHECKING:
    from platform_def.components.tuning.katib.config import AnyKatib

NAME = "katib-controller"
CONFIGURATION, CERTIFICATE, FOLDER = "katib.kubeflow.org", "katib-webhook-cert", "/tmp/cert"  # noqa: S108 - in the pod
"""Webhook configurations, the Secret with the certificate and where it is read: names compiled into the controller."""
INJECTION = "katib.kubeflow.org/metrics-collector-injection"
"""Label of namespaces whose trials get collectors; experiments are refused in all others."""

FACTS = ImageFacts(
    source="cmd/*/v1beta1/Dockerfile: Alpine with one static binary and no USER; upstream runs all three as 1000. None "
    "of them writes a file, by their code.",
    runs_as=1000,
    read_only=True,
)


def controller(component: AnyKatib, kinds: tuple[TrialKind, ...]) -> None:
    """The controller with its rights, configuration, webhook and metrics."""
    config, own = component.config, component.config.certificates == "katib"
    started = configuration.init(component, kinds, several=scale(component, NAME, ha_replicas=2).several)
    config_map(component, configuration.NAME, {configuration.KEY: configuration.text(component, started)})
    if config.trial_templates:
        config_map(component, templates.NAME, templates.samples(component, kinds), labels=templates.LABELS)
    Operator(
        component,
        NAME,
        container=container(component),
        rules=[
            *rules.CONTROLLER,
            *rules.trial_rules(kinds),
            *(rules.LOOK_UP_COMMANDS if config.look_up_commands else ()),
            *(rules.own_authority(CONFIGURATION) if own else ()),
        ],
        own_rules=rules.OWN_CERTIFICATE if own else (),
        leader_election=LeaderElection(flag="", lease="3fbc96e9.katib.kubeflow.org"),
        metrics=MetricsEndpoint(port=port("metrics", configuration.METRICS_PORT), protected=False, honor_labels=True),
        ports=[port("healthz", configuration.HEALTH_PORT)],
        webhook=webhook(component, kinds),
        facts=FACTS,
        pod=PodSettings(
            cast(
                PodSpec,
                {
                    # A Service called katib-db-manager would write variables that Katib reads.
                    "enableServiceLinks": False,
                    "volumes": [{"name": configuration.NAME, "configMap": {"name": configuration.NAME}}],
                },
            ),
            annotations=restart_on_change(yaml_file(started)),
        ),
    )


def container(component: AnyKatib) -> Container:
    """The program; upstream gives it no resources."""
    file = f"/{configuration.KEY}"
    return {
        "name": NAME,
        "image": component.release.image,
        "command": ["./katib-controller"],
        "args": [f"--katib-config={file}"],
        "env": env({"KATIB_CORE_NAMESPACE": from_field("metadata.namespace")}),
        "livenessProbe": http_probe("/healthz", "healthz"),
        "readinessProbe": http_probe("/readyz", "healthz"),
        # It keeps every ConfigMap, Namespace, Deployment, Service and Job of the cluster in memory.
        "resources": {"requests": {"cpu": "100m", "memory": "256Mi"}, "limits": {"memory": "2Gi"}},
        "volumeMounts": [
            {"name": configuration.NAME, "mountPath": file, "subPath": configuration.KEY, "readOnly": True}
        ],
    }


def webhook(component: AnyKatib, kinds: tuple[TrialKind, ...]) -> AdmissionServer:
    """Experiments are judged and filled in everywhere; pods only where experiments are, and only if they may be trials.

    While the webhook does not answer, no pod that it is asked about is created. So it is not asked about pods of
    Deployments, StatefulSets and DaemonSets, or without an owner: notebooks, models and pipelines start without Katib.
    It would leave them as they are in any case: it looks for a Trial among the owners' owners, and may not read these.
    """
    owners = ", ".join(f"'{kind}'" for kind in trials.excluded_owners(kinds))
    experiments = rule("kubeflow.org", "v1beta1", "experiments", "CREATE UPDATE")
    validator = Hook(name="validator.experiment.katib.kubeflow.org", path="/validate-experiment", rules=[experiments])
    defaulter = Hook(name="defaulter.experiment.katib.kubeflow.org", path="/mutate-experiment", rules=[experiments])
    collector = Hook(
        name="mutator.pod.katib.kubeflow.org",
        path="/mutate-pod",
        rules=[rule("", "v1", "pods", "CREATE")],
        failure_policy=component.config.injection_failure,
        namespace_selector={"matchLabels": {INJECTION: "enabled"}},
        match_conditions={
            "exclude-katib-controller": "request.userInfo.username != "
            f"'system:serviceaccount:{component.namespace}:{NAME}'",
            "may-be-a-trial": "has(object.metadata.ownerReferences) && "
            f"object.metadata.ownerReferences.exists(owner, !(owner.kind in [{owners}]))",
        },
    )
    return AdmissionServer(
        validating=[validator],
        mutating=[defaulter, collector],
        secret=CERTIFICATE,
        trust="own" if component.config.certificates == "katib" else "cert-manager",
        configuration=CONFIGURATION,
        folder=FOLDER,
        port=port("webhook", 443, configuration.WEBHOOK_PORT),
    )
