"""Profiles: namespaces of people and teams, as Kubeflow's dashboard knows them."""
