"""Types of Kueue."""
