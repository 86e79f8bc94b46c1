from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Required

import pytest

from platform_def import components
from platform_def.crds import index
from platform_def.crds.catalogue import definitions, known
from platform_def.crds.crd import crd
from platform_def.crds.examples import example, example_text
from platform_def.crds.model import Api, Definition
from platform_def.crds.schema import (
    Cel,
    Default,
    Enum,
    IntOrString,
    Manifest,
    Minimum,
    MinItems,
    MinLength,
    OneOf,
    Pattern,
)
from platform_def.crds.summaries import summary
from platform_def.crds.typed_dict import TypedDict
from platform_def.manifests.custom_kind import CustomKind
from platform_def.manifests.schemas import Schemas

FILES = sorted(Path(components.__file__).parent.glob("*/*/examples/*.yaml"))
UNTAGGED = ("ImageRepository", "NVIDIADriver")
"""Their `image` is a name whose version stands elsewhere."""


def served(name: str) -> Iterator[tuple[Definition, Api[Any]]]:
    """What a release serves."""
    for definition in definitions(name):
        yield from ((definition, api) for api in definition.versions if api.served)


def mismatches(schemas: Schemas, definition: Definition, api: Api[Any], manifest: Manifest) -> list[str]:
    """What a server that has this CRD would refuse, rules in CEL aside."""
    kind = CustomKind.of(crd(definition), f"{definition.name} {id(definition)}")
    schema = schemas.custom("1.37", kind, api.version) if kind else None
    assert schema
    return [f"{api.crd_name} {api.version}: {found}" for found in schema.mismatches(manifest)]


@pytest.mark.parametrize("name", known())
def test_examples_fit_every_version_that_a_release_serves(name: str) -> None:
    schemas = Schemas()  # those of all releases would fill half a gigabyte

    assert [line for one, api in served(name) for line in mismatches(schemas, one, api, example(api))] == []


@pytest.mark.parametrize("name", known())
def test_an_example_is_an_object_of_its_kind(name: str) -> None:
    for _, api in served(name):
        manifest = example(api)

        assert (manifest["apiVersion"], manifest["kind"]) == (api.api_version, api.kind)
        assert ("namespace" in manifest["metadata"]) == api.namespaced
        assert example_text(api).startswith(f"apiVersion: {api.api_version}\n")


def test_every_file_is_the_example_of_a_kind() -> None:
    kinds = {one.name for name in known() for one in definitions(name)}

    assert FILES
    assert [path.name for path in FILES if path.stem not in kinds] == []


def test_images_of_examples_are_pinned() -> None:
    def images(node: object) -> Iterator[str]:
        if isinstance(node, dict):
            if isinstance(image := node.get("image"), str) and "/" in image:
                yield image
            for inner in node.values():
                yield from images(inner)
        elif isinstance(node, list):
            for inner in node:
                yield from images(inner)

    tagged = (api for name in known() for _, api in served(name) if api.kind not in UNTAGGED)
    found = {image for api in tagged for image in images(example(api))}

    assert found
    assert [image for image in sorted(found) if ":" not in image.rpartition("/")[2] or image.endswith(":latest")] == []


def test_every_kind_says_what_it_is_once() -> None:
    said: dict[str, set[str]] = {}
    for name in known():
        for one in definitions(name):
            said.setdefault(one.name, set()).update(text for api in one.versions if (text := summary(api)))
    everywhere = {one.name for name in known() for one in definitions(name)}

    assert sorted(everywhere - {name for name, texts in said.items() if texts}) == []
    assert sorted(name for name, text in index.summaries().items() if text not in said.get(name, ())) == [], (
        "types say it themselves"
    )


# --- examples that are derived


class Limits(TypedDict, total=False):
    """Fields with all that may be asked of them."""

    name: Required[str]
    host: Required[Annotated[str, Pattern(r"^[a-z]+\.com$")]]
    tier: Required[Annotated[str, Enum("", "gold")]]
    size: Required[Annotated[int, Minimum(3)]]
    port: Required[IntOrString]
    long: Required[Annotated[str, MinLength(12)]]
    items: Required[Annotated[list[str], MinItems(2)]]
    mode: Required[Annotated[str, Default("on")]]
    comment: str


class GadgetSpec(TypedDict, total=False):
    """A gadget."""

    limits: Required[Limits]


def gadget(spec: Any, *, namespaced: bool = True) -> Definition:
    """A kind of our own making."""
    return Definition(
        (Api(group="example.com", version="v1", kind="Gadget", plural="gadgets", spec=spec, namespaced=namespaced),)
    )


def test_a_derived_example_has_what_is_required_and_no_more() -> None:
    definition = gadget(GadgetSpec)
    limits = example(definition.api)["spec"]["limits"]

    assert "comment" not in limits
    assert "mode" not in limits, "the server fills in defaults"
    assert (limits["host"], limits["tier"], limits["size"], limits["port"]) == ("example.com", "gold", 3, 1)
    assert (len(limits["long"]), len(limits["items"])) == (12, 2)
    assert mismatches(Schemas(), definition, definition.api, example(definition.api)) == []


class Either(TypedDict, total=False):
    """One of two."""

    left: str
    right: str


class EitherSpec(TypedDict, total=False):
    """Asks for one of two."""

    either: Required[Annotated[Either, OneOf({"required": ["left"]}, {"required": ["right"]})]]


class OpenSpec(TypedDict, total=False):
    """Nothing is required."""

    comment: Annotated[str, Cel("self != ''")]


def test_a_derived_example_takes_the_first_of_several_ways() -> None:
    assert example(gadget(EitherSpec).api)["spec"] == {"either": {"left": "example"}}


def test_a_derived_example_leaves_an_empty_spec_out() -> None:
    manifest = example(gadget(OpenSpec, namespaced=False).api)

    assert manifest == {"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": "example"}}
