"""Components that search: for hyperparameters and architectures."""
