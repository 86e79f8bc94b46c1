"""Sealed Secrets: opens Secrets that lie in the repository as ciphertext."""
