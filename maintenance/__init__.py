"""What maintainers run and users never do: newer versions, English of texts. platformctl imports nothing of it."""
