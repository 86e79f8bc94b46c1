"""Revisions of the control plane beside each other: their names, and what two of them must not both be or take."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from platform_def.capabilities import Mesh
from platform_def.config.platform import Platform
from platform_def.constructs import Problem
from platform_def.crds.versions import age

SLUG = "istio"


def revised(name: str, revision: str) -> str:
    """A name of a revision's own."""
    return f"{name}-{revision}" if revision else name


def newest(platform: Platform, own: str) -> str:
    """The newest release of all control planes: an older one passes over kinds and fields that it does not know."""
    facts = map(platform.component, platform.instances(SLUG))
    return max([own, *(fact.release for fact in facts if fact and not fact.provided)], key=age)


def apart(platform: Platform, name: str, *, namespace: str) -> Iterator[Problem]:
    """Control planes in two namespaces, which would be two authorities."""
    for other in platform.instances(SLUG):
        fact = platform.component(other)
        if other < name and fact and fact.namespace != namespace:
            text = (
                f"components.{name}: its namespace {namespace} is not that of {other}, and pods of one revision would "
            )
            text += "not trust those of the other"
            yield Problem(text, hint=f"write `namespace: {fact.namespace}`")


def beside(platform: Platform, name: str, *, revision: str, inject: Collection[str]) -> Iterator[Problem]:
    """A revision that two control planes are, and namespaces that two would put their proxies into."""
    for other in platform.all(Mesh):
        if other.by >= name:
            continue
        if other.value.revision == revision:
            text = f"components.{name}.revision: {other.by} is the revision {revision or 'default'} already, and pods "
            yield Problem(f"{text}would ask the one or the other", hint="give one of them another `revision`")
        for home in sorted({*inject} & {*other.value.namespaces}):
            text = (
                f"components.{name}.inject: {other.by} puts its proxies into {home} as well, and a namespace has one "
            )
            yield Problem(f"{text}revision", hint=f"take {home} out of the `inject` of one of them")
