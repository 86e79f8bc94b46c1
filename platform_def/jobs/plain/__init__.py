"""Job templates that need no operator: plain Jobs."""
