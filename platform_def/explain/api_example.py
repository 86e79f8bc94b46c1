"""The example that `platformctl explain api RESOURCE --example` prints: a valid minimal object of a custom kind."""

from __future__ import annotations

from platform_def.crds.examples import example, example_text
from platform_def.crds.schema import Manifest
from platform_def.errors import ConfigError
from platform_def.explain.api_resources import find_resource


def explain_example(resource: str, *, api_version: str = "", release: str = "") -> tuple[str, Manifest]:
    """The example as YAML with its comments, and as data; ConfigError for a field, or a kind of Kubernetes' own."""
    found = find_resource(resource.strip("."), api_version=api_version, release=release)
    served = found.served
    if found.path:
        hint = f"platformctl explain api {served.full_name} --example"
        raise ConfigError(f"an example is a whole object: leave out '{found.path[:64]}'", hint=hint)
    if served.api is None:
        hint = (
            f"`kubectl create --dry-run=client -o yaml` writes one; fields: platformctl explain api {served.full_name}"
        )
        raise ConfigError(f"{served.kind} is Kubernetes' own: examples are of custom kinds", hint=hint)
    return example_text(served.api), example(served.api)
