"""Words of stack files that belong to kube-state-metrics."""

from platform_def.config.words.kinds import Words

WORDS = Words(
    notes={
        "NodePool.price_per_hour": "Recorded series and a dashboard of kube-state-metrics then say what the GPUs of "
        "teams and users cost.",
    }
)
