"""The tests, by what they need; see CONTRIBUTING."""
