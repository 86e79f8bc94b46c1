# What the entry point of PostgreSQL's image does: make a data folder with the administrator's password once, and serve with
# the words of the container.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb --username=postgres --pwfile="$POSTGRES_PASSWORD_FILE" --auth-host=scram-sha-256 $POSTGRES_INITDB_ARGS
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
fi
exec postgres -c listen_addresses='*' "$@"
