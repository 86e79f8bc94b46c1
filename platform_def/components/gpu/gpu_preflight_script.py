"""The shell script that looks at a node: POSIX sh, only reads, and needs no right but to read /proc and /sys.

What a pool promises comes in variables. Each line says ok, note or FAIL; the file `passed` exists while nothing fails.
"""

SCRIPT = r"""#!/bin/sh
# ROOT is for tests: a folder with proc, sys and firmware.
proc="${ROOT:-}/proc" sys="${ROOT:-}/sys" firmware="${FIRMWARE:-/host/firmware}" state="${STATE:-/tmp}"
failed=no
ok() { echo "ok    $*"; }
note() { echo "note  $*"; }
fail() { echo "FAIL  $*"; failed=yes; }

secure_boot() {
  for file in "$firmware"/efi/efivars/SecureBoot-*; do
    [ -r "$file" ] || continue
    [ "$(tail -c 1 "$file" | tr '\001' 1 | tr -cd 1)" = 1 ] && echo on || echo off
    return
  done
  echo unknown
}

driver() {
  [ "${CARDS:-0}" -gt 0 ] || return 0
  boot=$(secure_boot)
  if [ ! -r "$proc/driver/nvidia/version" ]; then
    fail "driver: NVIDIA's kernel module is not loaded"
    [ "$boot" = on ] && note "secure boot is on: the kernel loads signed modules alone, dmesg says 'Key was rejected'"
    grep -q '^nouveau ' "$proc/modules" && fail "driver: nouveau holds the cards, the node settings keep it away"
    return
  fi
  version=$(sed -n 's/^NVRM version:.*  \([0-9][0-9.]*\)  .*/\1/p' "$proc/driver/nvidia/version")
  ok "driver: ${version:-version unknown}, secure boot ${boot}"
  major=${version%%.*}
  if [ -n "${LAST_DRIVER:-}" ] && [ -n "$major" ] && [ "$major" -gt "$LAST_DRIVER" ]; then
    fail "driver: ${MODEL} is served up to R${LAST_DRIVER}, not by R${major}"
  fi
  found=$(ls "$proc/driver/nvidia/gpus" 2>/dev/null | wc -l)
  if [ "$found" -eq "$CARDS" ]; then ok "cards: ${CARDS}"
  else fail "cards: the pool says ${CARDS}, the driver sees ${found}"; fi
}

control_groups() {
  if [ -e "$sys/fs/cgroup/cgroup.controllers" ]; then version=v2; else version=v1; fi
  if [ "$version" = "$CGROUP" ]; then ok "control groups: ${version}"
  else fail "control groups: the stack says ${CGROUP}, the node has ${version}"; fi
}

locked_memory() {
  [ "$RDMA" != none ] || return 0
  limit=${MEMLOCK_FOUND:-$(ulimit -l)}
  if [ "$limit" = unlimited ]; then ok "locked memory: unlimited"
  elif [ "$MEMLOCK" = unlimited ]; then
    fail "locked memory: the pool says memlockUnlimited, containers get ${limit} KiB"
  else note "locked memory: ${limit} KiB, so RDMA works for root with IPC_LOCK alone"; fi
}

fabric() {
  [ "$RDMA" != none ] || return 0
  modules="ib_uverbs rdma_ucm"
  [ "$RDMA" = infiniband ] && modules="$modules ib_umad ib_ipoib"
  for module in $modules; do
    if [ -d "$sys/module/$module" ]; then ok "module: ${module}"
    else fail "module: ${module} is not loaded"; fi
  done
  adapters=$(ls "$sys/class/infiniband" 2>/dev/null | tr '\n' ' ')
  if [ -n "$adapters" ]; then ok "adapters: ${adapters% }"
  else fail "adapters: none in /sys/class/infiniband"; fi
  mode=$(cat "$sys/module/ib_core/parameters/netns_mode" 2>/dev/null)
  [ "$mode" = N ] && fail "RDMA is in the exclusive namespace mode: rdma system set netns shared"
  if [ "${CARDS:-0}" -gt 0 ] && [ ! -d "$sys/module/nvidia_peermem" ]; then
    note "nvidia_peermem is not loaded: GPUDirect works with DMA-BUF alone (open kernel modules, Linux 5.12)"
  fi
}

check() {
  failed=no
  driver
  control_groups
  locked_memory
  fabric
  if [ "$failed" = no ]; then : > "$state/passed"; else rm -f "$state/passed"; fi
}

trap 'exit 0' TERM INT
before=
while :; do
  check > "$state/report" 2>&1
  now=$(cat "$state/report")
  [ "$now" = "$before" ] || { echo "node ${NODE_NAME:-?}, pool ${POOL:-?}"; echo "$now"; }
  before=$now
  [ -z "${ONCE:-}" ] || { [ -e "$state/passed" ]; exit; }
  sleep "${SECONDS_BETWEEN:-300}" &
  wait $!
done
"""
