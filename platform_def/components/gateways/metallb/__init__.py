"""MetalLB."""
