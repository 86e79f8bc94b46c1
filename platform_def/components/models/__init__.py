"""Models: what records how they came about, and keeps them."""
