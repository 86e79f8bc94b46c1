"""Types of Istio."""
