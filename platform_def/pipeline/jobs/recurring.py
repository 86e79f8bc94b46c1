"""Recurring runs of Kubeflow Pipelines: no object of the cluster is one, so no engine deletes it with its job."""

from __future__ import annotations

import json
from collections.abc import Iterator

from platform_def.manifests.loose import mapping, text
from platform_def.manifests.rendered import Manifest


def recurring_run(manifest: Manifest) -> Iterator[str]:
    """The recurring run that an object of a job has the server make, with its experiment; none for most objects."""
    try:
        plan = mapping(json.loads(text(mapping(manifest.get("data")).get("plan.json")) or "{}"))
    except json.JSONDecodeError:  # edited by hand
        return
    if plan.get("schedule"):
        yield f"{plan.get('run')} (experiment {plan.get('experiment')})"
