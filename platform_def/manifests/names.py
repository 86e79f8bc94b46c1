"""The API server's grammars of names, keys, paths and addresses: each function says why a text is none, or nothing."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from urllib.parse import urlsplit


def words(text: str) -> tuple[str, ...]:
    """The words of a text, for tables."""
    return tuple(text.split())


_LABEL = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*")
_WORD = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?")

_PORT_NAME = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?")
_CONFIG_KEY = re.compile(r"[-._a-zA-Z0-9]+")
_SYSCTL = re.compile(r"(?:[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?")
_ANY = re.compile(".*")
_RESOURCES = frozenset({"cpu", "memory", "ephemeral-storage", "storage"})
_QUOTAS = frozenset(
    words(
        "cpu memory ephemeral-storage requests.cpu requests.memory requests.storage requests.ephemeral- "
        "storage limits.cpu limits.memory limits.ephemeral-storage pods resourcequotas services "
        "replicationcontrollers secrets persistentvolumeclaims configmaps services.nodeports "
        "services.loadbalancers"
    )
)
_CEL_WORDS = frozenset(
    words(
        "true false null in as break const continue else for function if import let loop package namespace "
        "return var void while"
    )
)
_MONTHS = {name: number for number, name in enumerate(words("jan feb mar apr may jun jul aug sep oct nov dec"), 1)}
_DAYS = {name: number for number, name in enumerate(words("sun mon tue wed thu fri sat"))}
_CRON: tuple[tuple[str, int, int, Mapping[str, int]], ...] = (
    ("minute", 0, 59, {}),
    ("hour", 0, 23, {}),
    ("day of the month", 1, 31, {}),
    ("month", 1, 12, _MONTHS),
    ("weekday", 0, 6, _DAYS),
)
_REMEMBERED = 4096
"""As many texts keep their answer: objects have the same labels and namespaces again and again."""
_CRON_WORDS = frozenset({"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"})


@lru_cache(_REMEMBERED)
def label_problem(name: str) -> str:
    """Why a name is no DNS-1123 label; empty when it is one."""
    return _problem(name, _LABEL, 63, "lower-case letters, digits and dashes, with a letter or digit at both ends")


def service_problem(name: str) -> str:
    """Why a name is no DNS-1035 label, which begins with a letter."""
    return label_problem(name) or ("" if name[0].isalpha() else f"'{name}' must begin with a letter")


def subdomain_problem(name: str) -> str:
    """Why a name is no DNS-1123 subdomain."""
    allowed = "lower-case letters, digits, dashes and dots, with a letter or digit at both ends of each part"
    return _problem(name, _SUBDOMAIN, 253, allowed)


def segment_problem(name: str) -> str:
    """Why a name cannot be part of a URL's path, all that RBAC objects ask for."""
    if name in (".", ".."):
        return f"'{name}' may not be a name"
    return f"'{name}' may not contain / or %" if set(name) & set("/%") else ""


@lru_cache(_REMEMBERED)
def label_key_problem(key: str) -> str:
    """Why a text cannot be the key of a label or annotation."""
    prefix, slash, name = key.rpartition("/")
    if slash and (problem := subdomain_problem(prefix)):
        return f"prefix of the key: {problem}"
    return _problem(
        name, _WORD, 63, "letters, digits, dashes, underscores and dots, with a letter or digit at both ends"
    )


@lru_cache(_REMEMBERED)
def label_value_problem(value: str) -> str:
    """Why a text cannot be the value of a label."""
    if not value:
        return ""
    return _problem(
        value, _WORD, 63, "letters, digits, dashes, underscores and dots, with a letter or digit at both ends"
    )


def domain_name_problem(name: str) -> str:
    """Why a text is no `example.com/something`."""
    domain, slash, rest = name.partition("/")
    if not slash or not rest:
        return f"'{name}' must be a domain, a slash and a name, as example.com/ready"
    return subdomain_problem(domain)


