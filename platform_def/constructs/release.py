"""Releases of upstream components: versions with their images, APIs and the ranges they are known to work in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from platform_def.apis.model import Definition


@dataclass(frozen=True, kw_only=True)
class Release:
    """An upstream version of a component."""

    version: str
    image: str = ""
    """Image of the main workload, with its original host."""
    images: Mapping[str, str] = field(default_factory=dict)
    """Further images by the role they play."""
    runtime_images: tuple[str, ...] = ()
    """Images that only the running operator names (in pods it makes): a mirror must hold them too."""
    apis: tuple[Definition, ...] = ()
    """Custom resources that this version serves."""
    kubernetes: tuple[str, str] = ("1.25", "1.37")
    """Oldest and newest minor version of Kubernetes that it is known to work with."""
    license: str = "Apache-2.0"

    def all_images(self) -> tuple[str, ...]:
        """Every image that this version may pull."""
        return tuple(dict.fromkeys(filter(None, (self.image, *self.images.values(), *self.runtime_images))))


def releases(*known: Release) -> tuple[Release, ...]:
    """The releases of a component, newest first; the first is the default."""
    versions = [release.version for release in known]
    if len(set(versions)) != len(versions):
        raise ValueError(f"a release is listed twice: {', '.join(versions)}")
    return known
