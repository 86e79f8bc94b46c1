"""What can be said of a rendered stack without a cluster: one rule a file, `engine.check` runs them all."""
