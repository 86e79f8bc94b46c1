"""A kube-scheduler that fills one node's devices before it takes the next, for jobs."""
