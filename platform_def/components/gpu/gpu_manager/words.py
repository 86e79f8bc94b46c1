"""Words of stack files that are gpu-manager's, release 1.1."""

from platform_def.config.words.kinds import LayerWord, Words

LAYER = LayerWord(
    word="gpu-manager",
    default=True,
    # It takes 1 to 99 units for a share, or multiples of 100 for whole cards.
    cores="tencent.com/vcuda-core",
    memory="tencent.com/vcuda-memory",
    memory_mib=256,
)
WORDS = Words(
    layers=(LAYER,),
    notes={
        "Sharing.layer": "gpu-manager has been unmaintained since 2021.",
        "ModelLabel.key": "gpu-manager writes `gaia.tencent.com/gpu-model`.",
    },
)
