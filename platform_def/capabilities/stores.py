"""Object stores, and how a component comes to a bucket of its own on one."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from platform_def.config.capability import Capability
from platform_def.config.model import Host, Labels, Model, Name, Port, Subdomain
from platform_def.config.secrets import CaSource, KeyName, SecretSource

BucketName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")]


class SharedBucket(Model):
    """A bucket that exists already for one component."""

    bucket: BucketName | None = None
    """Its name; by default the one that the component would choose."""
    credentials: SecretSource | None = None
    """Secret with the keys `accessKey` and `secretKey` for it; by default what the store says for all."""


class StoreAuthority(CaSource):
    """Who signed the certificate of an object store."""

    secret: Subdomain | None = None
    """Secret with the same, under the same key: steps of Argo Workflows read it, in the namespaces of workflows."""


class StoreAdministrator(Model):
    """The key that makes buckets and keys on a store in the cluster, whose endpoint must speak the IAM API too."""

    secret: Subdomain
    """Secret in the store's namespace with the key."""
    keys: dict[KeyName, KeyName] = Field(default_factory=dict)
    """What `accessKey` and `secretKey` are called in it, where that is something else."""


class ObjectStore(Capability):
    """An S3 endpoint that components keep files in; one a stack, unless a component names another."""

    title: ClassVar[str] = "an object store"

    host: Host
    """Name or address of the endpoint."""
    port: Port = 443
    """Its port."""
    tls: bool = True
    """HTTPS; only inside a cluster is there a reason to do without."""
    region: str = "us-east-1"
    """Region that requests are signed for; what most stores outside AWS take."""
    path_style: bool = True
    """The bucket is a part of the path and not of the host's name."""
    ca: StoreAuthority | None = None
    """Who signed its certificate; a public authority where nothing is said."""
    credentials: SecretSource | None = None
    """Where each consumer's Secret comes from, with the keys `accessKey` and `secretKey`; none where the account's own
    identity in the cloud serves."""
    namespace: Name | None = None
    """Where it runs in the cluster, and where buckets are made by a Job; None: outside, where its owner makes them."""
    pods: Labels = Field(default_factory=dict)
    """Labels of its pods in that namespace, for policies that let users in."""
    administrator: StoreAdministrator | None = None
    """Who makes buckets and keys there: each consumer then gets a bucket and a key of its own. Without one, buckets are
    made by hand and `credentials` say how consumers get in."""
    buckets: dict[Name, SharedBucket] = Field(default_factory=dict)
    """Buckets that exist already, by the name that their user has for them, mostly the component's."""
