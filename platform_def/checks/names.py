"""The API server's grammar of names: DNS labels and subdomains, path segments, label keys and values."""

from __future__ import annotations

import re

_LABEL = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*")
_WORD = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?")


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


def label_key_problem(key: str) -> str:
    """Why a text cannot be the key of a label or annotation."""
    prefix, slash, name = key.rpartition("/")
    if slash and (problem := subdomain_problem(prefix)):
        return f"prefix of the key: {problem}"
    return _problem(
        name, _WORD, 63, "letters, digits, dashes, underscores and dots, with a letter or digit at both ends"
    )


def label_value_problem(value: str) -> str:
    """Why a text cannot be the value of a label."""
    if not value:
        return ""
    return _problem(
        value, _WORD, 63, "letters, digits, dashes, underscores and dots, with a letter or digit at both ends"
    )


def _problem(text: str, grammar: re.Pattern[str], longest: int, allowed: str) -> str:
    if len(text) > longest:
        return f"'{text[:60]}…' is longer than {longest} characters"
    return "" if grammar.fullmatch(text) else f"'{text}' may have only {allowed}"
