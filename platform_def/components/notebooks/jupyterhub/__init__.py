"""JupyterHub: notebooks for teams, behind any gateway and without a mesh."""
