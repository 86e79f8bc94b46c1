"""Types of the KAI scheduler."""
