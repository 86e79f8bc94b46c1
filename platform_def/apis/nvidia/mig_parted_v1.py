"""The file of mig-parted and of the MIG manager, format v1: layouts of cards by name.

Source: mig-parted 0.15, api/spec/v1; it refuses what it does not know.
"""

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.crds.schema import AnyValue, MinItems, MinProperties
from platform_def.crds.typed_dict import TypedDict

# Functional syntax: the keys have hyphens.
MigConfigSpec = TypedDict(
    "MigConfigSpec",
    {
        "device-filter": AnyValue,
        "devices": Required[AnyValue],
        "mig-enabled": Required[bool],
        "mig-devices": dict[str, int],
    },
    total=False,
)
MigFile = TypedDict(
    "MigFile",
    {
        "version": Required[Literal["v1"]],
        "mig-configs": Annotated[dict[str, Annotated[list[MigConfigSpec], MinItems(1)]], MinProperties(1)],
    },
    total=False,
)
