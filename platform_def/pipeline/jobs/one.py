"""One job on a stack's platform, from words of a command line instead of the stack file: checked as the file's are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from platform_def.config.platform import Platform
from platform_def.config.written.provenance import Traced, trace
from platform_def.errors import ConfigError, Source, nearest
from platform_def.jobs.template import JobConfig
from platform_def.jobs.templates import template, templates
from platform_def.manifests.rendered import JOBS, Manifest, RenderedObject
from platform_def.pipeline.cache import Cache
from platform_def.pipeline.load import load
from platform_def.pipeline.overlays import of_jobs
from platform_def.pipeline.resolve.resolve import resolve
from platform_def.yaml import parse

OPTION = "--set"
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9]*(\.[A-Za-z_][A-Za-z0-9_-]*)*")


def render_job(root: Path, stack: str, name: str, settings: Sequence[str]) -> list[Manifest]:
    """The objects of a job of a template, with `settings` such as `workers=2` or `dataset.claim=faces`."""
    if name not in templates():
        raise ConfigError(f"unknown template '{name[:80]}'", hint=nearest(name, templates()))
    loaded = load(root, [stack])[0]
    wanted = _traced(name, settings)
    raw = wanted.plain()
    assert isinstance(raw, dict)
    values = dict(loaded.traced.value) if isinstance(loaded.traced.value, dict) else {}
    traced = Traced({**values, "jobs": Traced([wanted], wanted.chain)}, loaded.traced.chain, loaded.traced.key_lines)
    one = replace(loaded, stack=loaded.stack.model_copy(update={"jobs": [raw]}), traced=traced)
    resolved = resolve(one)
    (config,) = resolved.jobs.values()
    objects = _objects(name, config, resolved.platform)
    overlays = of_jobs.find(root, stack).get(config.name, ())
    changed, _ = of_jobs.apply(config.name, objects, overlays, root=root, cache=Cache(None, ""))
    return [each.manifest for each in changed]


def _objects(name: str, config: JobConfig, platform: Platform) -> list[RenderedObject]:
    from platform_def.constructs.render import render

    kind = template(name)
    built = render(lambda scope: kind(scope, config=config, platform=platform))
    return [RenderedObject(each.manifest, JOBS, each.part, each.origin, job=config.name) for each in built.objects]


def _traced(name: str, settings: Sequence[str]) -> Traced:
    """The job as a stack file would have it; each value remembers the option that set it."""
    chain = (Source(OPTION),)
    top: dict[str, Traced] = {"template": Traced(name, chain)}
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals or not _KEY.fullmatch(key):
            hint = "write it as --set workers=2, --set dataset.claim=faces, or --set 'args=[--epochs, \"90\"]'"
            raise ConfigError(f"{OPTION} {setting[:80]}: is not KEY=VALUE", hint=hint)
        option = f"{OPTION} {key}"
        value = trace(parse(text, file=option), option)
        _put(top, key.split("."), value, option)
    return Traced(top, chain, {key: value.chain[0] for key, value in top.items()})


def _put(here: dict[str, Traced], path: Sequence[str], value: Traced, option: str) -> None:
    """Put a value at its path; lists and texts hold none."""
    head, *rest = path
    if not rest:
        here[head] = value
        return
    below = here.setdefault(head, Traced({}, value.chain))
    if not isinstance(below.value, dict):
        raise ConfigError(f"{option}: {head} is set already, to something that has no fields")
    _put(below.value, rest, value, option)
