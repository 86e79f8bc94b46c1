"""Notebooks, and what runs beside them."""
