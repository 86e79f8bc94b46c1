"""What a person does once, by hand, so that an engine delivers a stack and people use its cluster."""
