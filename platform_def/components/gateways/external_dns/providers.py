"""Who holds the zones that external-dns writes to, and how it proves there who it is.

Credentials are Secrets of its namespace; without them the identity serves that a cloud gives to the pod's account.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from platform_def.config.model import Host, Model, Port, Subdomain, Url, conflict
from platform_def.config.secrets import CaSource, SecretSource


def _given_out(source: SecretSource) -> SecretSource:
    if source.generate:
        raise ValueError("the provider of the zones issues credentials: a generated password opens nothing there")
    return source


Credentials = Annotated[SecretSource, AfterValidator(_given_out)]
Uuid = Annotated[str, Field(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]


class Aws(Model):
    """Zones in AWS Route 53."""

    zone_type: Literal["any", "public", "private"] = "any"
    """Which zones get records, where a public and a private one have the same name."""
    region: Annotated[str, Field(pattern=r"^[a-z]{2}(-[a-z]+)+-\d$")] | None = None
    """Region of the API, where the pod's identity does not say it."""
    assume_role: Annotated[str, Field(pattern=r"^arn:[\w-]+:iam::\d{12}:role/[\w+=,.@/-]+$")] | None = None
    """ARN of a role that is assumed, for zones of another account."""
    credentials: Credentials | None = None
    """Secret with the keys `accessKeyId` and `secretAccessKey`; by default the identity of the pod's account."""


class Azure(Model):
    """Zones in Azure DNS."""

    private: bool = False
    """Private zones, which are another API."""
    resource_group: Annotated[str, Field(pattern=r"^[\w.()-]{1,90}$")] | None = None
    """Resource group of the zones."""
    tenant_id: Uuid | None = None
    """Tenant, for workload identity."""
    subscription_id: Uuid | None = None
    """Subscription of the zones, for workload identity."""
    credentials: Credentials | None = None
    """Secret with the key `azure.json`, external-dns' whole configuration for Azure; by default workload identity."""

    @conflict
    def _one_way(self) -> Iterator[ValueError]:
        known = {
            "resourceGroup": self.resource_group,
            "tenantId": self.tenant_id,
            "subscriptionId": self.subscription_id,
        }
        if self.credentials is None and (missing := [name for name, value in known.items() if value is None]):
            yield ValueError(f"workload identity needs {', '.join(missing)}; or name `credentials`")
        if self.credentials and (self.tenant_id or self.subscription_id):
            yield ValueError("tenantId and subscriptionId stand in azure.json, which `credentials` name")


class CloudflareProvider(Model):
    """Zones at Cloudflare."""

    credentials: Credentials
    """Secret with the key `apiToken`: a token that may read the zones and edit their records."""
    proxied: bool = False
    """Requests go through Cloudflare's own proxy."""


class GoogleProvider(Model):
    """Zones in Google Cloud DNS."""

    project: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{4,28}[a-z0-9]$")]
    """Project of the zones."""
    zone_visibility: Literal["any", "public", "private"] = "any"
    """Which zones get records, where a public and a private one have the same name."""
    credentials: Credentials | None = None
    """Secret with the key `credentials.json` of a Google service account; by default the identity of the pod's
    account."""


class PowerDns(Model):
    """Zones of a PowerDNS server, by its HTTP API."""

    server: Url
    """Address of the API, such as `https://pdns.example.com:8081`."""
    server_id: Annotated[str, Field(pattern=r"^[\w.-]+$")] = "localhost"
    """What the server calls itself there."""
    credentials: Credentials
    """Secret with the key `apiKey`."""
    ca: CaSource | None = None
    """Private authority that signed the server's certificate."""


class Rfc2136Provider(Model):
    """Zones of a name server that takes dynamic updates: BIND, Knot, Microsoft DNS with a TSIG key.

    The key must be allowed to transfer the zones too: otherwise external-dns never sees what is there.
    """

    host: Host
    """Its address."""
    port: Port = 53
    """Its port."""
    zones: Annotated[list[Subdomain], Field(min_length=1)]
    """Zones, as the server has them."""
    key_name: Annotated[str, Field(pattern=r"^[\w.-]+$")]
    """Name of the TSIG key."""
    algorithm: Literal["hmac-sha256", "hmac-sha512", "hmac-sha1", "hmac-md5"] = "hmac-sha256"
    """Its algorithm."""
    credentials: Credentials
    """Secret with the key `tsigSecret`, in base64."""


class Provider(Model):
    """Who holds the zones: one of them."""

    aws: Aws | None = None
    """AWS Route 53."""
    azure: Azure | None = None
    """Azure DNS."""
    cloudflare: CloudflareProvider | None = None
    """Cloudflare."""
    google: GoogleProvider | None = None
    """Google Cloud DNS."""
    pdns: PowerDns | None = None
    """A PowerDNS server."""
    rfc2136: Rfc2136Provider | None = None
    """A name server that takes dynamic updates."""

    @conflict
    def _one(self) -> Iterator[ValueError]:
        if sum(getattr(self, name) is not None for name in type(self).model_fields) != 1:
            yield ValueError("name one of aws, azure, cloudflare, google, pdns, rfc2136")

    @property
    def chosen(self) -> Aws | Azure | CloudflareProvider | GoogleProvider | PowerDns | Rfc2136Provider:
        """That one."""
        every = (self.aws, self.azure, self.cloudflare, self.google, self.pdns, self.rfc2136)
        return next(each for each in every if each is not None)
