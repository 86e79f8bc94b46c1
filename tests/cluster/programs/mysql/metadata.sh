# In place of ML Metadata's store: it signs in with the words of its flags, by the one plugin that it knows, and then answers
# at its port as long as nobody asks anything.
set -eu
for word in "$@"; do
  case $word in
    --grpc_port=*) port=${word#*=} ;;
    --mysql_config_host=*) host=${word#*=} ;;
    --mysql_config_port=*) number=${word#*=} ;;
    --mysql_config_database=*) database=${word#*=} ;;
    --mysql_config_user=*) user=${word#*=} ;;
    --mysql_config_password=*) MYSQL_PWD=${word#*=} ;;
  esac
done
export MYSQL_PWD
mysql --no-defaults --default-auth=mysql_native_password --skip-ssl --protocol=TCP --host="$host" --port="$number" \
  --user="$user" --execute='CREATE TABLE IF NOT EXISTS Type (id INT PRIMARY KEY)' "$database"
exec python3 -m http.server "$port" --directory /mnt
