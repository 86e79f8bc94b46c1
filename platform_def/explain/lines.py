"""Text of `explain` that takes a line for each of its parts."""


class Lines(list[str]):
    """Lines of their own; a plain list in JSON."""
