"""Kubeflow Trainer v2: its controller, and the runtimes that TrainJobs name."""
