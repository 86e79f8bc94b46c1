"""A test of each GPU node before jobs get it."""
