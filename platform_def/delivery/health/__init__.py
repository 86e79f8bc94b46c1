"""When the objects of a stack are ready, in the language of either engine."""
