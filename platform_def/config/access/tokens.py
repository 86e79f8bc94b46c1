"""Tokens of ServiceAccounts: who issues them in a cluster, and where a gateway finds the keys that sign them.

Programs in the cluster show such a token where people sign in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from ipaddress import ip_address
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field

from platform_def.config.model import MisfitError, Model, Url, conflict

API_SERVER = "kubernetes.default"
"""What every host begins with under which pods find the API server."""
Base64Url = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]+$", max_length=2000)]
Audience = Annotated[str, Field(pattern=r"^[!-~]+$", max_length=200)]


class JsonWebKey(Model):
    """A public key of the cluster's issuer, as the API server prints it. The fields of a private one are unknown.

    It is RSA: of other keys the program that asks for logins takes no signature unless the issuer itself names their
    algorithm.
    """

    kid: Annotated[str, Field(min_length=1, max_length=200)]
    """Its name, which tokens say."""
    kty: Literal["RSA"] = "RSA"
    """Its type."""
    use: Literal["sig"] = "sig"
    """What it is for: signatures."""
    alg: Literal["RS256"] = "RS256"
    """How it signs."""
    n: Base64Url
    """Modulus."""
    e: Base64Url
    """Exponent."""


class JsonWebKeySet(Model):
    """The public keys of the cluster's issuer, as `kubectl get --raw /openid/v1/jwks` prints them."""

    keys: Annotated[list[JsonWebKey], Field(min_length=1)]
    """The keys: while they rotate the old and the new one."""

    def document(self) -> str:
        """The set as programs read it."""
        return json.dumps(self.model_dump(mode="json"), separators=(",", ":"))


class ServiceAccountTokens(Model):
    """Tokens of ServiceAccounts that open the gateway: programs in the cluster show one in `Authorization: Bearer`.

    A pod gets one from a projected volume with an audience of `audiences`. Applications know it as the user
    `system:serviceaccount:<namespace>:<name>`, as the API server does.
    """

    issuer: Url
    """What the API server's `--service-account-issuer` says, and tokens name:
    `kubectl get --raw /.well-known/openid-configuration` prints it."""
    audiences: Annotated[list[Audience], Field(min_length=1)]
    """For whom such a token must be. Not the API server: applications behind the gateway see the token."""
    keys: Literal["public", "cluster", "inline"] = "public"
    """Where its keys are found. `public`: at its address, with a certificate that everyone trusts, as on EKS and GKE;
    `cluster`: at the API server, with the cluster's CA; it must answer requests without a login
    (`--anonymous-auth`); `inline`: in `jwks`."""
    jwks: JsonWebKeySet | None = None
    """Its public keys, for `inline`. When the API server's key changes, write both here before."""

    @property
    def host(self) -> str:
        """Host of the issuer."""
        return urlsplit(self.issuer).hostname or ""

    @property
    def is_inside(self) -> bool:
        """Whether the issuer has a name or an address that only the cluster knows."""
        labels = self.host.split(".")
        try:
            return ip_address(self.host).is_private
        except ValueError:
            return len(labels) == 1 or "svc" in labels or self._is_api_server

    @property
    def _is_api_server(self) -> bool:
        return f"{self.host}.".startswith(f"{API_SERVER}.")

    @conflict
    def _keys_can_be_had(self) -> Iterator[ValueError]:
        if not re.fullmatch(r"https://[a-z0-9.:-]+(/[^=?#\s]*)?", self.issuer):
            yield MisfitError("is no issuer: write https://host, with a path where it has one", "issuer")
            return
        if self.issuer in self.audiences:
            text = "is the API server's own audience: an application that sees the token could use it there"
            yield MisfitError(text, "audiences", self.audiences.index(self.issuer))
        if self.keys == "public" and self.is_inside:
            yield MisfitError(
                f"nothing outside the cluster knows {self.host}, whose certificate the cluster signs itself: write "
                "`keys: cluster`, or `keys: inline` with `jwks:`",
                "keys",
            )
        if self.keys == "cluster" and not self._is_api_server:
            yield MisfitError(
                f"{self.host} is no name of the API server in the cluster: write `keys: public`, or `keys: inline` "
                "with `jwks:`",
                "keys",
            )
        if self.keys == "inline" and self.jwks is None:
            yield MisfitError("needs `jwks:`, what `kubectl get --raw /openid/v1/jwks` prints", "keys")
        if self.jwks is not None and self.keys != "inline":
            yield MisfitError(f"is for `keys: inline`, and keys is {self.keys}", "jwks")
