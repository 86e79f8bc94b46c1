"""What a run changes against what was delivered before: updates that are refused, and objects that are recreated."""
