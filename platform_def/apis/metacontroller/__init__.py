"""Types of Metacontroller."""
