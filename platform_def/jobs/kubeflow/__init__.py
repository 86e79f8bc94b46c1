"""Job templates that an operator of Kubeflow runs."""
