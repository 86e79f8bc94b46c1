"""Types of the scheduler plugins of Kubernetes' SIG Scheduling."""
