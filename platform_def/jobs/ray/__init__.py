"""Templates of jobs that KubeRay runs."""
