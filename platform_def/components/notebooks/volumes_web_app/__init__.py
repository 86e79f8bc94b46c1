"""The page on which people make volumes and look into them."""
