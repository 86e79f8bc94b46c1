"""What a cluster takes and its owner regrets: security and credentials."""
