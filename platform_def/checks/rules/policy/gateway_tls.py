"""No gateway serves a host in the clear alone: who logs in there sends what they know over the network as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from platform_def.checks.fault import Fault
from platform_def.checks.rule import ObjectRule, reads_nothing
from platform_def.manifests.loose import items, mapping, text
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import Manifest

_PLAIN = "HTTP"
_OF_MANY = (
    "a certificate of the gateway is for its own host: name one for the wildcard by `tls:` of the component that opens "
    "these hosts, such as `kserve: {tls: {issuer: …}}` or `{tls: {secret: …}}`"
)


def _check(manifest: Manifest, _: None) -> Iterator[Fault]:
    group = text(manifest.get("apiVersion")).partition("/")[0]
    of_kind = _KINDS.get((group, text(manifest.get("kind"))))
    for path, host in of_kind(mapping(manifest.get("spec"))) if of_kind else ():
        yield Fault(
            dotted(("spec", *path)), f"{host} is served over HTTP alone", _OF_MANY if host.startswith("*.") else None
        )


Found = Iterator[tuple[tuple[str | int, ...], str]]


def _emissary(spec: Mapping[str, Any]) -> Found:
    host, insecure = text(spec.get("hostname")), mapping(mapping(spec.get("requestPolicy")).get("insecure"))
    secured = spec.get("tlsSecret") or spec.get("tls") or insecure.get("action") in ("Redirect", "Reject")
    if _is_name(host) and not secured:
        yield ("hostname",), host


def _gateway_api(spec: Mapping[str, Any]) -> Found:
    listeners = [mapping(each) for each in items(spec.get("listeners"))]
    secured = {text(each.get("hostname")) for each in listeners if each.get("protocol") in ("HTTPS", "TLS")}
    for index, each in enumerate(listeners):
        host = text(each.get("hostname"))
        if each.get("protocol") == _PLAIN and _is_name(host) and not {host, ""} & secured:
            yield ("listeners", index, "hostname"), host


def _istio(spec: Mapping[str, Any]) -> Found:
    servers = [mapping(each) for each in items(spec.get("servers"))]
    named = [[text(host).rpartition("/")[2] for host in items(each.get("hosts"))] for each in servers]
    plain = [mapping(each.get("port")).get("protocol") == _PLAIN for each in servers]
    secured = {host for hosts, open_ in zip(named, plain, strict=True) if not open_ for host in hosts}
    for index, (each, hosts) in enumerate(zip(servers, named, strict=True)):
        sent_on = mapping(each.get("tls")).get("httpsRedirect") is True
        for place, host in enumerate(hosts):
            if plain[index] and not sent_on and _is_name(host) and not {host, "*"} & secured:
                yield ("servers", index, "hosts", place), host


def _is_name(host: str) -> bool:
    """A specific name; a wildcard is a default that may not have been chosen on purpose."""
    return host not in ("", "*", "localhost") and not host.endswith((".local", ".internal", ".localhost"))


_KINDS: Mapping[tuple[str, str], Callable[[Mapping[str, Any]], Found]] = {
    ("getambassador.io", "Host"): _emissary,
    ("gateway.networking.k8s.io", "Gateway"): _gateway_api,
    ("networking.istio.io", "Gateway"): _istio,
}

GATEWAY_TLS = ObjectRule(
    id="gateway-tls",
    severity="warning",
    title="A gateway with a host serves it over TLS",
    why="Passwords, cookies and data cross the network as they are: anyone in between can read and change them.",
    fix="say where the certificate comes from: `ingress: {tls: {issuer: …}}` or `{tls: {secret: …}}`",
    reads=reads_nothing,
    check=_check,
    kinds=frozenset(kind for _, kind in _KINDS),
)
