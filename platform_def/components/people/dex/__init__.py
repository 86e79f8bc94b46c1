"""Dex: the stack's own OpenID Connect issuer."""
