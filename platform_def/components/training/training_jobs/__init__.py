"""The page of training jobs: what people may see of them, in a browser."""
