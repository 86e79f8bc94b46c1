"""Types of NVIDIA's GPU operator and DRA driver."""
