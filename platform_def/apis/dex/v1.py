"""Dex 2.45 (dex.coreos.com): AuthCode, for logins under way; Dex makes the CRDs of its other kinds itself."""

from __future__ import annotations

from platform_def.crds.model import Api, Definition
from platform_def.crds.schema import Preserve
from platform_def.crds.typed_dict import TypedDict


class AuthCode(TypedDict, total=False):
    """A login under way."""


AUTH_CODE = Api(
    group="dex.coreos.com",
    version="v1",
    kind="AuthCode",
    plural="authcodes",
    spec=AuthCode,
    top_level=True,
    rules=(Preserve(),),
)

CRDS = (Definition((AUTH_CODE,)),)
