"""What is known of the releases of components: upstream's support, vulnerabilities, and those no longer offered."""
