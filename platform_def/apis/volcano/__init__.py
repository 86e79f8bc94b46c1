"""Types of Volcano."""
