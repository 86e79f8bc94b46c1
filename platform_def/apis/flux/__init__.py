"""Types of Flux."""
