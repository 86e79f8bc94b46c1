"""Types of Argo CD."""
