"""The output folder: where each object's file goes, what is ours in it, and how it changes whole or not at all."""
