"""The rules, by what they are about."""
