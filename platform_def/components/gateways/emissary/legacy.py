"""Which versions of getambassador.io the CRDs of release 4 have: v3alpha1 alone, or former ones beside it.

Upstream's schemas of v1, v2 and v3alpha1 are the same at 3.10.0 and 4.1.0, so one set of definitions serves both.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Literal

from platform_def.apis.emissary.release_3_10 import CRDS
from platform_def.crds.model import Definition

CURRENT = "v3alpha1"
Former = Literal["v1", "v2"]
Stored = Literal["v2", "v3alpha1"]


def definitions(former: Collection[Former], stored: Stored) -> tuple[Definition, ...]:
    """The CRDs with v3alpha1 and some of the former versions, of which one is stored."""
    return tuple(_definition(each, {*former, CURRENT}, stored) for each in CRDS)


def _definition(definition: Definition, served: Collection[str], stored: Stored) -> Definition:
    if definition.conversion is None:
        return definition
    versions = (each for each in definition.versions if each.version in served)
    return replace(definition, versions=tuple(replace(each, storage=each.version == stored) for each in versions))
