"""PostgreSQL: a SQL server in the cluster, where components get a database and a user of their own each."""
