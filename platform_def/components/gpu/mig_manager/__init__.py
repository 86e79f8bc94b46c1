"""MIG manager: cuts cards."""
