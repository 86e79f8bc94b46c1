"""What converts Emissary's custom resources between their versions, where a release has several.

While it is away the API server neither takes nor gives objects that are stored in another version than the one asked
for. It signs its certificate itself, and writes the CA into the CRDs with its label. In release 3.10 it is a program of
the gateway's image, in release 4 an image of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from platform_def.apis.core.core_v1 import Container, PodSpec
from platform_def.constructs import (
    Account,
    AnyComponent,
    Definition,
    Deployment,
    Drift,
    ImageFacts,
    NetworkPolicy,
    Service,
    allow,
    from_everywhere,
    http_probe,
    port,
    secured,
)

NAME = "emissary-apiext"
"""Upstream's name, and that of its Service, which it writes into the CRDs."""
AUTHORITY, LEASE = "emissary-ingress-webhook-ca", "emissary-ca-mgr-leader"
"""Compiled into it."""
HEALTH, WEBHOOK = 8080, 8443
LABEL = ("app.kubernetes.io/part-of", NAME)
"""The label of the CRDs that it looks after."""
FACTS = ImageFacts(
    runs_as=8888, source="upstream's chart at v3.10.0, which runs its image as this user; at v4.1.0 the image says so"
)
# A connection is taken as soon as one of its pods is ready, which is when the CRDs have its authority.
WAIT = """\
import socket, sys, time
while True:
    try:
        socket.create_connection((sys.argv[1], 443), timeout=5).close()
        break
    except OSError as error:
        print("waiting for", sys.argv[1], error, flush=True)
        time.sleep(3)
"""


def converted(definition: Definition, namespace: str) -> Definition:
    """A definition as it stands with the webhook in a namespace."""
    if definition.conversion is None:
        return definition
    labels = {**definition.labels, LABEL[0]: LABEL[1]}
    return replace(definition, conversion=replace(definition.conversion, namespace=namespace), labels=labels)


def converter(component: AnyComponent, served: Sequence[Definition]) -> None:
    """The webhook with its rights. What it writes is not the stack's."""
    names = [each.name for each in served if each.conversion]
    for name in names:
        pointer = ("/spec/conversion/webhook/clientConfig/caBundle",)
        component.mutated(Drift("apiextensions.k8s.io/v1", "CustomResourceDefinition", name, pointer))
    definitions = "customresourcedefinitions"
    account = Account(component, NAME).allow(
        [
            allow("apiextensions.k8s.io", definitions, verbs="list watch"),
            allow("apiextensions.k8s.io", f"{definitions} {definitions}/status", verbs="update", names=" ".join(names)),
        ]
    )
    account.allow_in(
        component.namespace,
        [
            allow("", "secrets", verbs="create list watch"),
            allow("", "secrets", verbs="get update", names=AUTHORITY),
            allow("", "events", verbs="create"),
            allow("coordination.k8s.io", "leases", verbs="create"),
            allow("coordination.k8s.io", "leases", verbs="get update", names=LEASE),
        ],
    )
    Deployment(
        component, NAME, pod=_pod(component.release.images.get("apiext", component.release.image)), ha_replicas=3
    )
    Service(component, NAME, ports=[port("https", 443, "https")])
    component.makes("Secret", AUTHORITY)
    if component.platform.network_policies:
        NetworkPolicy(component, NAME, openings=[from_everywhere(WEBHOOK)])


def _pod(image: str) -> PodSpec:
    """The webhook's pod, with upstream's probes; upstream asks for no resources."""
    container: Container = {
        "name": NAME,
        "image": image,
        "command": ["apiext", NAME],
        "args": ["--crd-label-selector", "=".join(LABEL)],
        "ports": [
            {"name": "http", "containerPort": HEALTH, "protocol": "TCP"},
            {"name": "https", "containerPort": WEBHOOK, "protocol": "TCP"},
        ],
        "startupProbe": http_probe("/probes/live", HEALTH, period=3, failures=10),
        "livenessProbe": http_probe("/probes/live", HEALTH, scheme="HTTP", period=3, failures=3),
        "readinessProbe": http_probe("/probes/ready", HEALTH, scheme="HTTP", period=3, failures=3),
        "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        "securityContext": secured(FACTS),
    }
    return {"serviceAccountName": NAME, "containers": [container]}


def waiting(image: str, namespace: str) -> Container:
    """Holds the gateway of release 3.10 back until its objects can be read; upstream asks with a kubectl of 2020, and
    rights to."""
    return {
        "name": "wait-for-apiext",
        "image": image,
        "command": ["python3", "-c", WAIT, f"{NAME}.{namespace}.svc"],
        "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "64Mi"}},
        "securityContext": secured(FACTS),
    }


def waited(namespace: str) -> dict[str, str]:
    """Variables by which the gateway of release 4 waits until the webhook's Deployment is there."""
    return {
        "AMBASSADOR_APIEXT_WAIT": "true",
        "AMBASSADOR_APIEXT_DEPLOYMENT_NAME": NAME,
        "AMBASSADOR_APIEXT_DEPLOYMENT_NAMESPACE": namespace,
    }


def readable(account: Account, namespace: str, role: str) -> None:
    """The right to look whether it is there."""
    account.allow_in(namespace, [allow("apps", "deployments", verbs="get", names=NAME)], role=role)
