"""Types of Kueue, and the labels by which jobs name its objects."""

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
"""Names the LocalQueue in which a job waits."""
PRIORITY_LABEL = "kueue.x-k8s.io/priority-class"
"""Names a job's WorkloadPriorityClass."""
