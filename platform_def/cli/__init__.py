"""The command line: one module a command. The only place that prints, and that turns errors into exit codes."""
