"""Building: tasks, the processes that share them, and results kept by content."""
