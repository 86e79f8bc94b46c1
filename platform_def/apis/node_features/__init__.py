"""Types of node feature discovery and of node topology."""
