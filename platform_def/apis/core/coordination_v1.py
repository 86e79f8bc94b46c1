"""Core types of api.coordination.v1, written by `generate.py`."""

# ruff: noqa: D101

from __future__ import annotations

from platform_def.crds.model import Api
from platform_def.crds.schema import Time
from platform_def.crds.typed_dict import TypedDict


class LeaseSpec(TypedDict, total=False):
    acquireTime: Time
    holderIdentity: str
    leaseDurationSeconds: int
    leaseTransitions: int
    preferredHolder: str
    renewTime: Time
    strategy: str


LEASE = Api(group="coordination.k8s.io", version="v1", kind="Lease", plural="leases", spec=LeaseSpec, builtin=True)
