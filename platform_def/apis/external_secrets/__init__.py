"""Types of External Secrets."""
