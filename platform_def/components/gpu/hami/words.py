"""Words of stack files that are HAMi's, release 2.10."""

from platform_def.config.words.kinds import LayerWord, SchedulerWord, Words

COUNT, CORES = "nvidia.com/vgpu", "nvidia.com/gpucores"
MEMORY, MEMORY_PERCENT = "nvidia.com/gpumem", "nvidia.com/gpumem-percentage"
"""Nodes offer the count alone, the rest is its scheduler's. The count's own name is `nvidia.com/gpu`, which whole cards
of other pools have."""
LAYER = LayerWord(word="hami", shares=COUNT, percent=(CORES, MEMORY_PERCENT))
SCHEDULER = SchedulerWord(word="hami-scheduler")
WORDS = Words(
    layers=(LAYER,),
    schedulers=(SCHEDULER,),
    notes={"Sharing.layer": "HAMi is maintained and knows current nodes."},
)
