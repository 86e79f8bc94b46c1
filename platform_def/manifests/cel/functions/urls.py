"""URLs as Go's net/url reads them: absolute ones, and paths from the root."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import parse_qs, quote

from platform_def.manifests.cel.functions.function import URL, Function

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*")
_BAD_ESCAPE = re.compile(r"%(?![0-9a-fA-F]{2})")
_USER = re.compile(r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*")
_HOST = re.compile(r"[^\x00-\x20\x7f\"#/?@\\^`{|}%]*")
_PORT = re.compile(r"(?::[0-9]*)?")
_KEPT = "$&+,/:;=@!'()*~-._"
"""Left as they are where a path is escaped."""


class Parts(NamedTuple):
    """What the server's functions tell of a URL."""

    scheme: str
    host: str
    path: str
    query: str


def parsed(text: str) -> Parts:
    """The parts of a URL; ValueError for one that Go's ParseRequestURI refuses."""
    if not text or _CONTROL.search(text):
        raise ValueError("it is empty or has control characters")
    rest, _, _fragment = text.partition("#")
    scheme, rest = _without_scheme(rest)
    rest, _, query = rest.partition("?")
    if not rest.startswith("/"):
        if not scheme and text != "*":
            raise ValueError("invalid URI for request")
        return Parts(scheme, "", "", query)
    host = ""
    if rest.startswith("//") and (scheme or not rest.startswith("///")):
        authority, slash, path = rest[2:].partition("/")
        host, rest = _host(authority), slash + path
    if _BAD_ESCAPE.search(rest):
        raise ValueError("invalid URL escape")
    return Parts(scheme, host, rest, query)


def _without_scheme(text: str) -> tuple[str, str]:
    head, colon, rest = text.partition(":")
    if not colon or not _SCHEME.fullmatch(head):
        if colon and not head:
            raise ValueError("missing protocol scheme")
        if colon and "/" not in head and "?" not in head:
            raise ValueError("first path segment in URL cannot contain colon")
        return "", text
    return head.lower(), rest


def _host(authority: str) -> str:
    user, at, host = authority.rpartition("@")
    if at and not _USER.fullmatch(user):
        raise ValueError("invalid userinfo")
    _, bracket, port = host.rpartition("]")
    if host.startswith("["):
        if not bracket or not _PORT.fullmatch(port):
            raise ValueError("missing ']' in host, or a bad port")
        return host
    _, colon, port = host.rpartition(":")
    if colon and not port.isdecimal() and port:
        raise ValueError(f"invalid port {port}")
    if not _HOST.fullmatch(re.sub("%[89a-fA-F][0-9a-fA-F]", "", host)):
        raise ValueError("invalid character in host name")
    return host


def _checked(text: str) -> str:
    parsed(text)
    return text


def _is_url(text: str) -> bool:
    try:
        parsed(text)
    except ValueError:
        return False
    return True


def _hostname(text: str) -> str:
    host = parsed(text).host
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.rpartition(":")[0] if re.search(":[0-9]*$", host) else host


def _port(text: str) -> str:
    return (
        parsed(text).host.rpartition("]")[2].rpartition(":")[2] if ":" in parsed(text).host.rpartition("]")[2] else ""
    )


def _escaped(text: str) -> str:
    path = parsed(text).path
    return quote(path, safe=_KEPT + "%[]")


def _query(text: str) -> dict[str, list[str]]:
    return parse_qs(parsed(text).query, keep_blank_values=True)


URLS: tuple[Function, ...] = (
    Function("url", ("string",), URL, _checked, 24, method=False),
    Function("isURL", ("string",), "bool", _is_url, 24, method=False),
    Function("getScheme", (URL,), "string", lambda text: parsed(text).scheme, 24),
    Function("getHost", (URL,), "string", lambda text: parsed(text).host, 24),
    Function("getHostname", (URL,), "string", _hostname, 24),
    Function("getPort", (URL,), "string", _port, 24),
    Function("getEscapedPath", (URL,), "string", _escaped, 24),
    Function("getQuery", (URL,), "map(string,list(string))", _query, 24),
)
