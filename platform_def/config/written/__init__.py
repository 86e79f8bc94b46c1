"""Values as files have them: where each came from, what is wrong with it, and what is left without the wrong ones."""