def port_name_problem(name: str) -> str:
    """Why a text cannot name a port."""
    if len(name) > 15:
        return f"'{name[:60]}' is longer than the 15 characters of a port's name"
    if not _PORT_NAME.fullmatch(name) or not re.search("[a-z]", name) or "--" in name:
        return f"'{name}' may have only lower-case letters, digits and single dashes, and needs a letter"
    return ""


def config_key_problem(key: str) -> str:
    """Why a text cannot be a key of a ConfigMap or Secret."""
    if key in (".", "..") or key.startswith(".."):
        return f"'{key}' may not begin with '..', nor be '.'"
    return _problem(key, _CONFIG_KEY, 253, "letters, digits, dashes, underscores and dots")


def variable_problem(name: str) -> str:
    """Why a text cannot name an environment variable."""
    return (
        ""
        if name and all(" " <= letter <= "~" for letter in name) and "=" not in name
        else f"'{name}' may have only printable ASCII other than ="
    )


def relative_path_problem(path: str) -> str:
    """Why a text is no path below a folder."""
    if path.startswith("/"):
        return f"'{path}' must be a relative path"
    return no_way_up_problem(path)


def local_path_problem(path: str) -> str:
    """Why a text is no path of a file in a volume."""
    if path.startswith("..") and not path.startswith("../"):
        return f"'{path}' may not begin with '..'"
    return relative_path_problem(path)


def no_way_up_problem(path: str) -> str:
    """Why a path leads upwards."""
    return f"'{path}' may not contain '..'" if ".." in path.split("/") else ""


def absolute_path_problem(path: str) -> str:
    """Why a text is no absolute path."""
    return "" if path.startswith("/") else f"'{path}' must begin with /"


def address_problem(address: str) -> str:
    """Why a text is no IP address."""
    try:
        ipaddress.ip_address("" if "%" in address else address)
    except ValueError:
        return f"'{address[:60]}' is no IP address"
    return ""


def network_problem(network: str) -> str:
    """Why a text is no network in CIDR notation."""
    address, slash, length = network.partition("/")
    try:
        fits = slash and length.isdecimal() and int(length) <= ipaddress.ip_address(address).max_prefixlen
    except ValueError:
        fits = False
    return "" if fits else f"'{network[:60]}' is no network, as 10.0.0.0/8"


def wildcard_problem(name: str) -> str:
    """Why a text is no host name, nor one with `*` as its first part."""
    return subdomain_problem(name[2:]) if name.startswith("*.") else subdomain_problem(name)


def percent_problem(value: str) -> str:
    """Why a text is no whole percentage."""
    return "" if re.fullmatch("[0-9]+%", value) else f"'{value[:60]}' is neither a whole number nor a percentage"


def header_problem(name: str) -> str:
    """Why a text cannot name an HTTP header."""
    return "" if re.fullmatch("[-A-Za-z0-9]+", name) else f"'{name[:60]}' may have only letters, digits and dashes"


def loose_subdomain_problem(name: str) -> str:
    """Why a text is no subdomain, underscores allowed, a dot at its end too."""
    return subdomain_problem(name.removesuffix(".").replace("_", "-").strip("-") or "-") if name != "." else ""


def driver_problem(name: str) -> str:
    """Why a text cannot name a CSI driver."""
    if len(name) > 63:
        return f"'{name[:60]}…' is longer than 63 characters"
    return subdomain_problem(name.lower())


def sysctl_problem(name: str) -> str:
    """Why a text cannot name a kernel parameter."""
    return _problem(name, _SYSCTL, 253, "lower-case letters, digits, dashes, underscores, dots and slashes")


