"""The CRDs of a component, from its API types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from platform_def.apis.core.apiextensions_v1 import CUSTOM_RESOURCE_DEFINITION
from platform_def.apis.crd import crd
from platform_def.apis.model import Definition
from platform_def.constructs.component import Piece, Scope
from platform_def.constructs.resource import Resource


class Crds(Piece):
    """One CustomResourceDefinition for each API, in the part `crds`."""

    def __init__(self, scope: Scope, *, apis: Iterable[Definition], annotations: Mapping[str, str] | None = None):
        super().__init__(scope, "apis")
        for definition in apis:
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
