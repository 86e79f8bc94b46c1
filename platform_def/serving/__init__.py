"""Templates of served models, in the words of jobs: what `serving:` of a stack is made of."""
