"""How much a counter has grown, with what its series begins with.

A counter with labels has no series before its first event, so a series begins with 1 and not with 0. Prometheus' own
`increase` sees a growth between two samples alone: of the first event it says nothing.
"""

from __future__ import annotations

PER_TARGET = "on (job, instance) group_left ()"


def increased(series: str, window: str) -> str:
    """PromQL: by how much the series grew within the window (`30m`); of one that began in it, all that it has counted.

    A series began where its target was read in the window and did not have it yet. One that was there when Prometheus
    read the target first has counted before: of that nothing is taken.
    """
    reads = f"max by (job, instance) (sum_over_time(up[{window}]))"
    begun = f"{series} and count_over_time({series}[{window}]) < {PER_TARGET} {reads}"
    return f"({begun} or increase({series}[{window}]))"
