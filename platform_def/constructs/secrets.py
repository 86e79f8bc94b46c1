"""Secrets that pods of a component read: made in the cluster, fetched, opened from ciphertext, or there already.

A Secret's content is never rendered. Pods read Secrets of their own namespace alone, so one that several namespaces
need is in each of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, cast

from platform_def.apis.core.core_v1 import (
    SECRET,
    Container,
    EnvVar,
    PodSecurityContext,
    PodSpec,
    SecretKeySelector,
    Volume,
)
from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.apis.external_secrets.v1 import EXTERNAL_SECRET
from platform_def.apis.sealed_secrets.v1alpha1 import SEALED_SECRET
from platform_def.capabilities.secrets import document_for, documents, keys_in, refuse_unserved, store_of
from platform_def.config.platform import Platform
from platform_def.config.secrets import SecretSource
from platform_def.constructs.component import Piece, Scope
from platform_def.constructs.config_map import config_map, restart_on_change
from platform_def.constructs.rbac import Account, allow
from platform_def.constructs.resource import Resource
from platform_def.constructs.security import RESTRICTED
from platform_def.constructs.workloads.jobs import Job
from platform_def.crds.model import Api
from platform_def.errors import ConfigError

PYTHON = "docker.io/library/python:3.13.7-alpine3.22"
"""What makes Secrets in the cluster: Python's own image, for its library alone."""

UNPRIVILEGED: PodSecurityContext = {"runAsUser": 65534, "runAsGroup": 65534, "fsGroup": 65534, "runAsNonRoot": True}
"""For programs that need no user of their image's own; `fsGroup` lets them read mounted Secrets."""


@dataclass(frozen=True)
class SecretUse:
    """A Secret as pods name it."""

    name: str
    keys: Mapping[str, str] = field(default_factory=dict)
    """What a key is called there, where that is not what the component calls it."""

    def key(self, asked: str) -> str:
        """What a key of the component's is called there."""
        return self.keys.get(asked, asked)

    def ref(self, asked: str) -> SecretKeySelector:
        """A reference to one key."""
        return {"name": self.name, "key": self.key(asked)}

    def env(self, variable: str, asked: str) -> EnvVar:
        """A variable that holds one key."""
        return {"name": variable, "valueFrom": {"secretKeyRef": self.ref(asked)}}

    def volume(self, name: str, *asked: str) -> Volume:
        """A volume with these keys as files, called as the component calls the keys; readable for the pod's group."""
        items = [{"key": self.key(each), "path": each} for each in asked]
        return cast(Volume, {"name": name, "secret": {"secretName": self.name, "items": items, "defaultMode": 0o440}})


def secret_name(source: SecretSource, name: str, platform: Platform) -> str:
    """Name under which a Secret is mounted; `name` is what the component would call it."""
    if source.existing:
        return source.existing
    found = documents(source, platform)
    metadata = found[0].get("metadata") if found else None
    return str(metadata["name"]) if isinstance(metadata, dict) else name


def secret_of(
    scope: Scope,
    name: str,
    source: SecretSource,
    *,
    keys: Sequence[str],
    namespaces: Sequence[str] = (),
    values: Mapping[str, str] | None = None,
) -> SecretUse:
    """A Secret with these keys in each of the namespaces, by default the component's own, from wherever a stack wants.

    `values` are those of its keys that are no secret, such as a user's name: written where the Secret is generated,
    and expected there as they are otherwise. Raises ConfigError where the stack cannot serve the source.
    """
    homes = tuple(dict.fromkeys(namespaces or (scope.owner.namespace,)))
    platform = scope.owner.platform
    refuse_unserved(source, platform)
    if source.generate:
        passwords = [key for key in keys if key not in (values or {})]
        length = source.generate.length
        return GeneratedSecret(scope, name, passwords=passwords, values=values, length=length, namespaces=homes).use
    if source.external_secret:
        for home in homes:
            _external(scope, name, source, keys, home)
        return SecretUse(name)
    for home in homes if source.file else ():
        _opened(scope, source, keys, home)
    return SecretUse(secret_name(source, name, platform), source.keys)


