"""Types of KServe."""
