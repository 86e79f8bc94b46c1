"""The catalogue: one file or one folder a component, by area. `catalogue.py` lists them."""
