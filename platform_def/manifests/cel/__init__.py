"""CEL as Kubernetes understands it: what an expression may say, whether it compiles, and what it makes of an object.

Google's own implementation (`cel-expr-python`) parses, checks and evaluates; what Kubernetes adds to the language
stands here. Everything is imported when the first expression is met: most objects have none.
"""
