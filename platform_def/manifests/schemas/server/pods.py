"""Pods as a whole: what their containers, volumes, claims and networks need of each other, and where they may run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.schemas.server.containers import overcommits
from platform_def.manifests.schemas.server.words import (
    AMOUNT,
    FILLED,
    ID,
    LABELS,
    POSITIVE,
    SOME,
    Limits,
    Rules,
    Value,
    Wrong,
    both,
    choice,
    each,
    keyed,
    maybe,
    needed,
    number,
    one_of,
)
from platform_def.manifests.schemas.server.words import text as filled

_INCLUSION = choice("Honor", "Ignore")
_TERM = {"topologyKey": needed(filled("label-key")), "namespaces": each(filled("label"))}

LIMITS: Limits = {
    "core.v1.Pod": {"spec": needed()},
    "core.v1.PodTemplateSpec": {"spec": needed()},
    "core.v1.PodTemplate": {"template": needed()},
    "core.v1.ResourceClaim": {"request": maybe("label")},
    "core.v1.PodSpec": {
        "containers": needed(SOME),
        "restartPolicy": choice("Always", "OnFailure", "Never", empty=True),
        "dnsPolicy": choice("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None", empty=True),
        "activeDeadlineSeconds": number(1, 2**31 - 1),
        "nodeSelector": LABELS,
        "hostname": maybe("label"),
        "subdomain": maybe("label"),
        "serviceAccountName": maybe("subdomain"),
        "nodeName": maybe("subdomain"),
        "priorityClassName": maybe("subdomain"),
        "runtimeClassName": filled("subdomain"),
        "preemptionPolicy": choice("PreemptLowerPriority", "Never"),
        "overhead": keyed("resource-name", AMOUNT),
        "hostnameOverride": {**filled("subdomain"), "maxLength": 64},
    },
    "core.v1.PodDNSConfig": {
        "nameservers": each({"format": "server:address"}, most=3),
        "searches": each({"format": "server:loose-subdomain"}, most=32),
    },
    "core.v1.PodDNSConfigOption": {"name": needed(FILLED)},
    "core.v1.HostAlias": {"ip": {"format": "server:address"}, "hostnames": each({"format": "server:subdomain"})},
    "core.v1.PodReadinessGate": {"conditionType": filled("label-key")},
    "core.v1.PodSchedulingGate": {"name": filled("label-key")},
    "core.v1.PodOS": {"name": choice("linux", "windows")},
    "core.v1.PodResourceClaim": {
        "name": needed(filled("label")),
        "resourceClaimName": filled("subdomain"),
        "resourceClaimTemplateName": filled("subdomain"),
    },
    "core.v1.PodSecurityContext": {
        "runAsUser": ID,
        "runAsGroup": ID,
        "fsGroup": ID,
        "supplementalGroups": each(ID),
        "fsGroupChangePolicy": choice("Always", "OnRootMismatch"),
        "supplementalGroupsPolicy": choice("Merge", "Strict"),
        "seLinuxChangePolicy": choice("Recursive", "MountOption"),
    },
    "core.v1.Sysctl": {"name": needed(filled("sysctl"))},
    "core.v1.Toleration": {
        "key": maybe("label-key"),
        "operator": choice("Exists", "Equal", empty=True),
        "effect": choice("NoSchedule", "PreferNoSchedule", "NoExecute", empty=True),
    },
    "core.v1.TopologySpreadConstraint": {
        "maxSkew": POSITIVE,
        "minDomains": POSITIVE,
        "topologyKey": FILLED,
        "whenUnsatisfiable": choice("DoNotSchedule", "ScheduleAnyway"),
        "nodeAffinityPolicy": _INCLUSION,
        "nodeTaintsPolicy": _INCLUSION,
        "matchLabelKeys": each(filled("label-key")),
    },
    "core.v1.NodeSelector": {"nodeSelectorTerms": SOME},
    "core.v1.PreferredSchedulingTerm": {"weight": number(1, 100)},
    "core.v1.WeightedPodAffinityTerm": {"weight": number(1, 100), "podAffinityTerm": needed()},
    "core.v1.PodAffinityTerm": _TERM,
}


def _containers(spec: Value) -> Iterator[tuple[str, int, Value]]:
    for group in ("containers", "initContainers", "ephemeralContainers"):
        for index, container in enumerate(items(spec.get(group))):
            yield group, index, mapping(container)


def _pod(spec: Value) -> Iterator[Wrong]:
    seen: set[str] = set()
    claims = {text(at(claim, "name")) for claim in items(spec.get("resourceClaims"))}
    ports: set[tuple[str, str, int]] = set()
    for group, index, container in _containers(spec):
        name = text(container.get("name"))
        if name in seen and group != "containers":
            yield Wrong((group, index, "name"), f"another container is named {name} already")
        seen.add(name)
        yield from _claims_of(container, claims, (group, index))
        if group == "initContainers":
            yield from _init(container, (group, index))
        yield from _host_ports(container, ports if group == "containers" else set(), (group, index))
        if spec.get("hostNetwork") is True and group == "containers":
            yield from _ports_of_the_node(container, (group, index))
        yield from _sleeps(spec, container, (group, index))
        yield from _repeated(items(container.get("resizePolicy")), "resourceName", (group, index, "resizePolicy"))
        if spec.get("restartPolicy") == "Never":
            for number_, policy in enumerate(items(container.get("resizePolicy"))):
                if at(policy, "restartPolicy") == "RestartContainer":
                    yield Wrong(
                        (group, index, "resizePolicy", number_, "restartPolicy"),
                        "nothing restarts in a pod that never does",
                    )
    yield from _network(spec)
    yield from _repeated_spread(spec)


def _claims_of(container: Value, claims: set[str], path: tuple[str | int, ...]) -> Iterator[Wrong]:
    for index, claim in enumerate(items(at(container, "resources.claims"))):
        name = text(at(claim, "name"))
        if name not in claims:
            yield Wrong(
                (*path, "resources", "claims", index, "name"),
                f"the pod has no resource claim '{name[:60]}'",
                "list it under resourceClaims of the pod",
            )


def _init(container: Value, path: tuple[str | int, ...]) -> Iterator[Wrong]:
    if container.get("restartPolicy") == "Always":
        return
    for field in ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe"):
        if container.get(field) is not None:
            hint = "write restartPolicy: Always to make it a sidecar, or leave it out"
            yield Wrong((*path, field), "an init container runs to its end, and is not probed", hint)


def _host_ports(container: Value, seen: set[tuple[str, str, int]], path: tuple[str | int, ...]) -> Iterator[Wrong]:
    for index, port in enumerate(items(container.get("ports"))):
        number_ = mapping(port).get("hostPort")
        if isinstance(number_, int) and number_:
            key = (text(at(port, "protocol")) or "TCP", text(at(port, "hostIP")), number_)
            if key in seen:
                yield Wrong((*path, "ports", index, "hostPort"), f"{number_} is taken by another port of the pod")
            seen.add(key)


def _ports_of_the_node(container: Value, path: tuple[str | int, ...]) -> Iterator[Wrong]:
    for index, port in enumerate(items(container.get("ports"))):
        host, own = mapping(port).get("hostPort"), mapping(port).get("containerPort")
        if host not in (None, 0, own):
            text_ = f"{host} is not the containerPort, {own}: in the node's network they are one"
            yield Wrong((*path, "ports", index, "hostPort"), text_, "leave it out")


def _sleeps(spec: Value, container: Value, path: tuple[str | int, ...]) -> Iterator[Wrong]:
    grace = spec.get("terminationGracePeriodSeconds")
    grace = grace if isinstance(grace, int) else 30
    for hook in ("preStop", "postStart"):
        seconds = at(container, f"lifecycle.{hook}.sleep.seconds")
        if isinstance(seconds, int) and not 0 <= seconds <= max(grace, 0):
            text_ = f"{seconds} s is not within terminationGracePeriodSeconds, {grace} s"
            yield Wrong((*path, "lifecycle", hook, "sleep", "seconds"), text_)


def _repeated(values: Sequence[object], key: str, path: tuple[str | int, ...]) -> Iterator[Wrong]:
    names = [text(at(each_, key)) for each_ in values]
    for index, name in enumerate(names):
        if name and name in names[:index]:
            yield Wrong((*path, index, key), f"{name} is listed twice")


def _network(spec: Value) -> Iterator[Wrong]:
    if spec.get("dnsPolicy") == "None" and not items(at(spec, "dnsConfig.nameservers")):
        yield Wrong(("dnsConfig", "nameservers"), "is missing, and dnsPolicy None needs one")
    if spec.get("hostPID") is True and spec.get("shareProcessNamespace") is True:
        yield Wrong(("shareProcessNamespace",), "cannot be true together with hostPID")
    if spec.get("hostUsers") is False:
        for field in ("hostNetwork", "hostPID", "hostIPC"):
            if spec.get(field) is True:
                yield Wrong((field,), "cannot be true where hostUsers is false")
    if spec.get("ephemeralContainers"):
        yield Wrong(("ephemeralContainers",), "are added to running pods, not written in manifests", "leave them out")
    yield from _repeated(items(at(spec, "securityContext.sysctls")), "name", ("securityContext", "sysctls"))
    for index, sysctl in enumerate(items(at(spec, "securityContext.sysctls"))):
        name = text(at(sysctl, "name")).replace("/", ".")
        if spec.get("hostNetwork") is True and name.startswith("net."):
            yield Wrong(
                ("securityContext", "sysctls", index, "name"), f"{name} is the node's where hostNetwork is true"
            )
        if spec.get("hostIPC") is True and name.startswith(("kernel.shm", "kernel.msg", "kernel.sem", "fs.mqueue.")):
            yield Wrong(("securityContext", "sysctls", index, "name"), f"{name} is the node's where hostIPC is true")


def _repeated_spread(spec: Value) -> Iterator[Wrong]:
    seen = set()
    for index, constraint in enumerate(items(spec.get("topologySpreadConstraints"))):
        key = (text(at(constraint, "topologyKey")), text(at(constraint, "whenUnsatisfiable")))
        if key in seen:
            yield Wrong(("topologySpreadConstraints", index), f"{key[0]} with {key[1]} is listed already")
        seen.add(key)


def mounts(spec: Value, extra: Sequence[str] = ()) -> Iterator[Wrong]:
    """What containers mount is a volume of the pod; `extra` names volumes that a controller adds."""
    volumes = {text(at(volume, "name")): mapping(volume) for volume in items(spec.get("volumes"))}
    volumes |= {name: {"persistentVolumeClaim": {}} for name in extra}
    for group, index, container in _containers(spec):
        for place, mount in enumerate(items(container.get("volumeMounts"))):
            name = text(at(mount, "name"))
            if name and name not in volumes:
                yield Wrong(
                    (group, index, "volumeMounts", place, "name"),
                    f"the pod has no volume '{name[:60]}'",
                    _known(volumes),
                )
        for place, device in enumerate(items(container.get("volumeDevices"))):
            name = text(at(device, "name"))
            if name and name not in volumes:
                yield Wrong(
                    (group, index, "volumeDevices", place, "name"),
                    f"the pod has no volume '{name[:60]}'",
                    _known(volumes),
                )
            elif name and not {"persistentVolumeClaim", "ephemeral"} & {*volumes[name]}:
                yield Wrong(
                    (group, index, "volumeDevices", place, "name"), f"{name} is no claim, all that can be a device"
                )


def _known(volumes: dict[str, Value]) -> str:
    names = ", ".join(sorted(filter(None, volumes))[:8])
    return f"it has {names}" if names else "list it under volumes of the pod"


def _toleration(value: Value) -> Iterator[Wrong]:
    exists = value.get("operator") == "Exists"
    if not value.get("key") and not exists:
        yield Wrong(
            ("operator",),
            "must be Exists without a key, which means all taints",
            "write operator: Exists, or the key",
        )
    if exists and value.get("value"):
        yield Wrong(("value",), "goes with operator Equal alone", "leave it out")
    if value.get("tolerationSeconds") is not None and value.get("effect") != "NoExecute":
        yield Wrong(("effect",), "must be NoExecute where tolerationSeconds is given")
    if not exists and isinstance(value.get("value"), str):
        from platform_def.manifests.names import label_value_problem

        if problem := label_value_problem(value["value"]):
            yield Wrong(("value",), problem)


def _spread(value: Value) -> Iterator[Wrong]:
    if value.get("minDomains") is not None and value.get("whenUnsatisfiable") != "DoNotSchedule":
        yield Wrong(("minDomains",), "goes with whenUnsatisfiable DoNotSchedule alone", "leave it out")
    yield from _label_keys(value, ("matchLabelKeys",))
    keys = items(value.get("matchLabelKeys"))
    for index, key in enumerate(keys):
        if key in keys[:index]:
            yield Wrong(("matchLabelKeys", index), f"{key} is listed twice")


def _term(value: Value) -> Iterator[Wrong]:
    yield from _label_keys(value, ("matchLabelKeys", "mismatchLabelKeys"))


def _label_keys(value: Value, fields: tuple[str, ...]) -> Iterator[Wrong]:
    for field in fields:
        if items(value.get(field)) and value.get("labelSelector") is None:
            yield Wrong((field,), "needs a labelSelector")


def _overhead(value: Value) -> Iterator[Wrong]:
    for name in mapping(value.get("overhead")):
        if not overcommits(name):
            yield Wrong(("overhead", name), f"{name} is no overhead of a pod")


def pod_rule(value: Value) -> Iterator[Wrong]:
    """What a bare pod mounts."""
    for wrong in mounts(mapping(value.get("spec"))):
        yield wrong._replace(path=("spec", *wrong.path))


def template_rule(value: Value) -> Iterator[Wrong]:
    """What the pods of a template mount."""
    for wrong in mounts(mapping(at(value, "template.spec"))):
        yield wrong._replace(path=("template", "spec", *wrong.path))


RULES: Rules = {
    "core.v1.PodSpec": both(_pod, _overhead),
    "core.v1.Pod": pod_rule,
    "core.v1.PodTemplate": template_rule,
    "core.v1.Toleration": _toleration,
    "core.v1.TopologySpreadConstraint": _spread,
    "core.v1.PodAffinityTerm": _term,
    "core.v1.PodResourceClaim": one_of("resourceClaimName", "resourceClaimTemplateName"),
}
