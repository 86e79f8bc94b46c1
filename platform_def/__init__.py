"""A GPU machine-learning platform on Kubernetes, declared in stack files, delivered as plain, checked manifests."""

__version__ = "0.1.0"
