"""Many stacks in one run: each worked by itself, and only where what it is made of or what it left has changed."""
