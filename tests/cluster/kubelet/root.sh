# The file system of a container: this machine's programs and libraries, an /etc, /home, /mnt, /opt, /run, /srv and /tmp of its
# own, and its mounts. root.sh ROOT MOUNTS FOLDER USER COMMAND…; MOUNTS holds a line for each: kind, source, target.
set -e
# As the first process of a namespace this would otherwise not hear of the end before its program is there.
trap 'exit 143' TERM
root=$1 mounts=$2 folder=$3 user=$4
shift 4
mount -t tmpfs -o mode=755 tmpfs "$root"
bind() {
  for path in "$@"; do
    if [ -L "$path" ]; then
      cp -P "$path" "$root$path"
    elif [ -d "$path" ]; then
      mkdir "$root$path"
      mount --rbind "$path" "$root$path"
    fi
  done
}
for path in /*; do
  case $path in /etc | /home | /mnt | /opt | /run | /srv | /tmp | /lost+found | /boot) ;; *) bind "$path" ;; esac
done
mkdir "$root/etc" "$root/.etc" "$root/home" "$root/mnt" "$root/opt" "$root/run" "$root/srv" "$root/tmp" "$root/.machine"
bind /opt/*
chmod 1777 "$root/tmp"
mount --rbind /etc "$root/.etc"
for path in /etc/*; do ln -s "/.etc/${path#/etc/}" "$root$path"; done
rm -f "$root/etc/hosts" "$root/etc/resolv.conf" "$root/etc/nsswitch.conf" "$root/etc/hostname"
while IFS='	' read -r kind source target; do
  # The link at /var/run would lead out of the container while it is being made.
  case $target in /var/run/*) target=${target#/var} ;; esac
  mkdir -p "$root$(dirname "$target")"
  case $kind in
    copy) [ ! -L "$root$target" ] || rm "$root$target" && cp -R "$source" "$root$target" ;;
    file) : > "$root$target" && mount --bind "$source" "$root$target" ;;
    processes) mount -t proc proc "$root$target" ;;
    memory) mkdir -p "$root$target" && mount -t tmpfs -o "size=$source" tmpfs "$root$target" ;;
    *)
      mkdir -p "$root$target" && mount --bind "$source" "$root$target"
      [ "$kind" = folder ] || mount -o remount,bind,ro "$root$target"
      ;;
  esac
done < "$mounts"
mkdir -p "$root$folder"
cd "$root"
PATH="$PATH:/usr/sbin:/sbin" pivot_root . .machine
umount -l /.machine
cd "$folder"
# Another user than root, seen from inside; a changed root would not be allowed a namespace of users.
[ "$user" = 0 ] || set -- unshare --user --map-user="$user" --map-group="$user" -- "$@"
exec "$@"
