"""Policies by which pods wait where no gate keeps the order: for a webhook, and for definitions."""
