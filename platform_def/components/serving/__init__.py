"""What answers requests with models, and what keeps models: servers, Knative, registries."""
