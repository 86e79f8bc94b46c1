"""What reference pages and the JSON Schema of stacks are made from."""
