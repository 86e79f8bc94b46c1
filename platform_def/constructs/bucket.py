"""A bucket of a component's own in the object store that the stack has, and keys to parts of it for others."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from platform_def.apis.core.core_v1 import Container, EnvVar, KeyToPath, PodSpec, Volume, VolumeMount
from platform_def.capabilities import ObjectStore
from platform_def.capabilities.stores import SharedBucket, StoreAdministrator
from platform_def.config.capability import Given
from platform_def.config.objects import Stored
from platform_def.config.platform import ExistingObject
from platform_def.config.secrets import GENERATED
from platform_def.constructs.component import Piece, Scope, Setting
from platform_def.constructs.config_map import config_map, restart_on_change
from platform_def.constructs.environment import env
from platform_def.constructs.network_policy import NetworkPolicy, Opening, from_namespace, from_pods
from platform_def.constructs.secrets import PYTHON, UNPRIVILEGED, SecretUse, secret_of
from platform_def.constructs.security import RESTRICTED
from platform_def.constructs.volumes import mounts
from platform_def.constructs.workloads.jobs import Job
from platform_def.errors import ConfigError, Problem

KEYS = ("accessKey", "secretKey")
AUTHORITY, AUTHORITY_FOLDER, CA_FILE = "store-ca", "/etc/store-ca", "ca.crt"


@dataclass(frozen=True)
class BucketKey:
    """A key for another namespace, to a part of the bucket."""

    name: str
    """What stacks call it under `buckets`; the Secret is called `<name>-bucket`."""
    namespace: str
    prefix: str = ""
    """The objects that it opens: those whose names begin so."""
    writes: bool = True
    """Whether it opens them for writing too; only a store in the cluster with an administrator is told."""


class Bucket(Piece):
    """A bucket and the credentials for it.

    On a store in the cluster that has an administrator, a Job makes the bucket, a user for it and its key; elsewhere
    the stack says which credentials serve. `secret` is None where pods have an identity of the cloud's that serves.
    `host`, `port`, `tls`, `region`, `ca` and `bucket` are what pods are configured with.
    """

    def __init__(
        self,
        scope: Scope,
        name: str,
        *,
        bucket: str = "",
        secret: str = "",
        namespaces: Sequence[str] = (),
        keys: Sequence[BucketKey] = (),
    ):
        """`name` is what stacks call it under `buckets`; the bucket is called so too unless `bucket` says otherwise,
        and the Secret `<name>-bucket`, with the keys `accessKey` and `secretKey`. It is in each of the `namespaces`,
        by default in the component's own. `keys` are further ones, found by their namespace in `self.keys`."""
        super().__init__(scope, name)
        self.name = name
        self.given: Given[ObjectStore] = self.component.one(ObjectStore)
        store = self.given.value
        self.host, self.port, self.tls, self.region, self.ca = store.host, store.port, store.tls, store.region, store.ca
        self.path_style = store.path_style
        self.bucket = store.buckets.get(name, SharedBucket()).bucket or bucket or name
        self.component.stores(Stored(name, "s3", self.host, self.port, self.bucket, store.namespace or ""))
        homes = tuple(dict.fromkeys(namespaces or (self.component.namespace,)))
        self._users: dict[str, SecretUse] = {}
        self._plans: list[dict[str, object]] = []
        self.secret = self._credentials(BucketKey(name, ""), secret or f"{name}-bucket", homes)
        self.keys: Mapping[str, SecretUse | None] = {
            each.namespace: self._credentials(each, f"{each.name}-bucket", (each.namespace,)) for each in keys
        }
        if self._users and store.administrator and store.namespace:
            self._make(store.administrator, store.namespace)
        if store.pods and store.namespace and self.component.platform.network_policies:
            users = tuple(dict.fromkeys([*homes, *(each.namespace for each in keys)]))
            self._let_in(store, store.namespace, users)

    def _credentials(self, key: BucketKey, secret: str, homes: tuple[str, ...]) -> SecretUse | None:
        """The Secret with one user's key: the one that the stack names, else one that is registered with the store."""
        store, name = self.given.value, key.name
        share = store.buckets.get(name, SharedBucket())
        credentials = share.credentials or store.credentials
        makes = store.administrator is not None and store.namespace is not None
        if credentials is None and store.namespace is not None and not makes:
            text = f"{self.given.by} gives an object store in the cluster, and nothing says how {name} gets into it"
            hint = f"add `credentials: …`, or `buckets: {{{name}: {{credentials: …}}}}`, to its `objectStore`"
            raise ConfigError(f"components.{self.component.name}: {text}", hint=hint)
        if credentials and credentials.generate and not makes:
            text = f"{self.given.by} gives an object store that does not know a generated key"
            hint = "name the Secret with the keys that its owner gave: `existing: …`, or another source"
            raise ConfigError(f"components.{self.component.name}: {text}", hint=hint)
        if makes and store.namespace and (credentials is None or credentials.generate):
            made = secret_of(self, secret, credentials or GENERATED, keys=KEYS, namespaces=(*homes, store.namespace))
            self._users[name] = made
            self._plans.append({"name": name, "prefix": key.prefix, **({} if key.writes else {"writes": False})})
            return made
        return secret_of(self, secret, credentials, keys=KEYS, namespaces=homes) if credentials else None

    def _make(self, administrator: StoreAdministrator, home: str) -> None:
        """The Job, in the store's namespace; it may run any number of times."""
        store, name = self.given.value, f"{self.name}-bucket"
        plan = {"host": store.host, "port": store.port, "tls": store.tls, "region": store.region}
        plan |= {"bucket": self.bucket, "users": self._plans}
        files = {"make.py": store_program(), "plan.json": json.dumps(plan, indent=2, sort_keys=True) + "\n"}
        config_map(self, name, files, namespace=home)
        secrets = {"administrator": SecretUse(administrator.secret, administrator.keys)}
        secrets |= self._users
        role = f"{self.component.roles.role_of(self.name)}-bucket"
        annotations = restart_on_change(*files.values())
        Job(self, name, role=role, pod=_maker(name, secrets), namespace=home, pod_annotations=annotations, hashed=True)

    def _let_in(self, store: ObjectStore, home: str, users: Sequence[str]) -> None:
        """The component's pods, its Job and all pods of namespaces with a key reach the store."""
        own = {"app.kubernetes.io/instance": self.component.name}
        named = {self.component.namespace, home}
        openings: list[Opening] = [from_pods(own, store.port, namespace=each) for each in sorted(named)]
        openings += [from_namespace(store.port, name=each) for each in users if each not in named]
        NetworkPolicy(self, f"{self.name}-bucket", openings=openings, pods=store.pods, namespace=home)

    def authority_volumes(self) -> list[Volume]:
        """Who signed the store's certificate, as a file; nothing where a public authority did."""
        if self.ca is None:
            return []
        items: list[KeyToPath] = [{"key": self.ca.key, "path": CA_FILE}]
        return [{"name": AUTHORITY, "configMap": {"name": self.ca.config_map, "items": items}}]

    def authority_mounts(self) -> list[VolumeMount]:
        """Where containers have it: in AUTHORITY_FOLDER."""
        return mounts({AUTHORITY: AUTHORITY_FOLDER}, read_only=True) if self.ca else []

    def authority_env(self, variable: str, *, folder: bool = False) -> list[EnvVar]:
        """A variable with the path of the file, or of its folder."""
        return env({variable: AUTHORITY_FOLDER if folder else f"{AUTHORITY_FOLDER}/{CA_FILE}"}) if self.ca else []

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


