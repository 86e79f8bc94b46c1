"""A component for platform-def that lives in a package of its own."""
