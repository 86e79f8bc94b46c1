"""What a cluster takes and its owner regrets: security, credentials, images that move."""
