"""What a stack file may say: the models, where each value came from, and the facts that components share."""
