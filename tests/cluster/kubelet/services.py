"""Services at their addresses, as kube-proxy has them: in each pod's network namespace, carried on to pods that are ready.

The addresses are of the loopback range, which no packet leaves a namespace by: so the sockets are opened inside of it,
and served from here. TCP alone.
"""

from __future__ import annotations

import ctypes
import os
import random
import socket
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple, TypeVar

from tests.cluster.client import Api, Manifest, UnreachableError
from tests.cluster.pki import KUBERNETES

T = TypeVar("T")

OWN = "/proc/self/ns/net"
_NEW_NETWORK = 0x40000000
_BACKLOG = 64
SERVICE_NAME = "kubernetes.io/service-name"
SLICES = "/apis/discovery.k8s.io/v1/endpointslices"
Backend = tuple[str, int]


class Door(NamedTuple):
    """Where a Service is reached."""

    address: str
    port: int


Backends = Callable[[Door], Sequence[Backend]]


def doors(services: Sequence[Manifest]) -> Iterator[tuple[Door, Manifest, Manifest]]:
    """All of them, each with its Service and port; headless Services and other protocols have none."""
    for service in services:
        address = service["spec"].get("clusterIP", "None")
        if address not in ("", "None"):
            for port in service["spec"].get("ports", ()):
                if port.get("protocol", "TCP") == "TCP":
                    yield Door(address, port["port"]), service, port


def backends(service: Manifest, port: Manifest, pods: Sequence[Manifest]) -> list[Backend]:
    """Addresses and ports of the pods behind a Service's port: those selected that have an address and are ready."""
    found = []
    for pod in pods:
        status = pod.get("status", {})
        if not _selects(service, pod):
            continue
        waits = not is_ready(pod) and not service["spec"].get("publishNotReadyAddresses")
        target = _number(pod, port["targetPort"] if "targetPort" in port else port["port"])
        if "podIP" in status and status.get("phase") not in ("Succeeded", "Failed") and not waits and target:
            found.append((status["podIP"], target))
    return found


def addressed(service: Manifest, port: Manifest, slices: Sequence[Manifest]) -> list[Backend]:
    """Addresses and ports behind a port of a Service without a selector: those that others have written down."""
    own = service["metadata"]
    wanted = (own["namespace"], own["name"])
    return [
        (address, each["port"])
        for found in slices
        if (found["metadata"]["namespace"], found["metadata"].get("labels", {}).get(SERVICE_NAME)) == wanted
        for each in found.get("ports") or ()
        if each.get("name", "") == port.get("name", "")
        for endpoint in found.get("endpoints") or ()
        if endpoint.get("conditions", {}).get("ready", True)
        for address in endpoint["addresses"]
    ]


def _selects(service: Manifest, pod: Manifest) -> bool:
    selector = service["spec"].get("selector") or {}
    alike = pod["metadata"]["namespace"] == service["metadata"]["namespace"]
    return alike and bool(selector) and selector.items() <= pod["metadata"].get("labels", {}).items()


def is_own(door: Door, service: Manifest, pod: Manifest, *, keeps: bool = False) -> bool:
    """Whether a Service leads to this pod, by the number of a port at which a program of the pod listens; or any does
    so by that number, where the pod keeps its ports for itself."""
    containers = pod["spec"]["containers"]
    numbers = {each["containerPort"] for one in containers for each in one.get("ports", ())}
    if keeps:
        numbers |= {number for one in containers for number in _probed(one)}
    return door.port in numbers and (keeps or _selects(service, pod))


def _probed(container: Manifest) -> Iterator[int]:
    """The numbers of ports at which a container is asked how it is."""
    for kind in ("startupProbe", "readinessProbe", "livenessProbe"):
        for asked in ("httpGet", "tcpSocket", "grpc"):
            port = container.get(kind, {}).get(asked, {}).get("port")
            if isinstance(port, int):
                yield port


def is_ready(pod: Manifest) -> bool:
    """Whether a pod says that it is ready."""
    conditions = pod.get("status", {}).get("conditions", ())
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)


def _number(pod: Manifest, target: int | str) -> int | None:
    """The number of a port, which may be the name of a container's."""
    if isinstance(target, int):
        return target
    ports = (each for container in pod["spec"]["containers"] for each in container.get("ports", ()))
    return next((int(each["containerPort"]) for each in ports if each.get("name") == target), None)


class Proxy:
    """The Services of one network namespace, by the path of the namespace."""

    def __init__(self, namespace: str, find: Backends) -> None:
        self._namespace, self._find = namespace, find
        self._open: dict[Door, socket.socket | None] = {}
        self._closed = False
        self._lock = threading.Lock()

    def show(self, wanted: Sequence[Door]) -> None:
        """Have exactly these answer there."""
        with self._lock:
            if self._closed:
                return
            self._shut(self._open.keys() - {*wanted})
            fresh = [door for door in wanted if door not in self._open]
            made = listeners(self._namespace, fresh) if fresh else []
            self._open |= zip(fresh, made, strict=True)
        for door, server in zip(fresh, made, strict=True):
            if server is not None:
                threading.Thread(target=self._serve, args=(door, server), daemon=True).start()

    def close(self) -> None:
        """Have none answer, whatever is shown later."""
        with self._lock:
            self._closed = True
            self._shut(set(self._open))

    def _shut(self, gone: set[Door]) -> None:
        for door in gone:
            if (server := self._open.pop(door)) is not None:
                # What waits for a client is woken by this alone.
                with suppress(OSError):
                    server.shutdown(socket.SHUT_RDWR)
                server.close()

    def _serve(self, door: Door, server: socket.socket) -> None:
        # A socket that another thread closes ends the wait with an error.
        with suppress(OSError):
            while True:
                client, _ = server.accept()
                threading.Thread(target=self._carry, args=(client, door), daemon=True).start()

    def _carry(self, client: socket.socket, door: Door) -> None:
        with client:
            try:
                found = self._find(door)
                if not found:
                    return
                with socket.create_connection(random.choice(found)) as backend:
                    back = threading.Thread(target=_copy, args=(backend, client), daemon=True)
                    back.start()
                    _copy(client, backend)
                    back.join()
            except OSError:
                return  # as if the backend had hung up
            except Exception:
                traceback.print_exc()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while chunk := source.recv(1 << 16):
            target.sendall(chunk)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


