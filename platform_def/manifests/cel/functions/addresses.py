"""IP addresses and networks as Go's net/netip reads them."""

from __future__ import annotations

import ipaddress
import re
from typing import TypeAlias

from platform_def.manifests.cel.functions.function import CIDR, IP, Function

_SINCE = 30
Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Interface: TypeAlias = ipaddress.IPv4Interface | ipaddress.IPv6Interface


def _address(text: str) -> Address:
    if "%" in text:
        raise ValueError(f'IP address "{text}" with zone value is not allowed')
    found = ipaddress.ip_address(text)
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped:
        raise ValueError(f'IPv4-mapped IPv6 address "{text}" is not allowed')
    return found


def _interface(text: str) -> Interface:
    address, slash, length = text.partition("/")
    if not slash or not re.fullmatch("0|[1-9][0-9]*", length):
        raise ValueError(f'"{text}" has no prefix length')
    _address(address)
    return ipaddress.ip_interface(text)


def _ip(text: str) -> str:
    return str(_address(text))


def _is_ip(text: str) -> bool:
    try:
        _address(text)
    except ValueError:
        return False
    return True


def _is_canonical(text: str) -> bool:
    return str(_address(text)) == text


def _is_link_local_multicast(text: str) -> bool:
    address = _address(text)
    if isinstance(address, ipaddress.IPv4Address):
        return address in ipaddress.IPv4Network("224.0.0.0/24")
    return address.packed[0] == 0xFF and address.packed[1] & 0x0F == 0x02


def _is_global_unicast(text: str) -> bool:
    address = _address(text)
    broadcast = address == ipaddress.IPv4Address("255.255.255.255")
    return not (
        address.is_unspecified or address.is_loopback or address.is_multicast or address.is_link_local or broadcast
    )


def _cidr(text: str) -> str:
    return _interface(text).with_prefixlen


def _is_cidr(text: str) -> bool:
    try:
        _interface(text)
    except ValueError:
        return False
    return True


def _contains_ip(network: str, text: str) -> bool:
    return _address(text) in _interface(network).network


def _contains_cidr(network: str, text: str) -> bool:
    outer, inner = _interface(network).network, _interface(text).network
    if isinstance(outer, ipaddress.IPv4Network) and isinstance(inner, ipaddress.IPv4Network):
        return inner.subnet_of(outer)
    if isinstance(outer, ipaddress.IPv6Network) and isinstance(inner, ipaddress.IPv6Network):
        return inner.subnet_of(outer)
    return False


ADDRESSES: tuple[Function, ...] = (
    Function("ip", ("string",), IP, _ip, _SINCE, method=False),
    Function("isIP", ("string",), "bool", _is_ip, _SINCE, method=False),
    Function("ip.isCanonical", ("string",), "bool", _is_canonical, _SINCE, method=False),
    Function("family", (IP,), "int", lambda text: _address(text).version, _SINCE),
    Function("isUnspecified", (IP,), "bool", lambda text: _address(text).is_unspecified, _SINCE),
    Function("isLoopback", (IP,), "bool", lambda text: _address(text).is_loopback, _SINCE),
    Function("isLinkLocalMulticast", (IP,), "bool", _is_link_local_multicast, _SINCE),
    Function("isLinkLocalUnicast", (IP,), "bool", lambda text: _address(text).is_link_local, _SINCE),
    Function("isGlobalUnicast", (IP,), "bool", _is_global_unicast, _SINCE),
    Function("string", (IP,), "string", lambda text: text, _SINCE, method=False),
    Function("cidr", ("string",), CIDR, _cidr, _SINCE, method=False),
    Function("isCIDR", ("string",), "bool", _is_cidr, _SINCE, method=False),
    Function("containsIP", (CIDR, "string"), "bool", _contains_ip, _SINCE),
    Function("containsIP", (CIDR, IP), "bool", _contains_ip, _SINCE),
    Function("containsCIDR", (CIDR, "string"), "bool", _contains_cidr, _SINCE),
    Function("containsCIDR", (CIDR, CIDR), "bool", _contains_cidr, _SINCE),
    Function("ip", (CIDR,), IP, lambda text: str(_interface(text).ip), _SINCE),
    Function("prefixLength", (CIDR,), "int", lambda text: _interface(text).network.prefixlen, _SINCE),
    Function("masked", (CIDR,), CIDR, lambda text: _interface(text).network.with_prefixlen, _SINCE),
    Function("string", (CIDR,), "string", lambda text: text, _SINCE, method=False),
)
