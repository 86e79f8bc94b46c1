"""The groups of one person fit the cookie in which oauth2-proxy keeps a session.

Facts, oauth2-proxy 7.15: a session without tokens (`session_cookie_minimal`) holds the names of all groups of the
person, and one of more than 4000 bytes is cut into several cookies, with an error in the log at each sign-in
(pkg/sessions/cookie/session_store.go). A browser sends them with every request, and what is behind the gateway reads
all in one field: gunicorn takes 8190 bytes of one, Node 16 KiB of all, Envoy 60 KiB. Dex's connector for Microsoft
hands over every group of a person, also those that are in others (connector/microsoft/microsoft.go).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.errors import PlatformError
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.rendered import RenderedObject
from platform_def.yaml import load

SETTINGS = "oauth2_proxy.cfg"
"""The file of oauth2-proxy, as a key of a ConfigMap."""
ROOM = 2550
"""Bytes of a cookie that are left for groups: 4000 less its attributes, its signature, a third for Base64, and who the
person is. What compression saves is not counted."""
_SHORT, _LONG = 31, 255
"""MessagePack has one byte before a text of at most so many bytes, then two, then three."""
_CLAIMS = "request.auth.claims["
_HINT = "keep sessions in Redis: write `redis: {host: …}` under the component `oauth2-proxy`"


def room_of(groups: Iterable[str]) -> int:
    """How many bytes these groups take of a session."""
    sizes = [len(each.encode()) for each in groups]
    return sum(size + 1 + (size > _SHORT) + (size > _LONG) for size in sizes)


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    maps = context.index.by_kind.get(("", "ConfigMap"), ())
    kept = [item for item in maps if _in_cookies(text(mapping(item.manifest.get("data")).get(SETTINGS)))]
    if not kept:
        return
    dex = [found for item in maps for found in _issuers(item)]
    for item in kept:
        for said in (*_known(context, dex), *_unknown(dex)):
            yield item, Fault(f'data["{SETTINGS}"]', said)


def _in_cookies(settings: str) -> bool:
    """Whether sessions of these settings are kept in cookies, which is what oauth2-proxy does without a word."""
    try:
        found = tomllib.loads(settings)
    except tomllib.TOMLDecodeError:
        return False
    return bool(found) and found.get("session_store_type", "cookie") == "cookie"


def _issuers(item: RenderedObject) -> Iterator[Mapping[str, Any]]:
    """What a ConfigMap says of people's groups, where it is Dex's."""
    for content in mapping(item.manifest.get("data")).values():
        if "connectors:" in text(content) or "staticPasswords:" in text(content):
            try:
                found = mapping(load(text(content).encode()))
            except PlatformError:
                continue
            if found.get("issuer"):
                yield found


def _known(context: Context, dex: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Groups that the stack names, which one person may all have, and those of Dex's own users."""
    named = {*_of_roles(context), *_of_policies(context), *(each for found in dex for each in _of_connectors(found))}
    if (taken := room_of(named)) > ROOM:
        yield (
            f"a person in all {len(named)} groups that the stack names has {taken} bytes of them, "
            f"a cookie has room for {ROOM}"
        )
    for user in (mapping(user) for found in dex for user in items(found.get("staticPasswords"))):
        groups = {*map(text, items(user.get("groups")))}
        if (taken := room_of(groups)) > ROOM:
            yield f"{text(user.get('email'))} has {len(groups)} groups of {taken} bytes, a cookie has room for {ROOM}"


def _of_roles(context: Context) -> Iterator[str]:
    for kind in ("RoleBinding", "ClusterRoleBinding"):
        for item in context.index.by_kind.get(("rbac.authorization.k8s.io", kind), ()):
            for subject in map(mapping, items(item.manifest.get("subjects"))):
                name = text(subject.get("name"))
                if subject.get("kind") == "Group" and not name.startswith("system:"):
                    yield name


def _of_policies(context: Context) -> Iterator[str]:
    for item in context.index.by_kind.get(("security.istio.io", "AuthorizationPolicy"), ()):
        for rule in map(mapping, items(at(item.manifest, "spec.rules"))):
            for condition in map(mapping, items(rule.get("when"))):
                if text(condition.get("key")).startswith(_CLAIMS):
                    yield from map(text, items(condition.get("values")))


def _of_connectors(dex: Mapping[str, Any]) -> Iterator[str]:
    """Groups that a connector lists: no others are handed over, but by Microsoft's."""
    for config in (mapping(mapping(each).get("config")) for each in items(dex.get("connectors"))):
        yield from map(text, (*items(config.get("groups")), *items(config.get("allowedGroups"))))
        for org in map(mapping, items(config.get("orgs"))):
            yield from (f"{text(org.get('name'))}:{text(team)}" for team in items(org.get("teams")))


def _unknown(dex: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for connector in (mapping(each) for found in dex for each in items(found.get("connectors"))):
        limited = at(connector, "config.useGroupsAsWhitelist") is True and items(at(connector, "config.groups"))
        if connector.get("type") == "microsoft" and not limited:
            yield (
                f"Dex's connector {text(connector.get('id'))} hands over all groups that a person has at Microsoft, "
                f"also through other groups: a cookie has room for {ROOM} bytes of names"
            )


SESSION_COOKIE = StackRule(
    id="session-cookie",
    severity="warning",
    title="The groups of a person fit the cookie that keeps their session",
    why="A larger session is cut into several cookies, which programs behind the gateway refuse once their header is "
    "full: people with many groups get 400 or 431 there until their session ends.",
    fix=_HINT,
    kinds=frozenset({"ConfigMap"}),
    check=_check,
)
