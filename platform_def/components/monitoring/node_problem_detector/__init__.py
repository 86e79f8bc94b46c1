"""Node problem detector: what ails a node, as conditions."""
