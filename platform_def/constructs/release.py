"""Releases of upstream components: versions with their images, facts, and the ranges they are known to work in.

What differs between releases is data: a component subclasses `Release` with typed facts and reads those, so that a
release added below another one gets what it says and nothing that its number suggests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from platform_def.config.kubernetes import KubernetesRange
from platform_def.constructs.observation.tables import MetricTable
from platform_def.crds.model import Definition


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
    """Custom resources that it serves, where the catalogue of APIs does not have them: in packages of others."""
    kubernetes: str = "1.25-1.37"
    """Minor versions of Kubernetes that upstream tests it with, or that follow from what it is compiled against."""
    needs: Mapping[str, str] = field(default_factory=dict)
    """Releases of other components that it works with, as version specifiers: `{"argo-workflows": ">=3.6,<3.8"}`."""
    license: str = "Apache-2.0"
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


def releases(*known: R) -> tuple[R, ...]:
    """The releases of a component: the default, which is the newest that is proven, then the others, newest first."""
    versions = [release.version for release in known]
    if len(set(versions)) != len(versions):
        raise ValueError(f"a release is listed twice: {', '.join(versions)}")
    return known
