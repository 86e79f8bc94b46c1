"""The shell script that looks at a node: POSIX sh, only reads, and needs no right but to read /proc and /sys.

What a pool promises comes in variables. Each line says ok, note or FAIL; the file `passed` exists while nothing fails.
"""

SCRIPT = r"""#!/bin/sh
# ROOT is for tests: a folder with proc, sys and firmware.
proc="${ROOT:-}/proc" sys="${ROOT:-}/sys" firmware="${FIRMWARE:-/host/firmware}" state="${STATE:-/tmp}"
driver_files="${DRIVER_FILES:-/host/driver}"
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
  libraries
}

libraries() {
  [ -n "${LIBRARIES:-}" ] || return 0
  for name in libcuda.so.1 libnvidia-ml.so.1; do
    if [ -e "$driver_files/lib64/$name" ] || [ -e "$driver_files/lib/$name" ]; then ok "library: ${name}"
    else fail "library: ${name} is in neither lib64 nor lib of ${LIBRARIES}"; fi
  done
  if [ -e "$driver_files/lib64/libc.so.6" ] || [ -e "$driver_files/lib/libc.so.6" ]; then
    fail "library: ${LIBRARIES} holds the node's C library too, which containers would take for theirs"
  fi
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
  mode=$(cat "$sys/module/ib_core/parameters/netns_mode" 2>/dev/null)
  if [ "${NETNS:-shared}" = exclusive ]; then
    # A pod sees no adapter of the node then, so they are not looked for.
    [ "$mode" = Y ] && fail "RDMA is in the shared namespace mode: rdma system set netns exclusive"
  else
    adapters=$(ls "$sys/class/infiniband" 2>/dev/null | tr '\n' ' ')
    if [ -n "$adapters" ]; then ok "adapters: ${adapters% }"
    else fail "adapters: none in /sys/class/infiniband"; fi
    [ "$mode" = N ] && fail "RDMA is in the exclusive namespace mode: rdma system set netns shared"
  fi
  functions
  if [ "${CARDS:-0}" -gt 0 ] && [ ! -d "$sys/module/nvidia_peermem" ]; then
    note "nvidia_peermem is not loaded: GPUDirect works with DMA-BUF alone (open kernel modules, Linux 5.12)"
  fi
}

functions() {
  [ "${PORTS:-0}" -gt 0 ] || return 0
  having=0
  for file in "$sys"/bus/pci/devices/*/sriov_numvfs; do
    [ -r "$file" ] && [ "$(cat "$file")" -ge "$FUNCTIONS" ] && having=$((having + 1))
  done
  if [ "$having" -ge "$PORTS" ]; then ok "virtual functions: ${having} ports with ${FUNCTIONS} or more"
  else fail "virtual functions: the pool says ${FUNCTIONS} on ${PORTS} ports, ${having} have as many"; fi
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
