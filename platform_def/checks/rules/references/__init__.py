"""What objects name and lead to is there."""
