"""The form in which people make notebooks, and its configuration."""
