"""What a stack consents to have deleted and recreated: `replace:`, or the engine's own annotation of an object."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from platform_def.checks.rules.server.update_refused import called
from platform_def.config.platform import ExistingObject
from platform_def.errors import ConfigError, Problem, Source, nearest
from platform_def.manifests.index import Key
from platform_def.manifests.rendered import RenderedObject, RenderedStack
from platform_def.manifests.updates.replacing import has_consent, with_consent
from platform_def.pipeline.load import Loaded

_WHOLE = {
    "CustomResourceDefinition": "every custom resource of it would be deleted with it",
    "Namespace": "everything in it would be deleted with it",
}
"""Kinds that no entry may name, with the reason."""


@dataclass(frozen=True)
class Consent:
    """An object that may be deleted and recreated."""

    name: str
    """As `replace:` calls it."""
    reason: str
    where: Source | None
    """The line; None where the object itself says so."""


def consented(stack: RenderedStack, loaded: Loaded) -> RenderedStack:
    """The stack whose objects tell the engine what `replace:` says; ConfigError for entries that name no object."""
    entries = loaded.stack.replace
    if not entries:
        return stack
    objects = [item for component in stack.components.values() for item in component.objects]
    problems: list[Problem] = []
    keys = {item.key for name in entries for item in _named(name, objects, loaded, problems)}
    if problems:
        raise ConfigError(problems)
    engine = loaded.stack.delivery.engine
    components = {
        name: replace(
            component,
            objects=tuple(with_consent(item, engine) if item.key in keys else item for item in component.objects),
        )
        for name, component in stack.components.items()
    }
    return replace(stack, components=components)


def consents(stack: RenderedStack, loaded: Loaded) -> Mapping[Key, Consent]:
    """What the stack consents to, by object."""
    objects = [item for component in stack.components.values() for item in component.objects]
    engine = loaded.stack.delivery.engine
    found = {
        item.key: Consent(called(item, objects), "its annotation says so", None)
        for item in objects
        if has_consent(item.manifest, engine)
    }
    for name, reason in loaded.stack.replace.items():
        for item in _named(name, objects, loaded, []):
            found[item.key] = Consent(name, reason, loaded.where("replace", name))
    return found


def _named(
    name: str, objects: Sequence[RenderedObject], loaded: Loaded, problems: list[Problem]
) -> Iterator[RenderedObject]:
    """The object of an entry, or a problem more."""
    wanted = ExistingObject.parse(name.replace("/", " ", 1))
    found = [
        item
        for item in objects
        if (item.kind, item.name) == (wanted.kind, wanted.name)
        and wanted.group in ("", item.group)
        and wanted.namespace in ("", item.namespace)
    ]
    where = loaded.where("replace", name)
    if not found:
        hint = nearest(name, (called(item, objects) for item in objects))
        problems.append(Problem(f"replace.{name}: there is no such object in the stack", where, hint))
    elif len(found) > 1:
        names = " or ".join(called(item, found) for item in found)
        problems.append(Problem(f"replace.{name}: {len(found)} objects are called so", where, f"write {names}"))
    elif wanted.kind in _WHOLE:
        hint = "take the entry out, and do by hand what the check says"
        problems.append(Problem(f"replace.{name}: {_WHOLE[wanted.kind]}", where, hint))
    else:
        yield found[0]
