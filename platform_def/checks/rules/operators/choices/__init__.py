"""What is chosen by name, and where the names stand: a module an operator."""
