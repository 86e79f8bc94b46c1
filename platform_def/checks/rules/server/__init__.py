"""What the API server, or whoever applies to it, refuses or loses."""
