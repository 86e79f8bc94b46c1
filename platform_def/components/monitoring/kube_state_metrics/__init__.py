"""kube-state-metrics: what the objects of a cluster say, as metrics."""