def web_address_problem(url: str) -> str:
    """Why a text cannot be a webhook's address."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return f"'{url[:60]}' is no URL"
    if parts.scheme != "https" or not host:
        return f"'{url[:60]}' must begin with https:// and name a host"
    bare = not parts.username and not parts.query and not parts.fragment and not url.endswith(("?", "#"))
    return "" if bare else f"'{url[:60]}' may have neither user, query nor fragment"


def cron_problem(schedule: str) -> str:
    """Why a text is no cron schedule."""
    if schedule.startswith(("TZ=", "CRON_TZ=")):
        return "a time zone belongs in `timeZone`, not in the schedule"
    if schedule in _CRON_WORDS or re.fullmatch(r"@every \S+", schedule):
        return ""
    fields = schedule.split()
    if len(fields) != len(_CRON):
        return f"'{schedule[:60]}' has {len(fields)} fields, where minute, hour, day, month and weekday are expected"
    for field, (name, low, high, words) in zip(fields, _CRON, strict=True):
        if not all(_cron_part(part, low, high, words) for part in field.split(",") if part):
            return f"'{field[:40]}' is no {name} of a cron schedule ({low} to {high}, or *, lists, ranges and steps)"
    return ""


def resource_problem(name: str) -> str:
    """Why a text cannot name what a container asks for."""
    if problem := label_key_problem(name):
        return problem
    domain, slash, rest = name.rpartition("/")
    if not slash:
        known = name in _RESOURCES or name.startswith("hugepages-")
        return "" if known else f"'{name}' is none of cpu, memory, ephemeral-storage, and has no domain"
    if domain.startswith("requests.") or len(rest) > 63 - len("requests."):
        return f"'{name}' cannot be counted by a quota: shorten it, and begin it with a domain"
    return ""


def quota_problem(name: str) -> str:
    """Why a text cannot name what a quota counts."""
    if problem := label_key_problem(name):
        return problem
    known = "/" in name or name in _QUOTAS or name.startswith(("count/", "requests.hugepages-", "hugepages-"))
    return "" if known else f"'{name}' is nothing that a quota counts"


def limit_type_problem(name: str) -> str:
    """Why a text is no type of limit."""
    known = "/" in name or name in ("Pod", "Container", "PersistentVolumeClaim")
    return label_key_problem(name) or ("" if known else f"'{name}' is none of Pod, Container, PersistentVolumeClaim")


def finalizer_problem(name: str) -> str:
    """Why a text is no finalizer of a namespace."""
    known = "/" in name or name == "kubernetes"
    return label_key_problem(name) or ("" if known else f"'{name}' is not kubernetes, and has no domain")


def url_pattern_problem(pattern: str) -> str:
    """Why a text is no pattern of paths in the API server's address."""
    if pattern == "*":
        return ""
    if not pattern.startswith("/") or "//" in pattern or " " in pattern:
        return f"'{pattern[:60]}' must be * or begin with /"
    star = pattern.find("*")
    return (
        f"'{pattern[:60]}' may have * only at its end, behind a /" if star >= 0 and not pattern.endswith("/*") else ""
    )


def time_zone_problem(name: str) -> str:
    """Why a text is no time zone that a server in Go finds: one of the IANA database, in its spelling."""
    if name.lower() == "local" or not re.fullmatch(r"[A-Za-z0-9+_-]+(?:/[A-Za-z0-9+_-]+)*", name):
        return f"'{name[:60]}' is no time zone, as Europe/Berlin"
    return "" if name in _time_zones() else f"'{name[:60]}' is no time zone of the IANA database, as Europe/Berlin is"


@cache
def _time_zones() -> frozenset[str]:
    return frozenset(files("tzdata").joinpath("zones").read_text(encoding="ascii").split())


def padding_problem(text: str) -> str:
    """Why a text has space around it."""
    return "" if text == text.strip() else f"'{text[:60]}' has space around it"


def full_domain_problem(name: str) -> str:
    """Why a text is no domain of at least three parts."""
    if problem := subdomain_problem(name):
        return problem
    return "" if name.count(".") > 1 else f"'{name}' must have three parts at least, as check.example.com"


