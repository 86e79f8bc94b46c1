"""The stacks of this repository as rendered from the present files: each state is rendered once, for all tests and runs."""
