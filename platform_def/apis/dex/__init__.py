"""Types of Dex."""
