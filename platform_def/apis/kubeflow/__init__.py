"""Types of Kubeflow's operators: jobs, trainer, Katib, pipelines, notebooks, profiles, Spark."""
