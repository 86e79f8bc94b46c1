"""Versions of Kubernetes: one value type, and ranges of it as upstream projects state them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

SUPPORTED_KUBERNETES = tuple(f"1.{minor}" for minor in range(25, 38))
"""Minor versions whose schemas the pinned kubernetes-validate package ships."""

_VERSION = re.compile(r"1\.(0|[1-9]\d?)")


class Kubernetes(str):
    """A minor version, as text that compares by number: `Kubernetes("1.9") < "1.10"`."""

    __slots__ = ()

    def __new__(cls, version: str) -> Kubernetes:
        """Raises ValueError for what is not written `1.36`."""
        if not _VERSION.fullmatch(version):
            raise ValueError(f"'{version[:20]}' is not a version of Kubernetes such as 1.36")
        return super().__new__(cls, version)

    @property
    def minor(self) -> int:
        """36 of 1.36."""
        return int(self.partition(".")[2])

    def __lt__(self, other: str) -> bool:
        return self.minor < Kubernetes(other).minor

    def __le__(self, other: str) -> bool:
        return self.minor <= Kubernetes(other).minor

    def __gt__(self, other: str) -> bool:
        return self.minor > Kubernetes(other).minor

    def __ge__(self, other: str) -> bool:
        return self.minor >= Kubernetes(other).minor

    @classmethod
    def supported(cls, version: str) -> Kubernetes:
        """A version whose schemas the tool has; raises ValueError that names them for any other."""
        if version not in SUPPORTED_KUBERNETES:
            raise ValueError(
                f"'{version[:20]}' is not a supported Kubernetes version ({SUPPORTED_KUBERNETES[0]} to "
                f'{SUPPORTED_KUBERNETES[-1]}, written as a string: "1.36")'
            )
        return cls(version)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Read from text and written as text."""
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(cls.supported, core_schema.str_schema())


@dataclass(frozen=True)
class KubernetesRange:
    """Minor versions from the oldest to the newest, both included."""

    oldest: Kubernetes
    newest: Kubernetes

    @classmethod
    def parse(cls, text: str) -> KubernetesRange:
        """From `1.28-1.35`; raises ValueError for anything else, and for a range that ends before it begins."""
        oldest, _, newest = text.partition("-")
        found = cls(Kubernetes(oldest), Kubernetes(newest))
        if found.newest < found.oldest:
            raise ValueError(f"{text} ends before it begins")
        return found

    def __contains__(self, version: str) -> bool:
        return self.oldest <= version <= self.newest

    def __str__(self) -> str:
        return f"{self.oldest} to {self.newest}"
