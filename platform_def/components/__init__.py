"""The catalogue: one file or one folder a component, by area. `catalogue.py` lists them."""

GROUP = "platform_def.components"
"""Entry points through which packages bring components of theirs."""
