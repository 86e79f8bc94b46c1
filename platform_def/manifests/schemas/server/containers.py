"""Containers: their ports, variables, probes, mounts, security and resources."""

from __future__ import annotations

import re
from collections.abc import Iterator

from platform_def.crds.quantity import amount
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.names import words
from platform_def.manifests.schemas.server.words import (
    AMOUNT,
    FILLED,
    ID,
    NAMED_PORT,
    NOT_NEGATIVE,
    PORT,
    POSITIVE,
    PROTOCOL,
    Limits,
    Rules,
    Value,
    Wrong,
    choice,
    keyed,
    maybe,
    needed,
    number,
    one_of,
)
from platform_def.manifests.schemas.server.words import text as filled

_CONTAINER = {
    "name": needed(filled("label")),
    "image": needed(FILLED),
    "imagePullPolicy": choice("Always", "IfNotPresent", "Never", empty=True),
    "terminationMessagePolicy": choice("File", "FallbackToLogsOnError", empty=True),
    "restartPolicy": choice("Always", "OnFailure", "Never"),
}
_PROFILE = choice("Localhost", "RuntimeDefault", "Unconfined")

LIMITS: Limits = {
    "core.v1.Container": _CONTAINER,
    "core.v1.EphemeralContainer": _CONTAINER,
    "core.v1.ContainerPort": {
        "containerPort": PORT,
        "hostPort": number(0, 65535),
        "protocol": PROTOCOL,
        "name": maybe("port-name"),
    },
    "core.v1.EnvVar": {"name": needed(filled("variable"))},
    "core.v1.EnvFromSource": {"prefix": maybe("variable")},
    "core.v1.ConfigMapEnvSource": {"name": needed(filled("subdomain"))},
    "core.v1.SecretEnvSource": {"name": needed(filled("subdomain"))},
    "core.v1.ConfigMapKeySelector": {"name": needed(filled("subdomain")), "key": needed(filled("config-key"))},
    "core.v1.SecretKeySelector": {"name": needed(filled("subdomain")), "key": needed(filled("config-key"))},
    "core.v1.FileKeySelector": {
        "key": needed(filled("variable")),
        "path": needed(filled("no-way-up")),
        "volumeName": needed(filled("label")),
    },
    "core.v1.ObjectFieldSelector": {"fieldPath": needed(FILLED)},
    "core.v1.ResourceFieldSelector": {"resource": needed(FILLED)},
    "core.v1.VolumeMount": {
        "name": needed(FILLED),
        "mountPath": needed(FILLED),
        "subPath": maybe("relative-path"),
        "subPathExpr": maybe("relative-path"),
        "mountPropagation": choice("None", "HostToContainer", "Bidirectional"),
        "recursiveReadOnly": choice("Disabled", "IfPossible", "Enabled"),
    },
    "core.v1.VolumeDevice": {"name": needed(FILLED), "devicePath": needed(filled("no-way-up"))},
    "core.v1.Probe": {
        "initialDelaySeconds": NOT_NEGATIVE,
        "timeoutSeconds": NOT_NEGATIVE,
        "periodSeconds": NOT_NEGATIVE,
        "successThreshold": NOT_NEGATIVE,
        "failureThreshold": NOT_NEGATIVE,
        "terminationGracePeriodSeconds": POSITIVE,
    },
    "core.v1.ExecAction": {"command": needed({"minItems": 1})},
    "core.v1.HTTPGetAction": {"port": needed(NAMED_PORT), "scheme": choice("HTTP", "HTTPS", empty=True)},
    "core.v1.HTTPHeader": {"name": filled("header")},
    "core.v1.TCPSocketAction": {"port": needed(NAMED_PORT)},
    "core.v1.GRPCAction": {"port": PORT},
    "core.v1.ResourceRequirements": {
        "limits": keyed("resource-name", AMOUNT),
        "requests": keyed("resource-name", AMOUNT),
    },
    "core.v1.ContainerResizePolicy": {
        "resourceName": choice("cpu", "memory"),
        "restartPolicy": choice("NotRequired", "RestartContainer"),
    },
    "core.v1.SecurityContext": {"runAsUser": ID, "runAsGroup": ID, "procMount": choice("Default", "Unmasked")},
    "core.v1.SeccompProfile": {"type": needed(_PROFILE), "localhostProfile": {"format": "server:relative-path"}},
    "core.v1.AppArmorProfile": {
        "type": needed(_PROFILE),
        "localhostProfile": {"minLength": 1, "maxLength": 4095, "format": "server:unpadded"},
    },
}

