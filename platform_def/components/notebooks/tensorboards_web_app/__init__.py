"""The page on which people start TensorBoards."""
