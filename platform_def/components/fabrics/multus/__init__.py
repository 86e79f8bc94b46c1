"""Multus attaches pods to further networks beside the cluster's own, as their annotation asks."""