def hook_path_problem(path: str) -> str:
    """Why a text is no path of a webhook."""
    if path == "/":
        return ""
    if not path.startswith("/"):
        return f"'{path[:60]}' must begin with /"
    parts = path[1:].removesuffix("/").split("/")
    return next(
        (problem for part in parts if (problem := subdomain_problem(part) if part else "has an empty part")), ""
    )


def kind_problem(name: str) -> str:
    """Why a text is no kind."""
    return service_problem(name.lower())


def identifier_problem(name: str) -> str:
    """Why a text cannot name a variable of CEL."""
    fine = re.fullmatch("[_a-zA-Z][_a-zA-Z0-9]*", name) and name not in _CEL_WORDS
    return "" if fine else f"'{name[:60]}' may have only letters, digits and underscores, and be no word of CEL's own"


def attribute_problem(name: str) -> str:
    """Why a text is no attribute of a device."""
    domain, slash, rest = name.partition("/")
    if not slash:
        return f"'{name[:60]}' has no domain before it, as example.com/model"
    if len(rest) > 32 or not re.fullmatch("[_a-zA-Z][_a-zA-Z0-9]*", rest):
        return f"'{rest[:60]}' may have only 32 letters, digits and underscores"
    return subdomain_problem(domain)


def pool_problem(name: str) -> str:
    """Why a text cannot name a pool of devices."""
    return next((problem for part in name.split("/") if (problem := subdomain_problem(part))), "")


def provisioner_problem(name: str) -> str:
    """Why a text cannot name a provisioner."""
    return label_key_problem(name.lower())


def _cron_part(part: str, low: int, high: int, words: Mapping[str, int]) -> bool:
    span, slash, step = part.partition("/")
    if slash and (not step.isdecimal() or int(step) == 0):
        return False
    if span in ("*", "?"):
        return True
    begin, dash, end = span.partition("-")
    first = words.get(begin.lower(), int(begin) if begin.isdecimal() else -1)
    last = words.get(end.lower(), int(end) if end.isdecimal() else -1) if dash else first
    return low <= first <= last <= high


def _problem(text: str, grammar: re.Pattern[str], longest: int, allowed: str) -> str:
    if len(text) > longest:
        return f"'{text[:60]}…' is longer than {longest} characters"
    return "" if grammar.fullmatch(text) else f"'{text}' may have only {allowed}"


GRAMMARS: Mapping[str, Callable[[str], str]] = {
    "label": label_problem,
    "service": service_problem,
    "subdomain": subdomain_problem,
    "segment": segment_problem,
    "label-key": label_key_problem,
    "label-value": label_value_problem,
    "qualified": label_key_problem,
    "domain-name": domain_name_problem,
    "port-name": port_name_problem,
    "config-key": config_key_problem,
    "variable": variable_problem,
    "relative-path": relative_path_problem,
    "local-path": local_path_problem,
    "no-way-up": no_way_up_problem,
    "absolute-path": absolute_path_problem,
    "address": address_problem,
    "network": network_problem,
    "wildcard": wildcard_problem,
    "percent": percent_problem,
    "header": header_problem,
    "loose-subdomain": loose_subdomain_problem,
    "driver": driver_problem,
    "sysctl": sysctl_problem,
    "web-address": web_address_problem,
    "cron": cron_problem,
    "resource-name": resource_problem,
    "quota-name": quota_problem,
    "limit-type": limit_type_problem,
    "finalizer": finalizer_problem,
    "time-zone": time_zone_problem,
    "unpadded": padding_problem,
    "full-domain": full_domain_problem,
    "hook-path": hook_path_problem,
    "kind": kind_problem,
    "audit-key": label_key_problem,
    "account": lambda name: "" if name == "*" else subdomain_problem(name),
    "any-label": lambda name: "" if name == "*" else label_problem(name),
    "url-pattern": url_pattern_problem,
    "identifier": identifier_problem,
    "device-attribute": attribute_problem,
    "pool": pool_problem,
    "domain-or-name": provisioner_problem,
}
"""By the names under which schemas ask for them."""
