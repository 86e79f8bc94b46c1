"""Two hundred defects, each put into a stack alone, and what tells of it."""