_FIELDS = frozenset(
    words(
        "metadata.name metadata.namespace metadata.uid spec.nodeName spec.serviceAccountName status.hostIP "
        "status.hostIPs status.podIP status.podIPs"
    )
)
_VOLUME_FIELDS = frozenset(
    ["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"]
)
_RESOURCES = re.compile(r"(limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-.+)")
_DIVISORS = frozenset(words("1 1k 1M 1G 1T 1P 1E 1Ki 1Mi 1Gi 1Ti 1Pi 1Ei"))
_SUBSCRIPT = re.compile(r"metadata\.(labels|annotations)\['(.*)'\]")
_SOURCES = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")
_HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc", "sleep")


def _variable(value: Value) -> Iterator[Wrong]:
    source = mapping(value.get("valueFrom"))
    if "valueFrom" in value and value["valueFrom"] is not None:
        for each in one_of(*_SOURCES)(source):
            yield each._replace(path=("valueFrom", *each.path))
        if text(value.get("value")):
            hint = "leave out the one that is not meant"
            yield Wrong(("value",), "is set together with valueFrom: set only one", hint)
    path = text(at(source, "fieldRef.fieldPath"))
    if path and path not in _FIELDS and not _SUBSCRIPT.fullmatch(path):
        known = ", ".join(sorted(_FIELDS))
        yield Wrong(
            ("valueFrom", "fieldRef", "fieldPath"),
            f"'{path[:60]}' is no field that a variable may take",
            f"known: {known}",
        )
    yield from field_version(mapping(source.get("fieldRef")), ("valueFrom", "fieldRef"))
    yield from resource_field(source.get("resourceFieldRef"), ("valueFrom", "resourceFieldRef"))


def field_version(value: Value, path: tuple[str | int, ...]) -> Iterator[Wrong]:
    """A field is that of a pod in v1."""
    version = value.get("apiVersion")
    if isinstance(version, str) and version not in ("", "v1"):
        yield Wrong((*path, "apiVersion"), f"'{version[:60]}' is no version of pods", "write v1, or leave it out")


def volume_field(path: str) -> bool:
    """Whether a field of the pod may become a file."""
    return path in _VOLUME_FIELDS or bool(_SUBSCRIPT.fullmatch(path))


def resource_field(value: object, path: tuple[str | int, ...]) -> Iterator[Wrong]:
    """A resource of a container, and by how much it is divided."""
    name = text(at(value, "resource"))
    if not name:
        return
    if not _RESOURCES.fullmatch(name):
        yield Wrong(
            (*path, "resource"),
            f"'{name[:60]}' is none that can be asked for",
            "write limits.cpu, requests.memory or the like",
        )
    divisor = mapping(value).get("divisor")
    if divisor is None or amount(divisor) == 0:
        return
    allowed = {"1", "1m"} if name.endswith(".cpu") else _DIVISORS
    if not any(amount(divisor) == amount(each) for each in allowed):
        yield Wrong(
            (*path, "divisor"), f"'{str(divisor)[:60]}' cannot divide {name}", f"one of {', '.join(sorted(allowed))}"
        )


def _probe(value: Value) -> Iterator[Wrong]:
    yield from one_of(*_HANDLERS[:4])(value)


def _container(value: Value) -> Iterator[Wrong]:
    for probe in ("livenessProbe", "startupProbe"):
        threshold = at(value, f"{probe}.successThreshold")
        if isinstance(threshold, int) and threshold not in (0, 1):
            yield Wrong(
                (probe, "successThreshold"), f"{threshold} is not 1, all that a {probe} may have", "leave it out"
            )
    if at(value, "readinessProbe.terminationGracePeriodSeconds") is not None:
        yield Wrong(
            ("readinessProbe", "terminationGracePeriodSeconds"), "a readinessProbe ends nothing", "leave it out"
        )
    privileged = at(value, "securityContext.privileged") is True
    devices = {text(at(each, "name")) for each in items(value.get("volumeDevices"))}
    for index, mount in enumerate(items(value.get("volumeMounts"))):
        if at(mount, "mountPropagation") == "Bidirectional" and not privileged:
            text_ = "only a privileged container may mount so that the node sees it"
            yield Wrong(("volumeMounts", index, "mountPropagation"), text_, "write HostToContainer")
        if (name := text(at(mount, "name"))) in devices and name:
            yield Wrong(("volumeMounts", index, "name"), f"{name} is a device of this container already")
    names: dict[str, int] = {}
    for index, port in enumerate(items(value.get("ports"))):
        name = text(at(port, "name"))
        if name and names.setdefault(name, index) != index:
            yield Wrong(("ports", index, "name"), f"two ports are named {name}")


