"""What a shell offers on TAB: stacks, components, kinds, objects; silently less where a repository is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from click import Context, Parameter

_KIND = re.compile(rb"^kind: (\S+)$", re.MULTILINE)
_NAME = re.compile(rb"^  name: (\S+)$", re.MULTILINE)


def stacks(ctx: Context, _: Parameter, incomplete: str) -> list[str]:
    """The stacks of the repository, without those that are named already."""
    named = ctx.params.get("stacks") or ()
    return [name for name in _stacks(_root(ctx)) if name.startswith(incomplete) and name not in named]


def stacks_and_words(ctx: Context, _: Parameter, incomplete: str) -> list[str]:
    """What `explain` may begin with."""
    return [name for name in (*_stacks(_root(ctx)), "api", "check") if name.startswith(incomplete)]


def components(_: Context, __: Parameter, incomplete: str) -> list[str]:
    """The components of the catalogue and of installed packages."""
    from platform_def.components.catalogue import catalogue

    return [name for name in catalogue() if name.startswith(incomplete)]


def templates(_: Context, __: Parameter, incomplete: str) -> list[str]:
    """The job templates, those of installed packages included."""
    from platform_def.jobs.templates import templates as known

    return [name for name in known() if name.startswith(incomplete)]


def explained(ctx: Context, _: Parameter, incomplete: str) -> list[str]:
    """After `api` kinds, after `check` rules, after a stack its fields, components and objects."""
    stack = str(ctx.params.get("stack") or "")
    words = {"api": _kinds, "check": _checks}
    offered = words[stack]() if stack in words else _of_stack(_root(ctx), stack)
    return sorted({word for word in offered if word.startswith(incomplete)})


def parts(ctx: Context, _: Parameter, incomplete: str) -> list[str]:
    """The components of a stack that dist/ has, and their parts."""
    from platform_def.pipeline.output import index

    found = index.read(_root(ctx) / "dist", str(ctx.params.get("stack") or ""))
    waves = [part for one in found for part in one.waves]
    offered = {*waves, *(part.rpartition("/")[0] for part in waves)}
    return sorted(word for word in offered if word.startswith(incomplete))


def _root(ctx: Context) -> Path:
    from platform_def.cli.root import found_root

    return found_root(Path(str(ctx.params.get("root") or ".")))


def _stacks(root: Path) -> list[str]:
    folder = root / "stacks"
    found = folder.iterdir() if folder.is_dir() else ()
    return sorted(path.stem for path in found if path.suffix in (".yaml", ".yml") and path.is_file())


def _kinds() -> Iterable[str]:
    from platform_def.explain.api_resources import resource_names

    return resource_names()


def _checks() -> Iterable[str]:
    from platform_def.checks.catalogue import checks

    return checks()


def _of_stack(root: Path, stack: str) -> Iterator[str]:
    from platform_def.config.stack import Stack
    from platform_def.pipeline.output import index

    yield from (field.alias or name for name, field in Stack.model_fields.items())
    out = root / "dist"
    for one in index.read(out, stack):
        yield from (f"components.{name}" for name in one.components)
        for path in one.files:
            yield from _object(out / stack / path)


def _object(path: Path) -> Iterator[str]:
    """`Deployment/training-operator`, as `explain` wants it."""
    try:
        content = path.read_bytes()
    except OSError:
        return
    kind, name = _KIND.search(content), _NAME.search(content)
    if kind and name:
        yield f"{kind[1].decode()}/{name[1].decode()}"
