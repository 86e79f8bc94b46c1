"""The catalogue: one file a component, by area. `catalogue.py` lists them."""
