"""A Secret for images, where a kind spells out a pod of its own: Kubernetes' own type does not say what it names."""

from __future__ import annotations

from typing import Annotated

from platform_def.crds.schema import Default, MapType, Ref
from platform_def.crds.typed_dict import TypedDict


class PullSecret(TypedDict, total=False):
    """A Secret with credentials of a registry."""

    name: Annotated[str, Default(""), Ref("Secret", weak=True)]


ImagePullSecret = Annotated[PullSecret, MapType("atomic")]
