"""The documentation names no release of a component that is not offered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

import pytest

from platform_def.components.catalogue import BUILT_IN, component
from platform_def.config.component import ComponentConfig
from platform_def.crds.catalogue import known
from tests.acceptance.repository import PROJECT

SPOKEN = {
    "argo-cd": "Argo CD",
    "ceph-csi-cephfs": "ceph-csi",
    "emissary": "Emissary",
    "flux": "Flux",
    "gpu-operator": "GPU Operator",
    "istio": "Istio",
    "jobset": "JobSet",
    "katib": "Katib",
    "kuberay-operator": "KubeRay",
    "kueue": "Kueue",
    "metallb": "MetalLB",
    "mpi-operator": "MPI operator",
    "trainer": "Trainer",
    "training-operator": "training operator",
    "volcano": "Volcano",
}
"""What texts call a component, where that is not the name of its page."""
VERSION = r"v?\d+\.\d+\.\d+(?:-[a-z0-9.]*[a-z0-9])?(?![.]?\d)"
LISTED = re.compile(rf"{VERSION}(?:(?:, | and | or |, and ){VERSION})*")
BY_PAGE = re.compile(rf"\b[Rr]eleases? `?(?P<found>{LISTED.pattern})|\brelease: \"?(?P<written>{VERSION})")


@cache
def pages() -> Mapping[str, str]:
    """Everything that people read, wherever it comes from: text by path."""
    found = [PROJECT / "README.md", PROJECT / "CHANGELOG.md", *sorted((PROJECT / "docs").rglob("*.md"))]
    return {page.relative_to(PROJECT).as_posix(): page.read_text("utf-8") for page in found}


def model(name: str) -> type[ComponentConfig]:
    found: type[ComponentConfig] = component(name).config_model()
    return found


def named(name: str, text: str, *, own_page: bool) -> Iterator[str]:
    """Releases of a component that a text names: behind its name, in stack files, and on its own page as `release …`."""
    words = {name, SPOKEN.get(name, name)}
    either = "|".join(map(re.escape, words))
    behind = rf"(?:(?<![-\w])(?:{either})\b(?:\]\([^)]*\))?`? |\b{re.escape(name)}: {{release: \"?)(?P<found>{LISTED.pattern})"
    # A glance at pages, and at lines, spares most of them the search: a hundred components have a thousand pages.
    lines = (
        [line for line in text.splitlines() if any(map(line.__contains__, words))]
        if any(map(text.__contains__, words))
        else []
    )
    for match in re.finditer(behind, "\n".join(lines)):
        yield from re.findall(VERSION, match["found"])
    for match in BY_PAGE.finditer(text) if own_page else ():
        yield from re.findall(VERSION, match["found"] or match["written"])


def offered(*names: str) -> set[str]:
    """Releases of these components."""
    return {release.version for name in names for release in model(name).releases}


def unknown(name: str, text: str, page: str = "") -> list[str]:
    """Those of them that are not offered.

    A component's own page may speak of the releases of others; pages of kinds name each release whose kinds are known,
    for clusters that have it.
    """
    own_page = page == f"docs/components/{name}.md"
    allowed = offered(*BUILT_IN) if own_page else offered(name)
    if page.startswith("docs/reference/apis/"):
        allowed |= {served.release for served in known().values() if served.component == name}
    return [each for each in named(name, text, own_page=own_page) if each.removeprefix("v") not in allowed]


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_documentation_names_no_release_that_is_not_offered(name: str) -> None:
    found = {page: wrong for page, text in pages().items() if (wrong := unknown(name, text, page))}

    assert found == {}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("with Argo CD 3.6.1 and 3.3.4 on", ["3.3.4"]),
        ("[argo-cd](components/argo-cd.md) 3.3.4", ["3.3.4"]),
        ("argo-cd: {release: 3.3.4}", ["3.3.4"]),
        ("with Argo CD v3.3.4, seen", ["v3.3.4"]),
        ("with Argo CD 3.6.1, on Kubernetes 1.36 with Redis 8.2.3", []),
        ("Argo CD of line 3.3", []),
    ],
)
def test_a_release_is_found_behind_the_name_of_its_component(text: str, found: list[str]) -> None:
    assert unknown("argo-cd", text) == found


def test_on_its_own_page_a_component_needs_no_name() -> None:
    assert unknown("argo-cd", "Release 3.3.4 is old.", "docs/components/argo-cd.md") == ["3.3.4"]
    assert unknown("argo-cd", "Release 3.3.4 is old.") == []
