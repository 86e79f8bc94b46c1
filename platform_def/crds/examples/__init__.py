"""A valid minimal object of every custom kind, for the reference pages and for `explain api --example`.

What people write by hand has a YAML file in its component's folder, `examples/<plural>.<group>.yaml`; any other example
is derived from the kind's schema. Tests hold each against the schemas of all releases that serve the kind, and a real
server.
"""

from __future__ import annotations

import re
from typing import Any, cast

from platform_def.crds.examples.derive import derived
from platform_def.crds.index import example_file
from platform_def.crds.model import Api
from platform_def.crds.schema import Manifest
from platform_def.yaml import dump, load

_DOCUMENTS = re.compile(r"^---\n", re.MULTILINE)


def example_text(api: Api[Any]) -> str:
    """The example as YAML, with the comments that it was written with."""
    file = example_file(api.crd_name)
    if file is None:
        return dump(derived(api))
    documents = {_version(text): text for text in _DOCUMENTS.split(file.read_text(encoding="utf-8"))}
    if api.api_version in documents:
        return documents[api.api_version]
    version, text = next(iter(documents.items()))
    return text.replace(f"apiVersion: {version}\n", f"apiVersion: {api.api_version}\n", 1)


def example(api: Api[Any]) -> Manifest:
    """The example; of a version without one of its own the first that is written for the kind, under this version."""
    return cast(Manifest, load(example_text(api).encode(), file=f"{api.crd_name}.yaml"))


def _version(text: str) -> str:
    return text.partition("\n")[0].removeprefix("apiVersion: ")
