"""The cluster's name server, for Services, headless ones, and pods with a subdomain, as cluster DNS answers for them."""

from __future__ import annotations

import socket
import struct
import traceback
from collections.abc import Callable

from tests.cluster.client import Api, Manifest

DOMAIN = "cluster.local"
A, AAAA = 1, 28
_NO_SUCH_NAME = 3
TTL_SECONDS = 1


def serve(api: Api, address: str) -> None:
    """Answer queries by UDP for ever, from what the API server says then."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind((address, 53))
        while True:
            query, client = server.recvfrom(4096)
            # A query that cannot be answered is asked again; it must not take the server with it.
            try:
                server.sendto(answer(query, lambda name: lookup(api, name)), client)
            except Exception:
                traceback.print_exc()


def answer(query: bytes, find: Callable[[str], list[str] | None]) -> bytes:
    """The answer to a query with one question; a name that is not there, or that has no addresses, is told as such."""
    labels, at = [], 12
    while length := query[at]:
        labels.append(query[at + 1 : at + 1 + length].decode().lower())
        at += length + 1
    question = query[12 : at + 5]
    (kind,) = struct.unpack("!H", query[at + 1 : at + 3])
    found = find(".".join(labels))
    addresses = found if found and kind == A else []
    records = b"".join(
        struct.pack("!HHHIH", 0xC00C, A, 1, TTL_SECONDS, 4) + socket.inet_aton(each) for each in addresses
    )
    flags = 0x8580 | (_NO_SUCH_NAME if found is None else 0)
    return query[:2] + struct.pack("!HHHHH", flags, 1, len(addresses), 0, 0) + question + records


def lookup(api: Api, name: str) -> list[str] | None:
    """Addresses of `service.namespace.svc.cluster.local` or `pod.service.…`; None where there is no such name."""
    suffix = f".svc.{DOMAIN}"
    labels = name.removesuffix(suffix).split(".")
    # A resolver that goes through its search domains asks for `service.svc.cluster.local` too.
    if not name.endswith(suffix) or len(labels) not in (2, 3):
        return None
    *pod, service, namespace = labels
    root = f"/api/v1/namespaces/{namespace}"
    found = api.get(f"{root}/services/{service}")
    if found.status != 200:
        return None
    spec = found.body["spec"]
    if spec.get("clusterIP", "None") != "None" and not pod:
        return [spec["clusterIP"]]
    selector = ",".join(f"{key}={value}" for key, value in spec.get("selector", {}).items())
    pods = api.get(f"{root}/pods?labelSelector={selector}").body["items"]
    ready = [each for each in pods if _answers(each, always=bool(spec.get("publishNotReadyAddresses")))]
    if pod:
        ready = [each for each in ready if _called(each, pod[0], service)]
    return [each["status"]["podIP"] for each in ready] or (None if pod else [])


def _answers(pod: Manifest, *, always: bool) -> bool:
    status = pod.get("status", {})
    if "podIP" not in status or status.get("phase") in ("Succeeded", "Failed"):
        return False
    ready = any(each["type"] == "Ready" and each["status"] == "True" for each in status.get("conditions", ()))
    return always or ready


def _called(pod: Manifest, host: str, subdomain: str) -> bool:
    return bool(pod["spec"].get("hostname") == host and pod["spec"].get("subdomain") == subdomain)
