"""What runs in the cluster to make a database and its user, in the words of each server's own client.

Passwords are read from files and reach the client by its input or a file, never by a command line. Each statement may
run any number of times; the user's password becomes what the Secret holds, so running it again is how one is changed.
"""

from __future__ import annotations

from collections.abc import Mapping

_MYSQL = r"""
set -euo pipefail
umask 077
b='\' q="'" d='"'
secret() {
  local value; value=$(<"$1")
  case $value in '' | *[[:cntrl:]]*) echo "$1 is empty, or has characters that no password has" >&2; exit 1 ;; esac
  printf %s "$value"
}
escaped() { local value=${1//"$b"/"$b$b"}; printf %s "${value//"$2"/"$b$2"}"; }
administrator=$(secret /run/secrets/administrator/password)
user=$(secret /run/secrets/user/username)
password=$(secret /run/secrets/user/password)
options=${TMPDIR:-/tmp}/client.cnf
printf '[client]\nuser="%s"\npassword="%s"\n' "$ADMINISTRATOR" "$(escaped "$administrator" "$d")" > "$options"
client=(mysql "--defaults-extra-file=$options" "--host=$HOST" "--port=$PORT" --protocol=TCP --connect-timeout=5 --batch)
if [ "$TLS" = required ]; then client+=(--ssl-mode=REQUIRED); fi
for try in {1..60}; do
  "${client[@]}" --execute='SELECT 1' > /dev/null && break
  if [ "$try" = 60 ]; then echo "$HOST:$PORT does not let us in" >&2; exit 1; fi
  sleep 5
done
user=$(escaped "$user" "$q") password=$(escaped "$password" "$q")
"${client[@]}" << SQL
SET SESSION sql_mode = '';
CREATE DATABASE IF NOT EXISTS \`$DATABASE\` CHARACTER SET utf8mb4;
CREATE USER IF NOT EXISTS '$user'@'%' IDENTIFIED BY '$password';
ALTER USER '$user'@'%' IDENTIFIED BY '$password';
GRANT ALL PRIVILEGES ON \`${DATABASE//_/"${b}_"}\`.* TO '$user'@'%';
SQL
echo "the database $DATABASE is there, with its user"
"""

_POSTGRESQL = r"""
set -eu
PGPASSWORD=$(cat /run/secrets/administrator/password)
PGHOST=$HOST PGPORT=$PORT PGUSER=$ADMINISTRATOR PGDATABASE=postgres PGCONNECT_TIMEOUT=5
if [ "$TLS" = required ]; then export PGSSLMODE=require; fi
export PGPASSWORD PGHOST PGPORT PGUSER PGDATABASE PGCONNECT_TIMEOUT
tries=60
until psql -Xqc 'SELECT 1' > /dev/null; do
  tries=$((tries - 1))
  if [ "$tries" = 0 ]; then echo "$HOST:$PORT does not let us in" >&2; exit 1; fi
  sleep 5
done
psql -Xq -v ON_ERROR_STOP=1 << 'SQL'
\getenv database DATABASE
\set user `cat /run/secrets/user/username`
\set password `cat /run/secrets/user/password`
SELECT format('CREATE ROLE %I', :'user') WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'user') \gexec
SELECT format('ALTER ROLE %I LOGIN PASSWORD %L', :'user', :'password') \gexec
SELECT format('CREATE DATABASE %I OWNER %I', :'database', :'user')
  WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database') \gexec
SQL
echo "the database $DATABASE is there, with its user"
"""

PROGRAMS: Mapping[str, tuple[str, ...]] = {
    "mysql": ("bash", "-c", _MYSQL.lstrip()),
    "postgresql": ("sh", "-c", _POSTGRESQL.lstrip()),
}
"""The command of a container, by engine."""


def program(engine: str, plugin: str = "") -> tuple[str, ...]:
    """The command for an engine, where the user says who it is by `plugin`, of MySQL's.

    MariaDB takes the text for a comment, and has that plugin for its default.
    """
    made = PROGRAMS[engine]
    if not plugin:
        return made
    return tuple(each.replace("IDENTIFIED BY", f"IDENTIFIED /*!80000 WITH {plugin} */ BY") for each in made)
