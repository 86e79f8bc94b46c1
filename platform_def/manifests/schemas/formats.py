"""The formats of strings that the API server checks in custom resources, each as it understands them.

Its names, dashes left out, and its leniency (a duration may read `3 days`); `isbn` and `creditcard` are left to it.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping
from datetime import date
from functools import cache

from platform_def.manifests.names import GRAMMARS

Format = Callable[[str], bool]

_HEX = "[0-9a-fA-F]"
_WORD = r"[a-zA-Z0-9](?:[-a-zA-Z0-9]*[a-zA-Z0-9])?"
_GO_DURATION = r"[-+]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)"
_DURATION_WORD = r"\d+\s*([A-Za-zµ]+)"
_UNITS = ("ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk")
_UNIT_PREFIXES = ("nano", "micro", "milli", "sec", "min", "hour", "day", "week")
_TIME = r"(\d{2}):(\d{2}):(\d{2})(.\d+)?(?:z|[+-]\d{2}:\d{2})"
_OCTETS = (6, 8, 20)
_MAC = rf"{_HEX}{{2}}(?::{_HEX}{{2}})+|{_HEX}{{2}}(?:-{_HEX}{{2}})+|{_HEX}{{4}}(?:\.{_HEX}{{4}})+"
_HOST_CHARACTER = r"a-zA-Z0-9$+<=>^`|~\u0080-\U0010ffff"
_HOST = (
    rf"[{_HOST_CHARACTER}]-?[{_HOST_CHARACTER}]{{0,62}}"
    rf"|(?:[{_HOST_CHARACTER}](?:[-{_HOST_CHARACTER}]{{0,61}}[{_HOST_CHARACTER}])?\.)+[a-zA-Z\u0080-\U0010ffff]{{2,63}}"
)


def _matches(pattern: str) -> Format:
    # Compiled at first use, and kept by `re`: most runs check none of these.
    return lambda text: re.fullmatch(pattern, text, re.ASCII) is not None


def _uuid(version: str, variant: str) -> Format:
    return _matches(rf"{_HEX}{{8}}-?{_HEX}{{4}}-?{version}{_HEX}{{3}}-?{variant}{_HEX}{{3}}-?{_HEX}{{12}}")


def is_date(text: str) -> bool:
    """`2006-01-02`."""
    try:
        return len(text) == len("2006-01-02") and bool(date.fromisoformat(text))
    except ValueError:
        return False


def is_date_time(text: str) -> bool:
    """RFC 3339, in either case of `T` and `Z`."""
    day, separator, time = text.lower().partition("t")
    found = re.fullmatch(_TIME, time)
    return bool(separator and is_date(day) and found and found[1] <= "23" and found[2] <= "59" and found[3] <= "59")


def is_duration(text: str) -> bool:
    """A Go duration (`1h30m`), or numbers with unit words (`3 days`)."""
    if re.fullmatch(_GO_DURATION, text):
        return True
    words = [word.lower() for word in re.findall(_DURATION_WORD, text)]
    return any(word in _UNITS or word.startswith(_UNIT_PREFIXES) for word in words)


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return (
            None if "%" in text else ipaddress.ip_address(re.sub(r"\b0+(?=\d)", "", text) if ":" not in text else text)
        )
    except ValueError:
        return None


def _is_cidr(text: str) -> bool:
    address, slash, length = text.partition("/")
    parsed = _address(address)
    return bool(slash and parsed and length.isdecimal() and int(length) <= parsed.max_prefixlen)


def _is_host_name(text: str) -> bool:
    """One label with a dash behind its first letter at most, or several of which the last has two letters or more."""
    return len(text) <= 255 and re.fullmatch(_HOST, text) is not None


def _is_mac(text: str) -> bool:
    found = re.fullmatch(_MAC, text)
    return found is not None and len(re.sub("[:.-]", "", text)) // 2 in _OCTETS


FORMATS: Mapping[str, Format] = {
    "uri": _matches(r"(?:/|[a-zA-Z][a-zA-Z0-9+.-]*:)[^\x00-\x20\x7f]*"),
    "email": _matches(r"[^@]+@[^@\s]+|.*<[^@]+@[^@\s]+>"),
    "hostname": _is_host_name,
    "ipv4": lambda text: "." in text and _address(text) is not None,
    "ipv6": lambda text: ":" in text and _address(text) is not None,
    "cidr": _is_cidr,
    "mac": _is_mac,
    "uuid": _uuid(_HEX, _HEX),
    "uuid3": _uuid("3", _HEX),
    "uuid4": _uuid("4", "[89abAB]"),
    "uuid5": _uuid("5", "[89abAB]"),
    "ssn": _matches(r"\d{3}[- ]?\d{2}[- ]?\d{4}"),
    "hexcolor": _matches(rf"#?(?:{_HEX}{{3}}|{_HEX}{{6}})"),
    "rgbcolor": _matches(r"rgb\(\s*\d{1,3}\s*,\s*\d{1,3}\s*,\s*\d{1,3}\s*\)"),
    "byte": _matches(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})"),
    "date": is_date,
    "datetime": is_date_time,
    "duration": is_duration,
}
"""By name without dashes."""

SINCE_1_34: Mapping[str, Format] = {
    "k8sshortname": lambda text: len(text) <= 63 and re.fullmatch(_WORD, text) is not None and text == text.lower(),
    "k8slongname": lambda text: (
        len(text) <= 253 and re.fullmatch(rf"{_WORD}(?:\.{_WORD})*", text) is not None and text == text.lower()
    ),
}


def _is_core_bytes(text: str) -> bool:
    plain = re.sub("[\r\n]", "", text)
    return not plain or FORMATS["byte"](plain)


CORE_BYTES = "corebytes"
"""Base64 in a core type, where empty text and line breaks are as good."""
QUANTITY = "quantity"
"""An amount, `500m` or `4Gi`; a format because patterns are compiled again wherever they occur."""
_is_quantity = _matches(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?")


AMOUNT = "amount"
"""A quantity that is not negative."""


def problem(name: str, text: str) -> str | None:
    """Why a text does not have a format, in words; None for a format that has none but its name."""
    grammar = GRAMMARS.get(name.removeprefix("server:").removesuffix("?"))
    return grammar(text) if grammar else None


def _keeps(grammar: Callable[[str], str]) -> Format:
    return lambda text: not grammar(text)


def _keeps_or_is_empty(grammar: Callable[[str], str]) -> Format:
    return lambda text: not text or not grammar(text)


@cache
def checked_formats() -> dict[str, Format]:
    """Every check under the name that converted schemas use, which no JSON schema knows by itself."""
    found: dict[str, Format] = {**FORMATS, **SINCE_1_34, CORE_BYTES: _is_core_bytes, QUANTITY: _is_quantity}
    found[AMOUNT] = lambda text: not (text.startswith("-") and re.search("[1-9]", text))
    found |= {name: _keeps(grammar) for name, grammar in GRAMMARS.items()}
    found |= {f"{name}?": _keeps_or_is_empty(grammar) for name, grammar in GRAMMARS.items()}
    return {f"server:{name}": check for name, check in found.items()}


def converted(name: str, minor: int) -> str | None:
    """The name in converted schemas of a format that Kubernetes 1.`minor` checks; None for others."""
    plain = name.replace("-", "")
    known = plain in FORMATS or (minor >= 34 and plain in SINCE_1_34)
    return f"server:{plain}" if known else None
