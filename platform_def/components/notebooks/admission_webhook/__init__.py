"""The webhook that gives pods of teams what PodDefaults say."""
