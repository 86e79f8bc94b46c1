# The file system of a container: this machine's programs and libraries, an /etc and a /tmp of its own, and its mounts.
# root.sh ROOT MOUNTS FOLDER COMMAND…; MOUNTS holds a line for each: kind, source, target.
set -e
root=$1 mounts=$2 folder=$3
shift 3
mount -t tmpfs -o mode=755 tmpfs "$root"
for path in /*; do
  case $path in /etc | /tmp | /lost+found | /boot) continue ;; esac
  if [ -L "$path" ]; then
    cp -P "$path" "$root$path"
  elif [ -d "$path" ]; then
    mkdir "$root$path"
    mount --rbind "$path" "$root$path"
  fi
done
mkdir "$root/etc" "$root/.etc" "$root/tmp"
chmod 1777 "$root/tmp"
mount --rbind /etc "$root/.etc"
for path in /etc/*; do ln -s "/.etc/${path#/etc/}" "$root$path"; done
rm -f "$root/etc/hosts" "$root/etc/resolv.conf" "$root/etc/nsswitch.conf" "$root/etc/hostname"
while IFS='	' read -r kind source target; do
  mkdir -p "$root$(dirname "$target")"
  case $kind in
    copy) cp -R "$source" "$root$target" ;;
    file) : > "$root$target" && mount --bind "$source" "$root$target" ;;
    memory) mkdir -p "$root$target" && mount -t tmpfs -o "size=$source" tmpfs "$root$target" ;;
    *)
      mkdir -p "$root$target" && mount --bind "$source" "$root$target"
      [ "$kind" = folder ] || mount -o remount,bind,ro "$root$target"
      ;;
  esac
done < "$mounts"
mkdir -p "$root$folder"
exec chroot "$root" /bin/sh -c 'cd "$1" && shift && exec "$@"' sh "$folder" "$@"
