"""The table: every kind of change that the API server refuses of its own kinds."""

from __future__ import annotations

from collections.abc import Mapping

from platform_def.manifests.updates.change import Row
from platform_def.manifests.updates.claims import CLAIMS
from platform_def.manifests.updates.definitions import DEFINITIONS
from platform_def.manifests.updates.jobs import JOBS
from platform_def.manifests.updates.others import OTHERS
from platform_def.manifests.updates.services import SERVICES
from platform_def.manifests.updates.storage import STORAGE
from platform_def.manifests.updates.workloads import WORKLOADS

ROWS: tuple[Row, ...] = (*WORKLOADS, *JOBS, *STORAGE, *CLAIMS, *SERVICES, *DEFINITIONS, *OTHERS)

_BY_KIND: Mapping[str, tuple[Row, ...]] = {
    kind: tuple(row for row in ROWS if kind in row.kinds) for kind in {kind for row in ROWS for kind in row.kinds}
}


def rows_of(group: str, kind: str) -> tuple[Row, ...]:
    """The rows about a kind; none where everything of it may change."""
    return _BY_KIND.get(f"{kind}.{group}" if group else kind, ())
