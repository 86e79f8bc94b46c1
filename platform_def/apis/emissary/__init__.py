"""Types of Emissary."""
