"""Who people are."""

from __future__ import annotations

from typing import ClassVar

from platform_def.config.capability import Capability
from platform_def.config.model import Url


class Identity(Capability):
    """An OpenID Connect issuer, and how a request says who sent it once the gateway has asked."""

    title: ClassVar[str] = "an identity provider"

    issuer: Url
    """The issuer's address, as tokens name it."""
    user_header: str = "kubeflow-userid"
    """Header in which the gateway hands on the user's name; it strips the header from what comes from outside."""
    user_prefix: str = ""
    """What stands before the name in that header."""
    groups_header: str = ""
    """Header with the user's groups; empty where there is none."""
