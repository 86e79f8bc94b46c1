"""What a function of the library is: its signature in words, its body over plain Python values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

URL = "kubernetes.URL"
IP = "net.IP"
CIDR = "net.CIDR"
QUANTITY = "kubernetes.Quantity"
SEMVER = "kubernetes.Semver"
FORMAT = "kubernetes.NamedFormat"
AUTHORIZER = "kubernetes.authorization.Authorizer"
PATH_CHECK = "kubernetes.authorization.PathCheck"
GROUP_CHECK = "kubernetes.authorization.GroupCheck"
RESOURCE_CHECK = "kubernetes.authorization.ResourceCheck"
DECISION = "kubernetes.authorization.Decision"

OPAQUE = frozenset(
    {URL, IP, CIDR, QUANTITY, SEMVER, FORMAT, AUTHORIZER, PATH_CHECK, GROUP_CHECK, RESOURCE_CHECK, DECISION}
)
"""Types that only functions of the library look into; their values are texts between a function and the next."""
OPTIONAL = "optional:"
"""Before a type: perhaps one. A body returns a list of the value, or an empty one."""


class UnjudgedError(Exception):
    """Only a cluster can tell what a function returns."""


class Function(NamedTuple):
    """One overload of a function; a method's first parameter is what it is called on."""

    name: str
    parameters: tuple[str, ...]
    """`string`, `list(int)`, `A` for any one type, or one of `OPAQUE`."""
    returns: str
    body: Callable[..., Any]
    """Raises ValueError or TypeError where the server says that a value is wrong."""
    since: int
    """The minor version of Kubernetes that brought it."""
    method: bool = True
