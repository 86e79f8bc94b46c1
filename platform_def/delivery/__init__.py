"""What a delivery engine is given: the order of a stack's parts, and the Argo CD or Flux objects that keep to it."""
