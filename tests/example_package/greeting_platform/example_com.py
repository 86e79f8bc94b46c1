"""API types of example.com."""

from __future__ import annotations

from typing import Annotated, Required, TypedDict

from platform_def.crds.model import AGE, Api, Column, Definition, Makes
from platform_def.crds.schema import Default, Int32, MaxLength, Minimum


class GreetingSpec(TypedDict, total=False):
    text: Required[Annotated[str, MaxLength(200)]]
    """What is said."""
    times: Annotated[Int32, Default(1), Minimum(1)]
    """How often."""


class GreetingStatus(TypedDict, total=False):
    said: Int32
    """How often it was said."""


GREETING = Api(
    group="example.com",
    version="v1",
    kind="Greeting",
    plural="greetings",
    spec=GreetingSpec,
    status=GreetingStatus,
    required=("spec",),
    status_subresource=True,
    columns=(Column("Text", ".spec.text"), AGE),
    makes=(Makes("ConfigMap"),),
)

DEFINITIONS = (Definition((GREETING,)),)
