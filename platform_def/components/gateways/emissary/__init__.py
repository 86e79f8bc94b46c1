"""Emissary, Ambassador's successor."""
