"""Probes: what the kubelet asks a container; what is not said is left to Kubernetes' own defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from platform_def.apis.core.core_v1 import Probe


def http_probe(
    path: str,
    port: int | str,
    *,
    scheme: Literal["", "HTTP", "HTTPS"] = "",
    delay: int = 0,
    period: int = 0,
    timeout: int = 0,
    failures: int = 0,
) -> Probe:
    """A GET of `path`; `port` is a number or the name of a port of the container. Times are in seconds."""
    probe: Probe = {"httpGet": {"path": path, "port": port}}
    if scheme:
        probe["httpGet"]["scheme"] = scheme
    return _timed(probe, delay=delay, period=period, timeout=timeout, failures=failures)


def tcp_probe(port: int | str, *, delay: int = 0, period: int = 0, timeout: int = 0, failures: int = 0) -> Probe:
    """A connection to the port."""
    return _timed({"tcpSocket": {"port": port}}, delay=delay, period=period, timeout=timeout, failures=failures)


def grpc_probe(
    port: int, *, service: str = "", delay: int = 0, period: int = 0, timeout: int = 0, failures: int = 0
) -> Probe:
    """A call of gRPC's health service."""
    probe: Probe = {"grpc": {"port": port}}
    if service:
        probe["grpc"]["service"] = service
    return _timed(probe, delay=delay, period=period, timeout=timeout, failures=failures)


def exec_probe(*command: str, delay: int = 0, period: int = 0, timeout: int = 0, failures: int = 0) -> Probe:
    """A command in the container."""
    return _timed({"exec": {"command": [*command]}}, delay=delay, period=period, timeout=timeout, failures=failures)


def _timed(probe: Probe, *, delay: int, period: int, timeout: int, failures: int) -> Probe:
    if delay:
        probe["initialDelaySeconds"] = delay
    if period:
        probe["periodSeconds"] = period
    if timeout:
        probe["timeoutSeconds"] = timeout
    if failures:
        probe["failureThreshold"] = failures
    return probe


@dataclass(frozen=True)
class Health:
    """Where a controller says that it lives and that it is ready, as those made with kubebuilder do."""

    port: int | str = 8081
    live: str = "/healthz"
    """Empty: it does not say so."""
    ready: str = "/readyz"

    def probes(self) -> dict[str, Probe]:
        """The two probes of the container by its fields, with kubebuilder's times."""
        made: dict[str, Probe] = {}
        if self.live:
            made["livenessProbe"] = http_probe(self.live, self.port, delay=15, period=20)
        if self.ready:
            made["readinessProbe"] = http_probe(self.ready, self.port, delay=5, period=10)
        return made
