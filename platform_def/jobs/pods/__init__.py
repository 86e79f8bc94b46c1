"""Parts of a job's pod that every template has: volumes, variables, companions, and as whom it runs."""
