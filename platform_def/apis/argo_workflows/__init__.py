"""Types of Argo Workflows."""
