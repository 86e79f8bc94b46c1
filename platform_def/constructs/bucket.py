"""A bucket of a component's own in the object store that the stack has for it."""

from __future__ import annotations

from collections.abc import Sequence

from platform_def.apis.core.core_v1 import EnvVar
from platform_def.capabilities import ObjectStore
from platform_def.capabilities.stores import SharedBucket
from platform_def.config.capability import Given
from platform_def.config.objects import Stored
from platform_def.constructs.component import Piece, Scope
from platform_def.constructs.secrets import SecretUse, secret_of
from platform_def.errors import ConfigError

KEYS = ("accessKey", "secretKey")


class Bucket(Piece):
    """A bucket and the credentials for it.

    `secret` is None where pods have an identity of the cloud's that serves. `host`, `port`, `tls`, `region`, `ca` and
    `bucket` are what pods are told.
    """

    def __init__(self, scope: Scope, name: str, *, bucket: str = "", secret: str = "", namespaces: Sequence[str] = ()):
        """`name` is what stacks call it under `buckets`; the bucket is called so too unless `bucket` says otherwise,
        and the Secret `<name>-bucket`, with the keys `accessKey` and `secretKey`. It is in each of the `namespaces`,
        by default in the component's own."""
        super().__init__(scope, name)
        self.name = name
        self.given: Given[ObjectStore] = self.component.one(ObjectStore)
        store = self.given.value
        self.host, self.port, self.tls, self.region, self.ca = store.host, store.port, store.tls, store.region, store.ca
        self.path_style = store.path_style
        share = store.buckets.get(name, SharedBucket())
        self.bucket = share.bucket or bucket or name
        credentials = share.credentials or store.credentials
        if credentials is None and store.namespace is not None:
            text = f"{self.given.by} gives an object store in the cluster, and nothing says how {name} gets into it"
            hint = f"add `credentials: …`, or `buckets: {{{name}: {{credentials: …}}}}`, to its `objectStore`"
            raise ConfigError(f"components.{self.component.name}: {text}", hint=hint)
        if credentials and credentials.generate:
            text = f"{self.given.by} gives an object store that does not know a generated key"
            hint = "name the Secret with the keys that its owner gave: `existing: …`, or another source"
            raise ConfigError(f"components.{self.component.name}: {text}", hint=hint)
        self.secret: SecretUse | None = (
            secret_of(self, secret or f"{name}-bucket", credentials, keys=KEYS, namespaces=namespaces)
            if credentials
            else None
        )
        where = (self.host, self.port, self.bucket, store.namespace or "")
        self.component.stores(Stored(name, "s3", *where))

    @property
    def endpoint(self) -> str:
        """Host and port, as S3 clients take them."""
        return f"{self.host}:{self.port}"

    @property
    def url(self) -> str:
        """The endpoint with its scheme."""
        return f"{'https' if self.tls else 'http'}://{self.endpoint}"

    def env(self, *, access_key: str, secret_key: str) -> list[EnvVar]:
        """Variables of a container with the credentials; none where an identity serves."""
        if self.secret is None:
            return []
        return [self.secret.env(access_key, "accessKey"), self.secret.env(secret_key, "secretKey")]
