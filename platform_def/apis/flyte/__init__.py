"""Types of Flyte."""
