"""The pod that shows the files of a volume: filebrowser, without a login of its own.

It is reached through the gateway alone, and the mesh lets in the namespace's people. It runs under the account
`default-editor`, which Profiles have.
"""

from __future__ import annotations

from platform_def.constructs import env, from_field

FILE_BROWSER = "docker.io/filebrowser/filebrowser:v2.32.0"
"""What the volumes web app names at v1.11.0; the controller's own default has no version."""
PORT, FOLDER = 8080, "/srv"


def pod(image: str, *, base: str) -> dict[str, object]:
    """The pod, whose volume is called `viewer-volume`; `base` is where the gateway serves it."""
    settings = {
        "FB_ADDRESS": "0.0.0.0",  # noqa: S104 - in a pod
        "FB_PORT": str(PORT),
        "FB_DATABASE": "/tmp/filebrowser.db",  # noqa: S108 - in the container
        "FB_NOAUTH": "true",
        "FB_BASEURL": base,
    }
    container = {
        "name": "main",
        "image": image,
        "env": env(settings),
        "ports": [{"containerPort": PORT, "protocol": "TCP"}],
        "workingDir": FOLDER,
        "volumeMounts": [{"name": "viewer-volume", "mountPath": FOLDER}],
        "readinessProbe": {"tcpSocket": {"port": PORT}, "initialDelaySeconds": 2, "periodSeconds": 10},
        "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "256Mi"}},
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
    }
    return {"serviceAccountName": "default-editor", "containers": [container]}


def default_pod(image: str) -> dict[str, object]:
    """The same for viewers that say nothing of a pod: names come from the pod itself, in this order."""
    made = pod(image, base="/pvcviewers/$(NAMESPACE)/$(NAME)/")
    names = env(
        {
            "NAMESPACE": from_field("metadata.namespace"),
            "NAME": from_field("metadata.labels['app.kubernetes.io/name']"),
        }
    )
    containers = made["containers"]
    assert isinstance(containers, list)
    return {**made, "containers": [{**each, "env": [*names, *each["env"]]} for each in containers]}
