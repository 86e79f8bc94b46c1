"""Components that offer volumes."""
