"""Components that decide when jobs start: queues with quotas, and schedulers that start a job whole."""
