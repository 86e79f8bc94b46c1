"""LeaderWorkerSet: groups of pods that are made, placed and replaced together."""
