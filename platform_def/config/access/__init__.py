"""How programs show who they are."""