def _mount(value: Value) -> Iterator[Wrong]:
    if text(value.get("subPath")) and text(value.get("subPathExpr")):
        yield Wrong(("subPathExpr",), "is set together with subPath: set only one")
    if value.get("recursiveReadOnly") in ("Enabled", "IfPossible"):
        if value.get("readOnly") is not True:
            yield Wrong(("recursiveReadOnly",), "is for what is mounted readOnly", "write readOnly: true")
        if value.get("mountPropagation") not in (None, "None"):
            yield Wrong(("recursiveReadOnly",), "goes with mountPropagation None alone")


def _security(value: Value) -> Iterator[Wrong]:
    if value.get("allowPrivilegeEscalation") is False:
        added = [text(each) for each in items(at(value, "capabilities.add"))]
        for what, held in (
            ("privileged", value.get("privileged") is True),
            ("CAP_SYS_ADMIN", "CAP_SYS_ADMIN" in added),
        ):
            if held:
                yield Wrong(("allowPrivilegeEscalation",), f"cannot be false for a container that has {what}")


def _profile(value: Value) -> Iterator[Wrong]:
    local = value.get("type") == "Localhost"
    if local and value.get("localhostProfile") is None:
        yield Wrong(("localhostProfile",), "is missing, and type Localhost needs it")
    if not local and value.get("localhostProfile") is not None:
        yield Wrong(("localhostProfile",), "goes with type Localhost alone", "leave it out")


def overcommits(name: str) -> bool:
    """Whether pods may ask for less of a resource than their limit."""
    native = "/" not in name or name.partition("/")[0].endswith("kubernetes.io")
    return native and not name.startswith("hugepages-")


def _resources(value: Value) -> Iterator[Wrong]:
    limits, requests = mapping(value.get("limits")), mapping(value.get("requests"))
    for side, asked in (("limits", limits), ("requests", requests)):
        for name, quantity in asked.items():
            yield from whole(name, quantity, (side, name))
    for name, quantity in requests.items():
        wanted, limit = amount(quantity), amount(limits.get(name))
        if limits.get(name) is None:
            if not overcommits(name):
                yield Wrong(
                    ("limits", name),
                    f"is missing: {name} cannot be overcommitted",
                    f"write the same under limits: {quantity}",
                )
        elif wanted is not None and limit is not None:
            if not overcommits(name) and wanted != limit:
                yield Wrong(
                    ("requests", name), f"{quantity} is not the limit, {limits[name]}: {name} cannot be overcommitted"
                )
            elif wanted > limit:
                yield Wrong(
                    ("requests", name),
                    f"{quantity} is more than the limit, {limits[name]}",
                    "raise the limit, or ask for less",
                )
    yield from (wrong for side, asked in (("limits", limits), ("requests", requests)) for wrong in _huge(asked, side))
    names = {*limits, *requests}
    if any(name.startswith("hugepages-") for name in names) and not names & {"cpu", "memory"}:
        yield Wrong((), "huge pages go with cpu or memory", "ask for memory too")


def _huge(asked: Value, side: str) -> Iterator[Wrong]:
    """Huge pages are asked for in multiples of their size."""
    for name, quantity in asked.items():
        if name.startswith("hugepages-"):
            page, size = amount(name.removeprefix("hugepages-")), amount(quantity)
            if not page or (size is not None and size % page):
                yield Wrong((side, name), f"{quantity} is no multiple of the page's size")


def whole(name: str, quantity: object, path: tuple[str | int, ...]) -> Iterator[Wrong]:
    """Devices are counted in whole numbers."""
    value = amount(quantity)
    if value is not None and value % 1 and not overcommits(name) and not name.startswith("hugepages-"):
        yield Wrong(path, f"{quantity} is no whole number of {name}", "a device is given whole: write 1 or more")


def _lifecycle(value: Value) -> Iterator[Wrong]:
    yield from one_of("exec", "httpGet", "tcpSocket", "sleep")(value)


RULES: Rules = {
    "core.v1.EnvVar": _variable,
    "core.v1.EnvFromSource": one_of("configMapRef", "secretRef"),
    "core.v1.Probe": _probe,
    "core.v1.LifecycleHandler": _lifecycle,
    "core.v1.Container": _container,
    "core.v1.VolumeMount": _mount,
    "core.v1.SecurityContext": _security,
    "core.v1.SeccompProfile": _profile,
    "core.v1.AppArmorProfile": _profile,
    "core.v1.ResourceRequirements": _resources,
}
