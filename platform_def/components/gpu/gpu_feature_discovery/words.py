"""Words of stack files that are GPU feature discovery's."""

from platform_def.config.words.kinds import Words

WORDS = Words(notes={"ModelLabel.key": "GPU feature discovery writes `nvidia.com/gpu.product`."})
