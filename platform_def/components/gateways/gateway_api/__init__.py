"""Gateway API: the kinds in which routes are written for whichever controller serves them; nothing of its own runs."""
