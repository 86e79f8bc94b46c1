"""Formats of names and texts by name (`format.dns1123Label()`), and what is wrong with a text by one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from platform_def.manifests.cel.functions.function import FORMAT, OPTIONAL, Function
from platform_def.manifests.cel.functions.urls import URLS
from platform_def.manifests.names import GRAMMARS
from platform_def.manifests.schemas.formats import FORMATS as TEXT_FORMATS

_SINCE = 31
_IS_URL = next(each.body for each in URLS if each.name == "isURL")


def _grammar(name: str) -> Callable[[str], list[str]]:
    return lambda text: [problem] if (problem := GRAMMARS[name](text)) else []


def _prefix(name: str) -> Callable[[str], list[str]]:
    """What begins a generated name may end with a dash."""
    return lambda text: _grammar(name)(f"{text[:-1]}a" if text.endswith("-") else text)


def _is(name: str) -> Callable[[str], list[str]]:
    return lambda text: [] if TEXT_FORMATS[name](text) else [f"is no {name}"]


_FORMATS: Mapping[str, Callable[[str], list[str]]] = {
    "dns1123Label": _grammar("label"),
    "dns1123Subdomain": _grammar("subdomain"),
    "dns1035Label": _grammar("service"),
    "qualifiedName": _grammar("qualified"),
    "dns1123LabelPrefix": _prefix("label"),
    "dns1123SubdomainPrefix": _prefix("subdomain"),
    "dns1035LabelPrefix": _prefix("service"),
    "labelValue": _grammar("label-value"),
    "uri": lambda text: [] if _IS_URL(text) else ["is no URI"],
    "uuid": _is("uuid"),
    "byte": _is("byte"),
    "date": _is("date"),
    "datetime": _is("datetime"),
}


def _constant(name: str) -> Callable[[], str]:
    return lambda: name


def _named(name: str) -> list[str]:
    return [name] if name in _FORMATS else []


def _validated(name: str, text: str) -> list[list[str]]:
    problems = _FORMATS[name](text)
    return [problems] if problems else []


FORMATS: tuple[Function, ...] = (
    *(Function(f"format.{name}", (), FORMAT, _constant(name), _SINCE, method=False) for name in _FORMATS),
    Function("format.named", ("string",), f"{OPTIONAL}{FORMAT}", _named, _SINCE, method=False),
    Function("validate", (FORMAT, "string"), f"{OPTIONAL}list(string)", _validated, _SINCE),
)
