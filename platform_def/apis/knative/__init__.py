"""Types of Knative."""
