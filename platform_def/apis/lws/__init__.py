"""LeaderWorkerSet and what is built on it."""
