"""Types of volume snapshots and group snapshots."""
