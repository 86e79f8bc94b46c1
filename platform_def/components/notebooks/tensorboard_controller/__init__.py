"""The controller that runs TensorBoards."""
