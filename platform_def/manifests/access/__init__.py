"""Who may do what, by roles, and reach whom, by network policies."""
