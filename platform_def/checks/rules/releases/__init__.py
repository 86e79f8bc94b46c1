"""Rules about the releases that a stack installs: what upstream tries them with, fixes, and asks of their users."""
