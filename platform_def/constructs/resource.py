"""The only module that creates API objects.

A `Resource` is a cdk8s ApiObject whose body stays in Python: sending large bodies through Node costs a second per
megabyte, rounds integers beyond 2^53 and drops nulls. `to_json` hands the body to cdk8s when a stock App asks for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import cdk8s
import jsii

from platform_def.config.objects import CRD, Part, part_of
from platform_def.constructs.component import Owner, Scope, merged_labels
from platform_def.constructs.protection import PROTECTED, protection
from platform_def.crds.model import Api
from platform_def.crds.schema import Manifest as Manifest

S = TypeVar("S")


class Resource(cdk8s.ApiObject):
    """One Kubernetes object, core or custom, in Kubernetes' own spelling."""

    def __init__(
        self,
        scope: Scope,
        api: Api[S],
        name: str,
        *,
        spec: S | None = None,
        fields: S | None = None,
        namespace: str | None = None,
        labels: Mapping[str, str] | None = None,
        annotations: Mapping[str, str] | None = None,
        part: Part | None = None,
    ):
        """`spec` for kinds that have one; `fields` holds the top-level fields of kinds that have none (Role …)."""
        owner = scope.owner
        home = (namespace or owner.namespace) if api.namespaced else None
        metadata: Manifest = {"name": name}
        if home is not None:
            metadata["namespace"] = home
        metadata["labels"] = merged_labels(owner.labels(), owner.labels_of(api.full_name), labels)
        notes = merged_labels(owner.annotations, annotations, _protected(api.kind, owner))
        if notes:
            metadata["annotations"] = notes
        self._create(scope, f"{api.kind}-{home}-{name}" if home else f"{api.kind}-{name}", api, metadata)
        body: Manifest = {"apiVersion": api.api_version, "kind": api.kind, "metadata": metadata}
        if spec is not None:
            body["spec"] = spec
        if fields is not None:
            body |= {**fields}  # type: ignore[dict-item]
        if api.kind == "ServiceAccount" and (secrets := owner.platform.pull_secrets):
            body["imagePullSecrets"] = [{"name": each} for each in secrets]
        if api.kind != CRD:  # bounds of int64 fields are there what they are
            _refuse_lossy(body, f"{api.kind}/{name}")
        self.body = body
        self.part: Part = part or part_of(api.kind)
        self.origin = f"{scope.path}/{api.kind}({name})"
        self._patches: list[cdk8s.JsonPatch] = []

    def _create(self, scope: Scope, name: str, api: Api[S], metadata: Manifest) -> None:
        """What cdk8s.ApiObject does first of all, in a third of the time: it holds each value against its type."""
        named = {key: metadata[key] for key in ("name", "namespace") if key in metadata}
        props = {"apiVersion": api.api_version, "kind": api.kind, "metadata": named}
        jsii.create(cdk8s.ApiObject, self, [scope, name, props])

    @property
    def manifest(self) -> Manifest:
        """The object as it is delivered."""
        if not self._patches:
            return self.body
        patched: Manifest = cdk8s.JsonPatch.apply(self.body, *self._patches)
        return patched

    def add_json_patch(self, *ops: cdk8s.JsonPatch) -> None:
        """Apply JSON patches to the object, as any cdk8s ApiObject can."""
        self._patches += ops

    def to_json(self) -> Manifest:
        """The object, for a stock cdk8s App."""
        return self.manifest


def _protected(kind: str, owner: Owner) -> Mapping[str, str]:
    return protection(kind, owner.platform.delivery) if kind in PROTECTED else {}


def _refuse_lossy(value: object, path: str) -> None:
    """A None, a huge integer or an odd key in a component's body is a mistake in its code, not in the user's file."""
    kind = type(value)
    if kind is str or kind is bool:
        return
    if kind is dict:
        for key, item in value.items():  # type: ignore[attr-defined]
            if type(key) is not str:
                raise TypeError(f"{path}: the key {key!r} is not text")
            _refuse_lossy(item, f"{path}.{key}")
    elif kind is list or kind is tuple:
        for index, item in enumerate(value):  # type: ignore[arg-type]
            _refuse_lossy(item, f"{path}[{index}]")
    elif value is None:
        raise TypeError(f"{path} is None: leave the field out")
    elif kind is int and abs(value) > 2**53:  # type: ignore[arg-type]
        raise TypeError(f"{path} is {value}: JSON readers round integers beyond 2^53")
