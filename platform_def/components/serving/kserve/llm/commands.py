"""How vLLM is started in KServe's presets.

KServe reads a preset as a Go template over its JSON: what stands in braces may hold no double quote. A service's own
arguments come last, so that they win; `VLLM_ADDITIONAL_ARGS` is read as a shell does. KServe adds adapters to the
arguments as JSON that it quotes for a shell.
"""

from __future__ import annotations

from dataclasses import dataclass

NAME = "{{ .Spec.Model.Name }}"
PUBLISHED = "publishers/{{ .ObjectMeta.Namespace }}/models/{{ .Spec.Model.Name }}"
TLS = "/var/run/kserve/tls"
SLEEP_SECONDS = 15
"""What a pod waits before it stops, for gateways to forget it."""
_BEGIN = """set -e
version=$(vllm --version 2>/dev/null | tail -n 1 | awk '{print $NF}')
since() { [ "$(printf '%s\\n' "$1" "$version" | sort -V | head -n 1)" = "$1" ]; }
"""
_ADDRESS = """until address=$(getent hosts "$LWS_LEADER_ADDRESS" | cut -d ' ' -f 1) && [ -n "$address" ]; do
  sleep 1
done
"""
_UNQUOTED = """for word in "$@"; do
  shift
  case $word in \\'{*}\\') word=${word#?} word=${word%?} ;; esac
  set -- "$@" "$word"
done
"""
_END = """eval "set -- $VLLM_ADDITIONAL_ARGS \\"\\$@\\""
exec vllm serve /mnt/models {arguments} "$@"
"""


@dataclass(frozen=True, kw_only=True)
class Start:
    """One way to start the server."""

    port: int = 8000
    part: str = ".Spec"
    """Where the service says how a replica is spread: `.Spec`, or `.Spec.Prefill` for pods that read prompts."""
    pod: str = ".Spec.Template"
    """The pod whose time to stop counts."""
    published: bool = True
    """It answers to the name that routes by model use as well."""
    spread: bool = False
    """A replica is several pods that share its requests."""
    stages: bool = False
    """A replica is several pods that share its layers."""
    follows: bool = False
    """Not the first of these pods: it has no interface of its own."""

    def script(self) -> str:
        """The start command."""
        guarded = self.part != ".Spec"
        grace = _guarded(self.part, f"{{{{ shutdownTimeout {self.pod} {SLEEP_SECONDS} }}}}", "30", guarded=guarded)
        offload = _guarded(self.part, f"{{{{ kvTransferConfig {self.part}.KVCacheOffloading }}}}", "", guarded=guarded)
        lines = [
            _BEGIN,
            _UNQUOTED,
            _ADDRESS if self.spread or self.stages else "",
            'if since 0.16.0; then set -- --disable-access-log-for-endpoints /health,/metrics,/ping "$@"\n',
            'else set -- --disable-uvicorn-access-log "$@"; fi\n',
            f'if since 0.18.0; then set -- --shutdown-timeout {grace} "$@"; fi\n',
            f'offload="{offload}"\n',
            'if [ -n "$offload" ] && since 0.22.0; then eval "set -- $offload \\"\\$@\\""; fi\n',
            _END.replace("{arguments}", " ".join(self._arguments())),
        ]
        return "".join(lines)

    def _arguments(self) -> list[str]:
        names = f'"{NAME}" "{PUBLISHED}"' if self.published else f'"{NAME}"'
        files = f"--enable-ssl-refresh --ssl-certfile {TLS}/tls.crt --ssl-keyfile {TLS}/tls.key"
        return [
            f"--served-model-name {names}",
            f"--port {self.port}",
            *(self._spread() if self.spread else self._stages() if self.stages else [self._tensor()]),
            f"{{{{ if .GlobalConfig.EnableTLS }}}}{files}{{{{ end }}}}",
        ]

    def _tensor(self) -> str:
        spread = f"{self.part}.Parallelism"
        there = f"and {self.part} {spread} {spread}.Tensor"
        return f"{{{{ if {there} }}}}--tensor-parallel-size {{{{ {spread}.Tensor }}}}{{{{ end }}}}"

    def _stages(self) -> list[str]:
        """vLLM's own processes meet at the first pod's address, without Ray."""
        stages = f"{{{{ or {self.part}.Parallelism.Pipeline 1 }}}}"
        return [
            self._tensor(),
            f"--pipeline-parallel-size {stages}",
            "--distributed-executor-backend mp",
            f"--nnodes {stages}",
            '--node-rank "${LWS_WORKER_INDEX:-0}"',
            '--master-addr "$address"',
            *(["--headless"] if self.follows else []),
        ]

    def _spread(self) -> list[str]:
        spread = f"{self.part}.Parallelism"
        local = f"{{{{ or {spread}.DataLocal 1 }}}}"
        first = f"$((${{LWS_WORKER_INDEX:-0}} * {local}))" if self.follows else "0"
        return [
            f"{{{{ if {spread}.Expert }}}}--enable-expert-parallel{{{{ end }}}}",
            f"{{{{ if {spread}.Tensor }}}}--tensor-parallel-size {{{{ {spread}.Tensor }}}}{{{{ end }}}}",
            f"--data-parallel-size {{{{ or {spread}.Data 1 }}}}",
            f"--data-parallel-size-local {local}",
            '--data-parallel-address "$address"',
            f"--data-parallel-rpc-port {{{{ or {spread}.DataRPCPort 5555 }}}}",
            f'--data-parallel-start-rank "{first}"',
            "--headless" if self.follows else '--api-server-count "${VLLM_API_SERVER_COUNT:-8}"',
        ]


def _guarded(part: str, text: str, otherwise: str, *, guarded: bool) -> str:
    """Text that reads a part of a service which may not be there."""
    return f"{{{{ if {part} }}}}{text}{{{{ else }}}}{otherwise}{{{{ end }}}}" if guarded else text
