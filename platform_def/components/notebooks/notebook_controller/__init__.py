"""The controller that runs notebooks."""