class GeneratedSecret(Piece):
    """A Secret that a Job makes in the cluster once: never in Git, never written over, in all namespaces the same.

    Pods that mount it wait until it is there. It is as dear as the data that it opens: nothing in Git makes it again.
    """

    def __init__(
        self,
        scope: Scope,
        name: str,
        *,
        passwords: Sequence[str] = ("password",),
        values: Mapping[str, str] | None = None,
        length: int = 32,
        namespaces: Sequence[str] = (),
    ):
        """`passwords` are keys with a new password of `length` letters and digits; `values` go in as they are. The
        first of `namespaces`, by default the component's own, holds the copy that decides."""
        super().__init__(scope, name)
        self.name = name
        self.use = SecretUse(name)
        self.namespaces = tuple(dict.fromkeys(namespaces or (self.owner.namespace,)))
        plan = {
            "name": name,
            "namespaces": self.namespaces,
            "metadata": {"labels": self._labels()},
            "passwords": dict.fromkeys(passwords, length),
            "values": dict(values or {}),
        }
        maker = f"{name}-generator"
        files = {"generate.py": generator_program(), "plan.json": json.dumps(plan, indent=2, sort_keys=True) + "\n"}
        config_map(self, maker, files)
        account = Account(self, maker)
        for namespace in self.namespaces:
            account.allow_in(namespace, _rules(name))
            self.component.makes("Secret", name, namespace=namespace)
        role = f"{self.component.roles.role_of(name)}-generator"
        Job(self, maker, role=role, pod=_maker(maker), pod_annotations=restart_on_change(*files.values()), hashed=True)

    def _labels(self) -> dict[str, str]:
        """Without those by which a delivery engine may take it for one of its own and prune it."""
        labels = self.component.labels()
        return {key: labels[key] for key in ("app.kubernetes.io/name", "app.kubernetes.io/managed-by")}


def _rules(secret: str) -> list[PolicyRule]:
    """`create` cannot be granted by name; everything else is."""
    return [allow("", "secrets", verbs="create"), allow("", "secrets", verbs="get", names=secret)]


@cache
def generator_program() -> str:
    """The program that makes Secrets, whose `Api` other programs in the cluster use."""
    return Path(__file__).with_name("secret_generator.py").read_text()


def _maker(name: str) -> PodSpec:
    container: Container = {
        "name": "generator",
        "image": PYTHON,
        "command": ["python3", "-B", "/generator/generate.py", "/generator/plan.json"],
        "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "128Mi"}},
        "securityContext": RESTRICTED,
        "volumeMounts": [{"name": "generator", "mountPath": "/generator", "readOnly": True}],
    }
    return {
        "serviceAccountName": name,
        "securityContext": UNPRIVILEGED,
        "containers": [container],
        "volumes": [{"name": "generator", "configMap": {"name": name}}],
    }


def _external(scope: Scope, name: str, source: SecretSource, keys: Sequence[str], namespace: str) -> None:
    """An ExternalSecret, which writes the keys as the component calls them."""
    assert source.external_secret
    path = source.external_secret.path
    Resource(
        scope,
        EXTERNAL_SECRET,
        name,
        namespace=namespace,
        spec={
            "refreshInterval": "1h0m0s",
            "secretStoreRef": {"kind": "ClusterSecretStore", "name": store_of(source, scope.owner.platform)},
            "target": {"name": name, "creationPolicy": "Owner", "deletionPolicy": "Retain"},
            "data": [
                {"secretKey": key, "remoteRef": {"key": path, "property": source.key(key)}} for key in sorted(keys)
            ],
        },
    )


def _opened(scope: Scope, source: SecretSource, keys: Sequence[str], namespace: str) -> None:
    """The ciphertext as it lies in the repository, in one namespace."""
    document = document_for(source, namespace, scope.owner.platform)
    missing = sorted({source.key(key) for key in keys} - keys_in(document))
    if missing:
        hint = "seal it with them, or say by `keys:` what they are called there"
        raise ConfigError(f"{source.file}: the Secret for {namespace} has no {', '.join(missing)}", hint=hint)
    metadata = cast("dict[str, Any]", document["metadata"])
    rest = {key: value for key, value in document.items() if key not in ("apiVersion", "kind", "metadata")}
    api: Api[Any] = SEALED_SECRET if source.sealed else SECRET
    Resource(
        scope,
        api,
        metadata["name"],
        namespace=namespace,
        fields=rest,
        labels=metadata.get("labels"),
        annotations=metadata.get("annotations"),
    )
