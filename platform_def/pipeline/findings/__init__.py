"""What checks find in stacks: judged or recalled, waived, and each finding with the place a reader should look at."""
