"""The page at the door: links to what the stack runs."""
