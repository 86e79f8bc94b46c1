"""What stands around mpirun and its processes: the first program of each pod of an MPI job, as shell scripts.

mpirun and its daemons leave a process a quarter of a second after SIGTERM (PRRTE 3.0.14, odls_base_default_fns.c), so
neither is told: the scripts tell the processes alone, and wait for their end. And mpirun of Open MPI 5 ends with 0
where it has lost a daemon (errmgr_dvm.c sets no exit status there), so its word is believed only if the containers that
processes began in are still there.
"""

from __future__ import annotations

from collections.abc import Sequence

HOSTS = "/etc/mpi/hostfile"
TELL = "kill -USR1 1"
"""Has a worker tell its processes to end, and stay itself."""
RUN = """\
"$@" &
runs=$! code=127
while heard=; wait "$runs"; found=$?; [ "$found" = 127 ] || code=$found; [ -n "$heard" ]; do :; done
"""
"""Runs the arguments and waits for their end, also where a signal interrupts that: a shell says a code once."""
SERVE = (
    """\
leaves=$1
shift
begun() { grep -qs OMPI_COMM_WORLD_RANK= "/proc/$1/environ"; }
parent() { sed -n 's/^PPid:[^0-9]*//p' "/proc/$1/status" 2> /dev/null; }
processes() {
  for each in /proc/[0-9]*; do
    each=${each#/proc/}
    begun "$each" || continue
    by=$(parent "$each")
    if [ "$by" != 1 ] && ! begun "$by"; then echo "$each"; fi
  done
}
tell() {
  for each in $(processes); do
    case " $told " in *" $each "*) continue ;; esac
    told="$told $each" daemons="$daemons $(parent "$each")"
    kill -TERM "$each" 2> /dev/null
  done
}
leave() {
  while tell; [ -n "$(processes)" ]; do sleep 1; done
  for second in 1 2 3 4 5 6 7 8 9 10; do
    kill -0 $daemons 2> /dev/null || break
    sleep 1
  done
  exit "$leaves"
}
told= daemons=
trap leave TERM
trap 'heard=yes; tell' USR1
"""
    + RUN
    + 'exit "$code"\n'
)
"""Runs its arguments, a worker's server, until it is told to end. Then it hands SIGTERM to those that mpirun's daemon
has started here, to none of their own children, and ends when they have and mpirun has heard of it, with the code that
stands before the arguments."""
START = f"""\
trap 'exit 143' TERM
agent=$1
shift
hosts=$(cut -d " " -f 1 {HOSTS})
everywhere() {{
  words=$1 lacking=0
  set --
  for host in $hosts; do
    $agent "$host" "$words" < /dev/null > /dev/null 2>&1 &
    set -- "$@" $!
    if [ $# = 16 ]; then
      for each; do wait "$each" || lacking=1; done
      set --
    fi
  done
  for each; do wait "$each" || lacking=1; done
  return $lacking
}}
mark="/tmp/.mpirun-$(cat /proc/sys/kernel/random/uuid)-\\$(cut -d ' ' -f 22 /proc/1/stat)"
marked=yes
if ! everywhere ": > $mark"; then
  marked=
  echo "no mark could be left in /tmp of each worker: look at the result if one is lost" >&2
fi
trap 'heard=yes; everywhere "{TELL}"' TERM
{RUN}trap '' TERM
if [ "$code" = 0 ] && [ -n "$marked" ] && ! everywhere "rm $mark"; then
  echo "mpirun ended with 0, and a worker that it began in is gone" >&2
  exit 1
fi
exit "$code"
"""
"""Runs its arguments, mpirun with its own, and before them the words by which a command is run in a worker: each gets a
mark that goes with its container. Told to end, it has all workers tell their processes."""


def served(server: Sequence[str], *, leaves: int) -> list[str]:
    """A worker's command, around its server; `leaves` is the code with which it ends where it was told to."""
    return ["sh", "-c", SERVE, "serve", str(leaves), *server]


def started(agent: str, before: str = "") -> list[str]:
    """The launcher's command, whose arguments are mpirun and its own; `before` runs first."""
    return ["sh", "-c", before + START, "launch", agent]
