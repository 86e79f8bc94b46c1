"""The people of the cluster: teams and their namespaces."""
