"""The pods of Argo CD's programs, with upstream's mounts, probes and security contexts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, cast

from platform_def.apis.core.core_v1 import (
    Container,
    EnvVarSource,
    PodSpec,
    Probe,
    ResourceRequirements,
    Volume,
    VolumeMount,
)
from platform_def.components.delivery.argo_cd.parameters import (
    APPLICATION_SETS,
    CONTROLLER,
    NOTIFICATIONS,
    PARAMETERS,
    REPO_SERVER,
    SERVER,
    variables,
)
from platform_def.components.delivery.argo_cd.rules import REDIS_SECRET
from platform_def.components.delivery.argo_cd.settings import CERTIFICATES, KEYS, KNOWN_HOSTS
from platform_def.constructs import RESTRICTED, env, from_field, http_probe, scale, scratch, tcp_probe
from platform_def.constructs.environment import from_secret

if TYPE_CHECKING:
    from platform_def.components.delivery.argo_cd.config import AnyArgoCd

REDIS = "argocd-redis"
MANIFESTS, REPO_METRICS, PAGES, SERVER_METRICS, CONTROLLER_METRICS = 8081, 8084, 8080, 8083, 8082
WEBHOOK, APPLICATION_SETS_METRICS, NOTIFICATIONS_METRICS, REDIS_PORT = 7000, 8080, 9001, 6379
"""Ports, compiled in as defaults."""
REDIS_USER = 999
CONFIG = "/app/config"
_BINARIES = {NOTIFICATIONS: "argocd-notifications"}
_PREFIXES = {
    SERVER: "server",
    CONTROLLER: "controller",
    APPLICATION_SETS: "applicationsetcontroller",
    REPO_SERVER: "reposerver",
}
"""How the keys of those programs begin whose profiler may be switched on while they run."""
_HELM = "/helm-working-dir"
_COPIED = "/var/run/argocd/argocd"
_FILES = {
    KNOWN_HOSTS: (f"{CONFIG}/ssh", (REPO_SERVER, SERVER, APPLICATION_SETS)),
    CERTIFICATES: (f"{CONFIG}/tls", (REPO_SERVER, SERVER, APPLICATION_SETS, NOTIFICATIONS)),
    KEYS: (f"{CONFIG}/gpg/source", (REPO_SERVER, APPLICATION_SETS)),
}
"""Where ConfigMaps are mounted, and in which programs."""
_SCRATCH = {
    "gpg-keyring": (f"{CONFIG}/gpg/keys", (REPO_SERVER, APPLICATION_SETS)),
    "tmp": ("/tmp", (CONTROLLER, REPO_SERVER, SERVER, APPLICATION_SETS)),  # noqa: S108 - in the container
    "home": ("/home/argocd", (CONTROLLER, SERVER)),
    "helm-working-dir": (_HELM, (REPO_SERVER,)),
    "plugins": ("/home/argocd/cmp-server/plugins", (REPO_SERVER,)),
}
_PORTS: Mapping[str, Mapping[str, int]] = {
    CONTROLLER: {"metrics": CONTROLLER_METRICS},
    REPO_SERVER: {"server": MANIFESTS, "metrics": REPO_METRICS},
    SERVER: {"server": PAGES, "metrics": SERVER_METRICS},
    APPLICATION_SETS: {"webhook": WEBHOOK, "metrics": APPLICATION_SETS_METRICS},
    NOTIFICATIONS: {"metrics": NOTIFICATIONS_METRICS},
}
_WORKING = {CONTROLLER: "/home/argocd", NOTIFICATIONS: "/app"}
_SIZES = {
    # CPU, memory, limit of memory. The first was seen at 1.2 GiB with a whole platform, the second at 280 MiB.
    CONTROLLER: ("250m", "1Gi", "4Gi"),
    REPO_SERVER: ("100m", "256Mi", "2Gi"),
    SERVER: ("50m", "128Mi", "1Gi"),
    APPLICATION_SETS: ("50m", "128Mi", "1Gi"),
    NOTIFICATIONS: ("50m", "64Mi", "512Mi"),
    REDIS: ("50m", "64Mi", "1Gi"),
}


def pod(component: AnyArgoCd, name: str) -> PodSpec:
    """The pod of a program."""
    made = _redis(component) if name == REDIS else _own(component, name)
    return {"serviceAccountName": name, **made}


def _own(component: AnyArgoCd, name: str) -> PodSpec:
    volumes = [*_volumes(component, name)]
    container: Container = {
        "name": name,
        "image": component.release.image,
        "args": [f"/usr/local/bin/{_BINARIES.get(name, name)}"],
        "env": env({**_particular(component, name), **variables(component.release.parameters[name])}),
        "ports": [{"name": each, "containerPort": number, "protocol": "TCP"} for each, number in _PORTS[name].items()],
        "resources": _resources(name),
        "securityContext": RESTRICTED,
        "volumeMounts": [mount for _, mount in volumes],
    }
    container |= cast(Container, _probes(name))
    if name in _WORKING:
        container["workingDir"] = _WORKING[name]
    pod: PodSpec = {"containers": [container], "volumes": [volume for volume, _ in volumes]}
    if name == REPO_SERVER:
        # It runs what repositories say, and needs nothing of the API server.
        pod["automountServiceAccountToken"] = False
        pod["initContainers"] = [_copy(component)]
        pod["volumes"] = [*pod["volumes"], *scratch("var-files")]
    return pod


def _particular(component: AnyArgoCd, name: str) -> dict[str, str | int | EnvVarSource]:
    """Variables that no ConfigMap holds."""
    made: dict[str, str | int | EnvVarSource] = {}
    if name in (CONTROLLER, REPO_SERVER, SERVER):
        made["REDIS_PASSWORD"] = from_secret(REDIS_SECRET, "auth")
    if name == CONTROLLER:
        made |= {"ARGOCD_CONTROLLER_REPLICAS": component.config.shards, "KUBECACHEDIR": "/tmp/kubecache"}  # noqa: S108
    if name == REPO_SERVER:
        made |= dict.fromkeys(("HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME"), _HELM)
    if name == APPLICATION_SETS:
        made["NAMESPACE"] = from_field("metadata.namespace")
    if name == SERVER and (size := scale(component, SERVER, ha_replicas=2)).several:
        made["ARGOCD_API_SERVER_REPLICAS"] = size.count  # they share the limit on failed logins
    return made


def _probes(name: str) -> dict[str, Probe]:
    if name == CONTROLLER:
        return {"readinessProbe": http_probe("/healthz", "metrics", delay=5, period=10)}
    if name == REPO_SERVER:
        return {
            "livenessProbe": http_probe("/healthz?full=true", "metrics", delay=30, period=30, timeout=5, failures=3),
            "readinessProbe": http_probe("/healthz", "metrics", delay=5, period=10),
        }
    if name == SERVER:
        return {
            "livenessProbe": http_probe("/healthz?full=true", "server", delay=3, period=30, timeout=5),
            "readinessProbe": http_probe("/healthz", "server", delay=3, period=30),
        }
    return {"livenessProbe": tcp_probe("metrics")} if name == NOTIFICATIONS else {}


def _volumes(component: AnyArgoCd, name: str) -> Iterator[tuple[Volume, VolumeMount]]:
    """Volumes of a program, each with where it is mounted."""
    for volume, (path, programs) in _FILES.items():
        collector = volume == CERTIFICATES and name == CONTROLLER and component.release.collector_certificates
        if name in programs or collector:
            yield {"name": volume, "configMap": {"name": volume}}, _mount(volume, path)
    for volume, (path, programs) in _SCRATCH.items():
        if name in programs:
            yield scratch(volume)[0], _mount(volume, path)
    for secret, (path, keys) in _certificates(component, name).items():
        yield _some(secret, "secret", {key: key for key in keys}), _mount(secret, path)
    if name in _PREFIXES:
        profiler = {f"{_PREFIXES[name]}.profile.enabled": "profiler.enabled"}
        yield _some(PARAMETERS, "configMap", profiler), _mount(PARAMETERS, "/home/argocd/params")


def _certificates(component: AnyArgoCd, name: str) -> Mapping[str, tuple[str, Sequence[str]]]:
    """Optional Secrets by which programs authenticate to each other: where they are mounted, and their keys."""
    whose = {CONTROLLER: "controller", SERVER: "server"}.get(name, "reposerver")
    found: dict[str, tuple[str, Sequence[str]]] = {
        "argocd-repo-server-tls": (f"{CONFIG}/{whose}/tls", ("tls.crt", "tls.key", "ca.crt"))
    }
    if name == SERVER:
        found["argocd-dex-server-tls"] = (f"{CONFIG}/dex/tls", ("tls.crt", "ca.crt"))
    if component.release.mutual_tls:
        keys = ("client-ca.crt",) if name == REPO_SERVER else ("client.crt", "client.key", "server-ca.crt")
        found["argocd-repo-server-mtls"] = (f"{CONFIG}/reposerver/mtls", keys)
    return found


def _some(name: str, kind: Literal["secret", "configMap"], keys: Mapping[str, str]) -> Volume:
    """Some keys of a Secret or a ConfigMap, as files, where they are there."""
    items = [{"key": key, "path": path} for key, path in keys.items()]
    source = {"secretName" if kind == "secret" else "name": name, "items": items, "optional": True}
    return cast(Volume, {"name": name, kind: source})


def _mount(name: str, path: str) -> VolumeMount:
    return {"name": name, "mountPath": path}


def _copy(component: AnyArgoCd) -> Container:
    """The program for containers beside it that make manifests of other kinds of source, which a stack may add."""
    return {
        "name": "copyutil",
        "image": component.release.image,
        "command": ["sh", "-c"],
        # Also where a restart finds both there.
        "args": [f"/bin/cp /usr/local/bin/argocd {_COPIED} && /bin/ln -sf {_COPIED} {_COPIED}-cmp-server"],
        "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "512Mi"}},
        "securityContext": RESTRICTED,
        "volumeMounts": [_mount("var-files", "/var/run/argocd")],
    }


def _redis(component: AnyArgoCd) -> PodSpec:
    """Redis keeps what can be computed again, in memory alone; its password is made before it starts first."""
    container: Container = {
        "name": "redis",
        "image": component.release.images["redis"],
        "args": ["--save", "", "--appendonly", "no", "--requirepass $(REDIS_PASSWORD)"],
        "env": env({"REDIS_PASSWORD": from_secret(REDIS_SECRET, "auth")}),
        "ports": [{"name": "redis", "containerPort": REDIS_PORT, "protocol": "TCP"}],
        "resources": _resources(REDIS),
        "securityContext": RESTRICTED,
    }
    maker: Container = {
        "name": "secret-init",
        "image": component.release.image,
        "command": ["argocd", "admin", "redis-initial-password"],
        "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"memory": "512Mi"}},
        "securityContext": RESTRICTED,
    }
    return {
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": REDIS_USER,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "initContainers": [maker],
        "containers": [container],
    }


def _resources(name: str) -> ResourceRequirements:
    cpu, memory, limit = _SIZES[name]
    return {"requests": {"cpu": cpu, "memory": memory}, "limits": {"memory": limit}}