class Services:
    """The Services of a cluster, in all network namespaces of its pods."""

    def __init__(self, api: Api, *, api_server: int, runs: Callable[[Manifest], bool] = lambda _: True) -> None:
        """`api_server` is its port on loopback: no pod is behind its Service. `runs`: whether a pod is one of those here;
        Services of others have no doors."""
        self._api, self._api_server, self._runs = api, ("127.0.0.1", api_server), runs
        self._proxies: dict[str, Proxy] = {}
        self._pods: dict[str, tuple[Manifest, bool]] = {}

    def join(self, namespace: str, pod: Manifest | None = None, *, keeps: bool = False) -> None:
        """Have them answer in a namespace too, when this returns; where it is a pod's own, all but those that would keep
        a port from the programs that they lead to."""
        if pod is not None:
            self._pods[namespace] = (pod, keeps)
        proxy = self._proxies.setdefault(namespace, Proxy(namespace, self._backends))
        proxy.show(self._shown(namespace, self._doors()))

    def leave(self, namespace: str) -> None:
        """Have none answer there."""
        self._proxies.pop(namespace).close()
        self._pods.pop(namespace, None)

    def look(self) -> None:
        """See which there are now."""
        wanted = self._doors()
        for namespace, proxy in [*self._proxies.items()]:
            proxy.show(self._shown(namespace, wanted))

    def _shown(self, namespace: str, wanted: Sequence[tuple[Door, Manifest]]) -> list[Door]:
        """Those that are to answer in a namespace."""
        if namespace not in self._pods:
            return [door for door, _ in wanted]
        pod, keeps = self._pods[namespace]
        return [door for door, service in wanted if not is_own(door, service, pod, keeps=keeps)]

    def _doors(self) -> list[tuple[Door, Manifest]]:
        """Those that lead somewhere: any other would keep its port, at whatever address, from a pod's own programs."""
        every, pods = list(doors(self._list("services"))), [*filter(self._runs, self._list("pods"))]
        leads = [service["metadata"]["uid"] for _, service, _ in every if any(_selects(service, each) for each in pods)]
        slices = self._slices([service for _, service, _ in every])
        return [
            (door, service)
            for door, service, port in every
            if door.address == KUBERNETES
            or service["metadata"]["uid"] in leads
            or (not service["spec"].get("selector") and addressed(service, port, slices))
        ]

    def _slices(self, services: Sequence[Manifest]) -> list[Manifest]:
        """Addresses that are written down, where some of the Services are without a selector."""
        without = [each for each in services if not each["spec"].get("selector")]
        asked = any(each["spec"].get("clusterIP") != KUBERNETES for each in without)
        return self._items(SLICES) if asked else []

    def _backends(self, door: Door) -> Sequence[Backend]:
        if door.address == KUBERNETES:
            return [self._api_server]
        pods = self._list("pods")
        found = [(service, port) for one, service, port in doors(self._list("services")) if one == door]
        slices = self._slices([service for service, _ in found])
        return [
            each
            for service, port in found
            for each in (
                backends(service, port, pods) if service["spec"].get("selector") else addressed(service, port, slices)
            )
        ]

    def _list(self, plural: str) -> list[Manifest]:
        return self._items(f"/api/v1/{plural}")

    def _items(self, path: str) -> list[Manifest]:
        reply = self._api.get(path)
        if reply.status != 200:
            raise UnreachableError(f"GET {path}: {reply.status} {reply.message}")
        return list(reply.body["items"])


def listeners(namespace: str, wanted: Sequence[Door]) -> list[socket.socket | None]:
    """Sockets that listen in another network namespace; None where something else does so already."""
    return _within(namespace, lambda: [*map(_listen, wanted)])


def connection(namespace: str, port: int) -> socket.socket:
    """A connection to a port of another network namespace; OSError where nothing listens there."""
    return _within(namespace, lambda: socket.create_connection(("127.0.0.1", port)))


def _within(namespace: str, make: Callable[[], T]) -> T:
    """Have sockets made in another network namespace. A thread of its own goes there, and ends: a socket stays where it was
    made."""
    made: list[T] = []
    failure: list[BaseException] = []

    def work() -> None:
        try:
            _enter(namespace)
            made.append(make())
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return made[0]


def _enter(namespace: str) -> None:
    if namespace == OWN:
        return
    handle = os.open(namespace, os.O_RDONLY)
    try:
        if ctypes.CDLL(None, use_errno=True).setns(handle, _NEW_NETWORK) != 0:
            raise OSError(ctypes.get_errno(), f"cannot enter {namespace}")
    finally:
        os.close(handle)


def _listen(door: Door) -> socket.socket | None:
    server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        server.bind(door)
    except OSError:
        server.close()
        return None
    server.listen(_BACKLOG)
    return server
