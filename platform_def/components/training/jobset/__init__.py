"""JobSet: groups of Jobs that start, fail and end together, and whose pods find each other by name."""
