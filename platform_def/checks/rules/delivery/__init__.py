"""What the delivery engine of a stack cannot bring, or was never seen to bring."""
