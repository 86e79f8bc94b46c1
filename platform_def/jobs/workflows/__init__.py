"""Templates over files that lie beside the stack: workflows of Argo's."""
