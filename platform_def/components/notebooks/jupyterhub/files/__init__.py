"""Programs that run in the hub, from a ConfigMap."""
