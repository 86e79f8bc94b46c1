"""Types of Sealed Secrets."""
