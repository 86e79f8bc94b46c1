"""What a stack means: its components and jobs validated, and the facts that these share."""
