"""Katib: what searches for hyperparameters, trial by trial."""
