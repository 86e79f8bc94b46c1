"""External Secrets: fetches Secrets from a store outside the cluster."""
