"""What KServe and Knative refuse or ignore."""
