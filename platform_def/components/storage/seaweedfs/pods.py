"""Pods of SeaweedFS: one that does everything, or masters, volume servers and a server of names.

Its parts speak to each other without asking who calls. So in one pod they listen on loopback alone, and where they are
spread a policy shuts their ports to all other pods; S3 asks for a key from the first moment, as the administrator's
is in the environment when it starts.
"""

from __future__ import annotations

from platform_def.apis.core.core_v1 import Container, ContainerPort, EnvVar, PodSpec
from platform_def.constructs import SecretUse, env, from_field, http_probe, mounts, scratch

S3_PORT, METRICS_PORT, MASTER_PORT, VOLUME_PORT, FILER_PORT = 8333, 9327, 9333, 8080, 8888
GRPC = 10_000
"""What is added to a port for the gRPC of the same part."""
USER = 1000
"""User and group `seaweed` of the image; as root, its entrypoint changes owners."""
S3 = (f"-s3.port={S3_PORT}", "-s3.ip.bind=0.0.0.0", "-s3.iam.readOnly=false", "-s3.port.iceberg=0")
"""Keys are made at the same endpoint. There is no table catalogue: nothing here uses one."""
METRICS = (f"-metricsPort={METRICS_PORT}", "-metricsIp=0.0.0.0")
SLOTS = env({f"WEED_MASTER_VOLUME_GROWTH_COPY_{copies}": "1" for copies in (1, 2, 3)})
"""A bucket takes one volume when it is first written to. By default it takes seven, and a small disk is soon out of
them."""
SIZE = "256"
"""Megabytes of a volume: a disk holds as many buckets as it holds volumes."""


def whole(image: str, admin: SecretUse) -> PodSpec:
    """Everything in one pod."""
    arguments = [
        "server",
        "-dir=/data",
        "-ip=127.0.0.1",
        "-ip.bind=127.0.0.1",
        "-filer",
        "-s3",
        *S3,
        *METRICS,
        f"-master.volumeSizeLimitMB={SIZE}",
        "-master.telemetry=false",
    ]
    return _pod(_s3(_container("seaweedfs", image, arguments), admin, variables=SLOTS))


def master(image: str, domain: str, peers: str, copies: int) -> PodSpec:
    """One of the masters, which agree on where volumes are."""
    arguments = [
        "master",
        "-mdir=/data",
        f"-peers={peers}",
        f"-volumeSizeLimitMB={SIZE}",
        f"-defaultReplication=00{copies - 1}",
        "-telemetry=false",
    ]
    made = _spread("master", image, arguments, domain, MASTER_PORT)
    made["env"] = [*made["env"], *SLOTS]
    made["readinessProbe"] = http_probe("/cluster/healthz", MASTER_PORT, period=10)
    return _pod(made)


def volume(image: str, domain: str, masters: str) -> PodSpec:
    """A server of volumes."""
    made = _spread("volume", image, ["volume", "-dir=/data", f"-master={masters}"], domain, VOLUME_PORT)
    made["readinessProbe"] = http_probe("/healthz", VOLUME_PORT, period=10)
    made["livenessProbe"] = http_probe("/healthz", VOLUME_PORT, delay=60, period=30, timeout=10)
    return _pod(made, grace=60)


def filer(image: str, domain: str, masters: str, admin: SecretUse) -> PodSpec:
    """The server of names, which serves S3."""
    arguments = ["filer", f"-master={masters}", "-s3", *S3]
    return _pod(_s3(_spread("filer", image, arguments, domain, FILER_PORT), admin))


def _s3(container: Container, admin: SecretUse, *, variables: list[EnvVar] | None = None) -> Container:
    keys = [admin.env("AWS_ACCESS_KEY_ID", "accessKey"), admin.env("AWS_SECRET_ACCESS_KEY", "secretKey")]
    ports: list[ContainerPort] = [*container["ports"], {"name": "s3", "containerPort": S3_PORT, "protocol": "TCP"}]
    return {
        **container,
        "env": [*container.get("env", []), *keys, *(variables or [])],
        "ports": ports,
        "readinessProbe": http_probe("/status", S3_PORT, period=10, timeout=5),
        "livenessProbe": http_probe("/status", S3_PORT, delay=30, period=30, timeout=10),
    }


def _spread(role: str, image: str, arguments: list[str], domain: str, at: int) -> Container:
    """A container that others know by its pod's name, which outlives its address."""
    name = f"$(POD_NAME).{domain}"
    made = _container(role, image, [*arguments, f"-ip={name}", "-ip.bind=0.0.0.0", *METRICS])
    more: list[ContainerPort] = [
        {"name": "http", "containerPort": at, "protocol": "TCP"},
        {"name": "grpc", "containerPort": at + GRPC, "protocol": "TCP"},
    ]
    return {**made, "ports": [*made["ports"], *more], "env": env({"POD_NAME": from_field("metadata.name")})}


def _container(role: str, image: str, arguments: list[str]) -> Container:
    return {
        "name": role,
        "image": image,
        "args": arguments,
        "ports": [{"name": "metrics", "containerPort": METRICS_PORT, "protocol": "TCP"}],
        "resources": {"requests": {"cpu": "64m", "memory": "256Mi"}, "limits": {"memory": "2Gi"}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "runAsNonRoot": True,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "volumeMounts": mounts({"data": "/data", "tmp": "/tmp"}),  # noqa: S108 - in the container
    }


def _pod(container: Container, *, grace: int = 30) -> PodSpec:
    return {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": grace,
        "securityContext": {
            "runAsUser": USER,
            "runAsGroup": USER,
            "fsGroup": USER,
            "fsGroupChangePolicy": "OnRootMismatch",
        },
        "containers": [container],
        "volumes": scratch("tmp"),
    }
