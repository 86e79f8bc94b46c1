"""The CRDs of a component, from its API types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from platform_def.apis.core.apiextensions_v1 import CUSTOM_RESOURCE_DEFINITION
from platform_def.constructs.component import Piece, Scope
from platform_def.constructs.resource import Resource
from platform_def.crds.crd import crd
from platform_def.crds.model import Definition


class Crds(Piece):
    """One CustomResourceDefinition for each API, in the part `crds`; instances share them, and the first has them."""

    def __init__(
        self, scope: Scope, apis: Iterable[Definition] | None = None, *, annotations: Mapping[str, str] | None = None
    ):
        """`apis` are by default all that the component serves; `annotations` are for who converts between versions."""
        super().__init__(scope, "apis")
        if not self.component.first:
            return
        for definition in self.component.served if apis is None else apis:
            made = crd(definition)
            metadata = made.get("metadata", {})
            Resource(
                self,
                CUSTOM_RESOURCE_DEFINITION,
                definition.name,
                spec=made["spec"],
                labels=metadata.get("labels"),
                annotations={**metadata.get("annotations", {}), **(annotations or {})},
            )
