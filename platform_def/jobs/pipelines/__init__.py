"""The template for compiled packages of Kubeflow Pipelines."""
