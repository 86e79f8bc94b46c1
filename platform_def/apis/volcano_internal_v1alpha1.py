"""Volcano 1.15: flows of jobs, and what its controllers and node agents tell each other."""

from __future__ import annotations

from pathlib import Path

from platform_def.apis.model import AGE, Api, Column, DataSchema, Definition

_DATA = Path(__file__).with_name("volcano_internal_v1alpha1.json")

JOB_FLOW = Api(
    group="flow.volcano.sh",
    version="v1alpha1",
    kind="JobFlow",
    plural="jobflows",
    spec=dict[str, object],
    data=DataSchema(_DATA, "jobflows/v1alpha1"),
    core="1.35",
    embedded_metadata=True,
    status_subresource=True,
    columns=(Column("Status", ".status.state.phase"), AGE),
)

JOB_TEMPLATE = Api(
    group="flow.volcano.sh",
    version="v1alpha1",
    kind="JobTemplate",
    plural="jobtemplates",
    spec=dict[str, object],
    data=DataSchema(_DATA, "jobtemplates/v1alpha1"),
    core="1.35",
    embedded_metadata=True,
    status_subresource=True,
)

COMMAND = Api(
    group="bus.volcano.sh",
    version="v1alpha1",
    kind="Command",
    plural="commands",
    spec=dict[str, object],
    top_level=True,
    data=DataSchema(_DATA, "commands/v1alpha1"),
    core="1.35",
    embedded_metadata=True,
)

COLOCATION_CONFIGURATION = Api(
    group="config.volcano.sh",
    version="v1alpha1",
    kind="ColocationConfiguration",
    plural="colocationconfigurations",
    spec=dict[str, object],
    data=DataSchema(_DATA, "colocationconfigurations/v1alpha1"),
    core="1.35",
    embedded_metadata=True,
    status_subresource=True,
)

NUMATOPOLOGY = Api(
    group="nodeinfo.volcano.sh",
    version="v1alpha1",
    kind="Numatopology",
    plural="numatopologies",
    namespaced=False,
    spec=dict[str, object],
    data=DataSchema(_DATA, "numatopologies/v1alpha1"),
    core="1.35",
    embedded_metadata=True,
)

NODE_SHARD = Api(
    group="shard.volcano.sh",
    version="v1alpha1",
    kind="NodeShard",
    plural="nodeshards",
    namespaced=False,
    spec=dict[str, object],
    data=DataSchema(_DATA, "nodeshards/v1alpha1"),
    core="1.35",
    embedded_metadata=True,
    status_subresource=True,
    columns=(Column("AGE", ".metadata.creationTimestamp", type="date"),),
)

HYPER_NODE = Api(
    group="topology.volcano.sh",
    version="v1alpha1",
    kind="HyperNode",
    plural="hypernodes",
    namespaced=False,
    spec=dict[str, object],
    data=DataSchema(_DATA, "hypernodes/v1alpha1"),
    core="1.35",
    embedded_metadata=True,
    status_subresource=True,
    columns=(
        Column("Tier", ".spec.tier"),
        Column("TierName", ".spec.tierName"),
        Column("NodeCount", ".status.nodeCount", type="integer"),
        AGE,
    ),
)

CRDS = (
    Definition((JOB_FLOW,), short_names=("jf",)),
    Definition((JOB_TEMPLATE,), short_names=("jt",)),
    Definition((COMMAND,)),
    Definition((COLOCATION_CONFIGURATION,)),
    Definition((NUMATOPOLOGY,), short_names=("numatopo",)),
    Definition((NODE_SHARD,), short_names=("nsh",)),
    Definition((HYPER_NODE,), short_names=("hn",)),
)
