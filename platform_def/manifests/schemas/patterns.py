"""Regular expressions in words: what the shapes are called that CRDs write as patterns, and how a text comes to fit."""

from __future__ import annotations

import re

_DNS = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_DNS}(\.{_DNS})*"
_BETWEEN = "lower-case letters, digits and '-', with a letter or digit at both ends"
_NAME = r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_UNITS = "(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?"
_NUMBER = r"(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
_SPAN = "a duration such as 30s, 5m or 1h30m"

_WORDS = {
    _DNS: f"a DNS label: {_BETWEEN}",
    _SUBDOMAIN: f"a DNS name: {_BETWEEN} of each part, parts with dots between",
    rf"(\*\.)?{_SUBDOMAIN}": "a DNS name, or *. and one",
    rf"$|^{_SUBDOMAIN}": "a DNS name, or empty",
    "[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?": "a name: letters, digits and '-', with a letter in front",
    "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?": "a reason in one word, such as PodInitializing",
    rf"({_SUBDOMAIN}/)?({_NAME})": "a key: letters, digits, '-', '_' and '.', in front perhaps a domain and '/'",
    rf"({_NAME})?": "a label value: letters, digits, '-', '_' and '.', with a letter or digit at both ends",
    r"[A-Za-z0-9!#$%&'*+\-.^_\x60|~]+": "the name of an HTTP header",
    rf"(\+|-)?{_NUMBER}(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?{_NUMBER}))?": "a quantity such as 2, 500m or 4Gi",
    rf"{_SUBDOMAIN}\/[A-Za-z0-9\/\-._~%!$&'()*+,;=:]+": "a domain, '/' and a path, such as example.com/thing",
    f"(0|{_UNITS})": "a duration such as 30s, 5m or 2d",
    _UNITS: "a duration such as 30s, 5m or 2d",
    r"([0-9]+(\.[0-9]+)?(ms|s|m|h))+": _SPAN,
    r"([0-9]+(\.[0-9]+)?(ms|s|m))+": "a duration such as 500ms, 30s or 5m",
    r"([0-9]+(\.[0-9]+)?(s|m|h))+": _SPAN,
    "([0-9]{1,5}(h|m|s|ms)){1,4}": _SPAN,
    "(0|(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)": _SPAN,
    "[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[a-zA-Z0-9=_-]+": "a digest such as sha256: and 64 hexadecimal digits",
    "sha256:[a-f0-9]{64}": "a digest: sha256: and 64 hexadecimal digits",
    "((([01][0-9])|(2[0-3])):[0-5][0-9])$|(^24:00": "a time of day such as 08:30",
}
_CLASS = re.compile(r"\[((?:\\.|[^\]\\])+)\]\+")
_SCHEMES = re.compile(r"\(?(?P<schemes>[a-z0-9]+\??(?:\|[a-z0-9]+)*)\)?:(?:\\?/){2}(?:\.[+*])?")
_PIECES = {
    "a-z": "lower-case letters",
    "A-Z": "capital letters",
    "0-9": "digits",
    r"\d": "digits",
    r"\w": "letters, digits, '_'",
}


def in_words(pattern: str) -> str:
    """What a text must be that matches the pattern; empty where the pattern is none of the common ones."""
    bare = pattern.removeprefix("^").removesuffix("$")
    if not pattern.startswith("^"):
        return ""
    if bare in _WORDS and pattern.endswith("$"):
        return _WORDS[bare]
    if found := _SCHEMES.fullmatch(bare):
        return f"an address that begins with {_either(found['schemes'])}"
    found = _CLASS.fullmatch(bare)
    return _letters(found[1]) if found and pattern.endswith("$") else ""


def _either(schemes: str) -> str:
    names = [name for each in schemes.split("|") for name in ((each[:-2], each[:-1]) if each[-1] == "?" else (each,))]
    return " or ".join(f"{name}://" for name in names)


def _letters(inner: str) -> str:
    """The letters of a class such as `-._a-zA-Z0-9`; empty for one that rules letters out."""
    if inner.startswith("^"):
        return ""
    said, rest = [], inner
    for piece, name in _PIECES.items():
        if piece in rest:
            said.append(name)
            rest = rest.replace(piece, "", 1)
    if "lower-case letters" in said and "capital letters" in said:
        said = ["letters", *(each for each in said if "letters" not in each)]
    marks = [each for each in re.sub(r"\\(.)", r"\1", rest) if not each.isalnum()]
    if len(marks) != len(re.sub(r"\\(.)", r"\1", rest)):
        return ""
    return "text of " + _listed([*said, *(f"'{each}'" for each in marks)])


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def fitting(given: str, pattern: str) -> str:
    """What a name was meant to be, where only letters of the wrong kind keep it from matching; else empty."""
    meant = lowered(given)
    try:
        return meant if meant and meant != given and re.search(pattern, meant) else ""
    except re.error:
        return ""


def lowered(given: str) -> str:
    """A text as a name of Kubernetes would have it: lower case, with dashes for what names may not have."""
    return re.sub(r"[^a-z0-9.]+", "-", given.lower()).strip("-.")
