"""external-dns: records of the stack's hosts."""
