"""KServe's models web app: InferenceServices in the browser."""
