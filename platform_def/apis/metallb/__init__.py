"""Types of MetalLB: pools of addresses, and how networks learn of them."""
