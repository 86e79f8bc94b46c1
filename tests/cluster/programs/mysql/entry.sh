# What the entry point of MySQL's image does, with Debian's MariaDB: make a data folder with root's password once, and serve.
# Words of MySQL's that MariaDB has not are left out.
set -eu
folder=/var/lib/mysql
words=
for word in "$@"; do
  case $word in
    --datadir=*) folder=${word#*=} ;;
    --disable-log-bin | --mysqlx=* | --temptable-max-ram=* | --mysql-native-password=*) ;;
    *) words="$words $word" ;;
  esac
done
if [ ! -d "$folder/mysql" ]; then
  mariadb-install-db --no-defaults --datadir="$folder" --auth-root-authentication-method=normal --skip-test-db > /dev/null
  password=$(cat "$MYSQL_ROOT_PASSWORD_FILE")
  cat > /tmp/first.sql << SQL
DELETE FROM mysql.global_priv WHERE User = '' OR (User = 'root' AND Host <> 'localhost');
FLUSH PRIVILEGES;
ALTER USER root@localhost IDENTIFIED BY '$password';
CREATE USER root@'%' IDENTIFIED BY '$password';
GRANT ALL PRIVILEGES ON *.* TO root@'%' WITH GRANT OPTION;
SQL
  words="$words --init-file=/tmp/first.sql"
fi
# By address: the door of a Service at the same port shuts the whole of it to who binds all addresses.
exec mariadbd --no-defaults --datadir="$folder" --socket=/tmp/mysqld.sock --bind-address="127.0.0.1,$(hostname -i)" $words
