"""Patterns of CRDs in words, and the places to which misplaced fields belong."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.manifests.schemas.patterns import fitting, in_words
from platform_def.manifests.schemas.places import place_of

LABEL = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (LABEL, "a DNS label: lower-case letters, digits and '-', with a letter or digit at both ends"),
        (r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$", "a duration such as 30s, 5m or 1h30m"),
        ("^(http|https|socks5)://.+$", "an address that begins with http:// or https:// or socks5://"),
        ("^https?://.+$", "an address that begins with http:// or https://"),
        ("^oci://.*$", "an address that begins with oci://"),
        ("^[-._a-zA-Z0-9]+$", "text of letters, digits, '-', '.' and '_'"),
        (r"^[a-z0-9\-]+$", "text of lower-case letters, digits and '-'"),
        ("^sha256:[a-f0-9]{64}$", "a digest: sha256: and 64 hexadecimal digits"),
        (
            "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$",
            "a label value: letters, digits, '-', '_' and '.', with a letter or digit at both ends",
        ),
        (
            r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
            "a key: letters, digits, '-', '_' and '.', in front perhaps a domain and '/'",
        ),
    ],
)
def test_common_shapes_have_words(pattern: str, words: str) -> None:
    assert in_words(pattern) == words


@pytest.mark.parametrize(
    "pattern",
    ["^a+b$", "[a-z0-9]+", "^[^:]+$", "^[a-f0-9]+$", LABEL.removeprefix("^"), LABEL.removesuffix("$"), "^(", ""],
)
def test_what_is_not_one_of_them_has_none(pattern: str) -> None:
    assert in_words(pattern) == ""


@pytest.mark.parametrize(
    ("given", "meant"),
    [("Train_Settings", "train-settings"), ("train", ""), ("___", ""), ("Größe", "gr-e"), ("-A-", "a")],
)
def test_a_name_of_the_wrong_letters_is_told_as_it_was_meant(given: str, meant: str) -> None:
    assert fitting(given, LABEL) == meant


SCHEMA: dict[str, Any] = {
    "properties": {
        "spec": {
            "properties": {
                "template": {
                    "properties": {"nodeSelector": {}, "containers": {"items": {"$ref": "#/$defs/container"}}}
                },
                "name": {},
            }
        },
        "data": {},
    },
    "$defs": {"container": {"properties": {"image": {}, "more": {"items": {"$ref": "#/$defs/container"}}}}},
}


@pytest.mark.parametrize(
    ("name", "path", "place"),
    [
        ("nodeSelector", ["spec"], "spec.template.nodeSelector"),
        ("image", ["spec", "template"], "spec.template.containers[].image"),
        ("nodeSelector", ["spec", "template", "containers", 0], "spec.template.nodeSelector"),
        ("data", ["spec"], "data"),
        ("template", ["spec", "template", "containers", 1], "spec.template"),
        ("nowhere", ["spec"], ""),
        ("name", [], ""),
    ],
)
def test_a_field_belongs_to_the_nearest_place_that_knows_it(name: str, path: list[str | int], place: str) -> None:
    assert place_of(name, SCHEMA, path) == place
