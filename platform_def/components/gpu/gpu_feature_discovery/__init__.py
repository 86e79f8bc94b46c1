"""GPU feature discovery: labels Nodes with model, memory, driver, MIG layout and sharing of their GPUs."""
