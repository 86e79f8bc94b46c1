"""What the API server, or the client that applies objects, refuses or loses."""
