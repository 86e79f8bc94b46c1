# Fetches versions of models from the stack's object store: `fetch.sh SECONDS FOLDER…`, once where SECONDS is 0.
# A version is a folder with a number. It is moved to its place when it is whole, because the server loads what it sees.
set -eu
every="$1"
shift
fetch() {
  mkdir -p "$MODELS/$1"
  versions="$(rclone lsf --dirs-only "store:$BUCKET/$1/")"
  for version in $versions; do
    version="${version%/}"
    case "$version" in *[!0-9]*) continue ;; esac
    [ ! -e "$MODELS/$1/$version" ] || continue
    rm -rf "$MODELS/.next"
    rclone copy "store:$BUCKET/$1/$version" "$MODELS/.next"
    mv "$MODELS/.next" "$MODELS/$1/$version"
    echo "$1: version $version is there"
  done
}
for folder in "$@"; do fetch "$folder"; done
while [ "$every" -gt 0 ]; do
  sleep "$every"
  for folder in "$@"; do (fetch "$folder") || echo "$folder: the store does not answer" >&2; done
done
