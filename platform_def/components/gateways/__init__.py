"""How traffic enters the platform, and the certificates that it travels under."""
