"""What maintainers run and users never do: it asks the network, and platformctl imports nothing of it."""
