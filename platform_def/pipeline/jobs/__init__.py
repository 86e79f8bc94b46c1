"""Jobs by themselves: those that dist/ still holds, and one rendered alone."""
