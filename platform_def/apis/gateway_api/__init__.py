"""Types of Gateway API and its inference extension."""
