"""Releases of upstream components: versions with their images, facts, and the ranges they are known to work in.

What differs between releases is data: a component subclasses `Release` with typed facts and reads those, so that a
release added below another one gets what it says and nothing that its number suggests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar

from platform_def.config.kubernetes import KubernetesRange
from platform_def.config.releases.upkeep import Upkeep
from platform_def.constructs.observation.tables import MetricTable
from platform_def.crds.model import Definition

APACHE = "Apache-2.0"
_UNKNOWN = Upkeep()


@dataclass(frozen=True, kw_only=True)
class Release:
    """An upstream version of a component."""

    version: str = field(kw_only=False)
    image: str = ""
    """Image of the main workload, with its original host."""
    images: Mapping[str, str] = field(default_factory=dict)
    """Further images by the role they play."""
    runtime_images: tuple[str, ...] = ()
    """Images that only the running operator names (in pods it makes): a mirror must hold them too."""
    apis: tuple[Definition, ...] = ()
    """Custom resources that it serves, where the catalogue of APIs does not have them: in third-party packages."""
    kubernetes: str = "1.25-1.37"
    """Minor versions of Kubernetes that it is known to work with."""
    kubernetes_by: Literal["upstream", "us"] = "us"
    """Who says so: upstream, in its documentation or by the versions that it tests with; or we, who conclude it from
    the APIs that it calls and from our own tests."""
    needs: Mapping[str, str] = field(default_factory=dict)
    """Releases of other components that it works with, as version specifiers: `{"argo-workflows": ">=3.6,<3.8"}`."""
    license: str = ""
    """SPDX expression of upstream's own code; empty: unknown."""
    licenses: Mapping[str, str] = field(default_factory=dict)
    """SPDX expressions of installed parts whose licence is another one, by the part's name: `{"redis": …}`."""
    upkeep: Upkeep = _UNKNOWN
    """What upstream does for its line."""
    kept: str = ""
    """Why it is offered although upstream no longer mends it, or never mended a known vulnerability."""
    exports: tuple[MetricTable, ...] = ()
    """Metrics of its programs, against which alerts and dashboards are held."""

    @property
    def supported(self) -> KubernetesRange:
        """The range of Kubernetes."""
        return KubernetesRange.parse(self.kubernetes)

    def all_images(self) -> tuple[str, ...]:
        """Every image that this version may pull."""
        return tuple(dict.fromkeys(filter(None, (self.image, *self.images.values(), *self.runtime_images))))


R = TypeVar("R", bound=Release)


def releases(*known: R, license: str = "") -> tuple[R, ...]:  # noqa: A002 - the field's name
    """The releases of a component: the default, which is the newest that is proven, then the others, newest first.

    `license` is that of all releases that state none themselves.
    """
    versions = [release.version for release in known]
    if len(set(versions)) != len(versions):
        raise ValueError(f"a release is listed twice: {', '.join(versions)}")
    return tuple(release if release.license else replace(release, license=license) for release in known)
