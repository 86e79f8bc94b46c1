"""Types of Seldon Core."""
