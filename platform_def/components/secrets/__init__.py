"""Where Secrets come from."""