def authority_problems(at: Setting[Any]) -> Iterator[Problem]:
    """Steps of Argo Workflows take a private authority from no ConfigMap."""
    given = at.maybe(ObjectStore)
    if given and given.value.ca and given.value.ca.secret is None:
        ca = given.value.ca
        yield Problem(
            f"components.{at.name}: {given.by} gives an object store of a private authority, and steps of workflows "
            "read that from a Secret alone",
            hint=f"add `secret: NAME` to its `ca`: a Secret with the key {ca.key} in each namespace with workflows",
        )


def authorities_there(at: Setting[Any], *namespaces: str) -> tuple[ExistingObject, ...]:
    """What a stack says of the store's authority is in these namespaces already."""
    given = at.maybe(ObjectStore)
    ca = given.value.ca if given else None
    return tuple(ExistingObject("ConfigMap", ca.config_map, home) for home in namespaces) if ca else ()


@cache
def store_program() -> str:
    """The program that makes buckets and keys, and keeps backups."""
    return Path(__file__).with_name("store_program.py").read_text()


def _maker(name: str, secrets: Mapping[str, SecretUse]) -> PodSpec:
    """The Job's pod; each key is a folder of files, never a variable."""
    container: Container = {
        "name": "bucket",
        "image": PYTHON,
        "command": ["python3", "-B", "/maker/make.py", "/maker/plan.json"],
        "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "128Mi"}},
        "securityContext": RESTRICTED,
        "volumeMounts": mounts(
            {"maker": "/maker", **{each: f"/run/secrets/{each}" for each in secrets}}, read_only=True
        ),
    }
    return {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "securityContext": UNPRIVILEGED,
        "containers": [container],
        "volumes": [
            {"name": "maker", "configMap": {"name": name}},
            *(use.volume(each, *KEYS) for each, use in secrets.items()),
        ],
    }
