"""platform_def: a GPU machine-learning platform on Kubernetes, declared in a stack file, delivered as plain manifests."""

__version__ = "0.1.0"
