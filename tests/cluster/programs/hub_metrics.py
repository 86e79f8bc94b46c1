"""Prints what JupyterHub registers for Prometheus: type and labels of each metric, by name."""

import json

import jupyterhub.metrics  # noqa: F401 - it registers them
from prometheus_client import REGISTRY

found = {each._name: each for each in list(REGISTRY._collector_to_names) if hasattr(each, "_labelnames")}
print(json.dumps({name: [each._type, *each._labelnames] for name, each in found.items()}))
