"""What the API server takes of a pod, and the kubelet, the container runtime or the kernel does not.

Facts: kubelet's emptyDir plugin (`unknown storage medium`), its container security context (`runAsNonRoot` against
`runAsUser`) and its list of safe sysctls at Kubernetes 1.36; containerd's CRI plugin, which writes CAP_ before every
capability's name; the kernel, which clears added capabilities when a process that is not root is started.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from platform_def.checks.fault import Fault
from platform_def.checks.rule import IN_PODS, ObjectRule, reads_nothing
from platform_def.config.mirror import IMAGE
from platform_def.errors import nearest
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.names import words
from platform_def.manifests.paths import Path, dotted, pods
from platform_def.manifests.rendered import Manifest

_FILLED, _LONGEST = re.compile(r"[$<{%]"), 512
"""Where a template or a program puts something else before a node sees it; and the longest that is looked at."""
_MEDIA = re.compile(r"|Memory|HugePages(-\d+[KMG]i)?")
_CAPABILITIES = frozenset(
    words(
        "ALL AUDIT_CONTROL AUDIT_READ AUDIT_WRITE BLOCK_SUSPEND BPF CHECKPOINT_RESTORE CHOWN DAC_OVERRIDE"
        " DAC_READ_SEARCH FOWNER FSETID IPC_LOCK IPC_OWNER KILL LEASE LINUX_IMMUTABLE MAC_ADMIN MAC_OVERRIDE MKNOD"
        " NET_ADMIN NET_BIND_SERVICE NET_BROADCAST NET_RAW PERFMON SETFCAP SETGID SETPCAP SETUID SYSLOG SYS_ADMIN"
        " SYS_BOOT SYS_CHROOT SYS_MODULE SYS_NICE SYS_PACCT SYS_PTRACE SYS_RAWIO SYS_RESOURCE SYS_TIME"
        " SYS_TTY_CONFIG WAKE_ALARM"
    )
)
_PREFIX = "CAP_"
_LOCK = "IPC_LOCK"
"""What programs of RDMA ask for, that they may pin memory."""
_WHOLE = frozenset(words("CronJob DaemonSet Deployment Job Pod ReplicaSet ReplicationController StatefulSet"))
"""Kinds whose containers are as they are written; templates of custom kinds may be merged with further ones."""
_CALLED: tuple[tuple[tuple[str, ...], str], ...] = (
    (("readinessProbe",), "the pod never becomes ready"),
    (("startupProbe",), "the pod never becomes ready"),
    (("livenessProbe",), "the kubelet never asks it"),
    (("lifecycle", "postStart"), "the container is killed as soon as it has started"),
    (("lifecycle", "preStop"), "the hook fails"),
)
"""What calls ports of a container, and what becomes of it where there is none of that name."""
_SAFE_SYSCTLS = frozenset(
    words(
        "kernel.shm_rmid_forced net.ipv4.ip_local_port_range net.ipv4.ip_local_reserved_ports"
        " net.ipv4.ip_unprivileged_port_start net.ipv4.ping_group_range net.ipv4.tcp_fin_timeout"
        " net.ipv4.tcp_keepalive_intvl net.ipv4.tcp_keepalive_probes net.ipv4.tcp_keepalive_time net.ipv4.tcp_rmem"
        " net.ipv4.tcp_syncookies net.ipv4.tcp_wmem"
    )
)


def _check(manifest: Manifest, _: None) -> Iterator[Fault]:
    for path, pod in pods(manifest):
        yield from _volumes(path, pod)
        yield from _sysctls(path, pod)
        for group in ("initContainers", "containers"):
            for index, container in enumerate(items(pod.get(group))):
                where: Path = (*path, group, index, "securityContext")
                yield from _security(where, mapping(mapping(container).get("securityContext")), pod)
                yield from _image((*path, group, index, "image"), text(mapping(container).get("image")))
                if manifest.get("kind") in _WHOLE:
                    yield from _ports((*path, group, index), mapping(container))


def _image(path: Path, image: str) -> Iterator[Fault]:
    """What no container runtime reads as an image; what a program fills in later cannot be judged."""
    if not image or _FILLED.search(image) or (len(image) <= _LONGEST and IMAGE.fullmatch(image)):
        return
    hint = "write registry.example.com/team/app:1.2"
    name, at_sign, digest = image.partition("@")
    path_, colon, tag = name.rpartition(":") if ":" in name.rpartition("/")[2] else (name, "", "")
    lower = f"{path_.lower()}{colon}{tag}{at_sign}{digest}"
    if "://" in image:
        hint = f"leave out the scheme: write {image.partition('://')[2][:80]}"
    elif IMAGE.fullmatch(lower):
        hint = f"write {lower[:80]}: names of images are in lower case"
    said = f"{image[:80]!r} is no image that a node can pull: the pod stays at InvalidImageName"
    yield Fault(dotted(path), said, hint)


def _volumes(path: Path, pod: Mapping[str, Any]) -> Iterator[Fault]:
    for index, volume in enumerate(items(pod.get("volumes"))):
        medium = at(volume, "emptyDir.medium")
        if isinstance(medium, str) and not _MEDIA.fullmatch(medium):
            place = dotted((*path, "volumes", index, "emptyDir", "medium"))
            known = ("Memory", "HugePages")
            same = next((each for each in known if each.lower() == medium.lower()), "")
            hint = f"write {same}" if same else "write Memory or HugePages, or leave it out for the node's disk"
            yield Fault(place, f"the kubelet knows no medium {medium[:40]!r}: the pod stays at ContainerCreating", hint)


def _sysctls(path: Path, pod: Mapping[str, Any]) -> Iterator[Fault]:
    for index, each in enumerate(items(at(pod, "securityContext.sysctls"))):
        name = text(mapping(each).get("name")).replace("/", ".")
        place = dotted((*path, "securityContext", "sysctls", index, "name"))
        if name.startswith("net.") and pod.get("hostNetwork") is True:
            said = f"{name[:60]} belongs to the node's network, which the pod shares: the kubelet refuses the pod"
            yield Fault(place, said, "set it on the nodes")
        elif name and name not in _SAFE_SYSCTLS:
            said = f"the kubelet refuses the pod, unless its --allowed-unsafe-sysctls has {name[:60]}"
            yield Fault(place, said, "allow it on the nodes, or set it there", "warning")


def _ports(path: Path, container: Mapping[str, Any]) -> Iterator[Fault]:
    """Ports that probes and hooks call by a name which the container does not give."""
    known = [text(mapping(each).get("name")) for each in items(container.get("ports"))]
    for above, effect in _CALLED:
        for how in ("httpGet", "tcpSocket"):
            port = at(container, ".".join((*above, how, "port")))
            if isinstance(port, str) and port and not port.isdecimal() and port not in known:
                said = f"the container has no port {port[:40]!r}: {effect}"
                hint = nearest(port, [each for each in known if each]) or "name it among the container's ports"
                yield Fault(dotted((*path, *above, how, "port")), said, hint)


def _security(path: Path, security: Mapping[str, Any], pod: Mapping[str, Any]) -> Iterator[Fault]:
    whole = mapping(pod.get("securityContext"))
    user, other = (security.get(key, whole.get(key)) for key in ("runAsUser", "runAsNonRoot"))
    if other is True and user == 0 and not isinstance(user, bool):
        said = "the user is 0 and runAsNonRoot is true: the kubelet does not start the container"
        yield Fault(dotted((*path, "runAsNonRoot")), said, "give a user above 0, or leave runAsNonRoot out")
    for list_ in ("add", "drop"):
        for index, name in enumerate(items(at(security, f"capabilities.{list_}"))):
            place = dotted((*path, "capabilities", list_, index))
            if not isinstance(name, str):
                continue
            if name.upper() not in _CAPABILITIES:
                bare = name.upper().removeprefix(_PREFIX)
                hint = f"write {bare}" if bare in _CAPABILITIES else nearest(bare, _CAPABILITIES)
                said = f"{name[:40]} is no capability's name, and has no effect"
                yield Fault(place, said, hint)
            elif (name.upper(), list_) == (_LOCK, "add") and (other is True or (isinstance(user, int) and user > 0)):
                said = f"a process that is not root does not get {_LOCK}"
                hint = "run the container as root, or raise the limit of locked memory in the nodes' container runtime"
                yield Fault(place, said, hint, "warning")


NODE_REFUSED = ObjectRule(
    id="node-refused",
    severity="error",
    title="Nodes can start what pods ask for: media, users, capabilities, sysctls",
    why="The API server takes the object, and its pods never start, or run without what they ask for.",
    fix="write what the kubelet and the container runtime know",
    reads=reads_nothing,
    sign=IN_PODS,
    check=_check,
)
