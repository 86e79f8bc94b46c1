"""Job templates of Volcano."""
