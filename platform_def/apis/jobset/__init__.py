"""Types of JobSet."""
