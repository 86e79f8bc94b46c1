"""KAI 0.17 (scheduling.run.ai): what the scheduler tells the binder."""

from __future__ import annotations

from pathlib import Path

from platform_def.crds.model import Api, DataSchema, Definition

_DATA = Path(__file__).with_name("bind_request_v1alpha2.json")

BIND_REQUEST = Api(
    group="scheduling.run.ai",
    version="v1alpha2",
    kind="BindRequest",
    plural="bindrequests",
    spec=dict[str, object],
    data=DataSchema(_DATA, "bindrequests/v1alpha2"),
    core="1.36",
    status_subresource=True,
)

CRDS = (Definition((BIND_REQUEST,)),)
