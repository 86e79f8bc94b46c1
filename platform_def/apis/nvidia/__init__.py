"""Types of NVIDIA's GPU operator and DRA driver, of files that its programs read, and what its cards have."""
