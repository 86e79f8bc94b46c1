"""Words of stack files that belong to components: what one registers in `words.py` of its folder, a stack may say."""
