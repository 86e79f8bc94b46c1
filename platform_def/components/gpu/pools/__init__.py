"""What GPU components derive from the table of pools alike: plugin files, MIG layouts, node labels, who collides."""
