"""A real etcd and kube-apiserver, started and stopped by the tests; `snapshots.py` starts them with CRDs already there.

No controller runs: objects are checked, stored and served, and nothing acts on them.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from tests.cluster import pki
from tests.cluster.client import Api, UnreachableError
from tests.cluster.sandbox import Sandbox

START_SECONDS = 180.0
POLL_SECONDS = 0.05
ETCD_QUOTA_BYTES = 2 << 30
BLOCK_BYTES = 1 << 16

# Loopback addresses: a call to a Service without a backend is refused at once instead of leaving the machine.
SERVICE_ADDRESSES, SERVICE_ADDRESSES_V6 = "127.64.0.0/16", "fd00:64::/108"
"""Services get an address of the first family; those that ask for both families, as clusters with both give them, get one of each."""


class StartError(Exception):
    """A server ended or did not become ready; the text holds the end of its log."""


class ControlPlane:
    """One etcd and one kube-apiserver in a sandbox; a context, started on entry and gone on exit."""

    def __init__(
        self,
        binaries: Mapping[str, Path],
        *,
        data: Path | None = None,
        flags: tuple[str, ...] = (),
        sandbox: Sandbox | None = None,
    ) -> None:
        """`data` is an etcd data folder to start from (it is copied); `flags` are added to kube-apiserver's,
        or take the place of those of the same name."""
        self._binaries = binaries
        self._flags = flags
        # Not pytest's tmp_path: a Unix socket's path may have no more than 107 bytes.
        self.folder = Path(tempfile.mkdtemp(prefix="platform-def-cluster-"))
        self.data = self.folder / "etcd"
        if data is not None:
            copy_data(data, self.data)
        self.sandbox = sandbox or Sandbox()
        self.sandbox.remove(self.folder)
        self.pki = pki.create(self.folder / "pki")
        self._etcd = 0
        self.port = 0
        """Where kube-apiserver listens, on the sandbox's loopback, once it runs."""
        self.api = Api(self.folder / "api.sock", authority=self.pki.authority, token=self.pki.token)

    def __enter__(self) -> ControlPlane:
        try:
            self._start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def stop_etcd_cleanly(self) -> Path:
        """Stop both servers in order and return etcd's data folder, ready to be copied."""
        self.api.close()
        self.sandbox.stop("kube-apiserver")
        code = self.sandbox.stop("etcd")
        assert code in (0, -15), f"etcd ended with {code}\n{self.logs()}"
        return self.data

    def kill_api_server(self) -> None:
        """End kube-apiserver without warning; etcd stays."""
        self.api.close()
        self.sandbox.stop("kube-apiserver", seconds=0)

    def restart_api_server(self, *, flags: tuple[str, ...] = ()) -> None:
        """Start it again at the same port, and wait until it is ready; `flags` take the place of those of the same name."""
        given = {each.partition("=")[0] for each in flags}
        self._flags = (*(each for each in self._flags if each.partition("=")[0] not in given), *flags)
        self._run_api_server()
        until(self.is_ready, seconds=START_SECONDS, what="kube-apiserver is ready again")

    def logs(self, *, lines: int = 40) -> str:
        """The last lines of each server's log."""
        return "\n".join(f"--- {log.name}\n{_tail(log, lines)}" for log in sorted(self.folder.glob("*.log")))

    @contextmanager
    def explaining(self) -> Iterator[None]:
        """What goes wrong in here is told with all logs."""
        try:
            yield
        except (TimeoutError, AssertionError) as error:
            raise AssertionError(f"{error}\n{self.logs()}") from error

    def close(self) -> None:
        """Kill what runs and remove the folder."""
        self.api.close()
        self.sandbox.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _start(self) -> None:
        self._etcd, peer, self.port = self.sandbox.free_ports(3)
        self._run("etcd", _etcd_flags(self.data, client=self._etcd, peer=peer))
        self._run_api_server()
        self.sandbox.forward(self.api.socket, port=self.port)
        until(self.is_ready, seconds=START_SECONDS, what="kube-apiserver is ready")

    def _run_api_server(self) -> None:
        given = {each.partition("=")[0] for each in self._flags}
        usual = _api_server_flags(self.pki, etcd=self._etcd, port=self.port)
        self._run("kube-apiserver", [*(each for each in usual if each.partition("=")[0] not in given), *self._flags])

    def _run(self, name: str, flags: list[str]) -> None:
        self.sandbox.start(name, [str(self._binaries[name]), *flags], log=self.folder / f"{name}.log")

    def is_ready(self) -> bool:
        """Whether kube-apiserver answers; StartError when a server has ended."""
        ended = self.sandbox.ended()
        if ended:
            raise StartError(f"ended by itself: {ended}\n{self.logs()}")
        try:
            return self.api.get("/readyz").status == 200
        except UnreachableError:
            return False


def copy_data(source: Path, target: Path) -> None:
    """Copy an etcd data folder without the zeros that etcd lays out beforehand, which are nearly all of it."""
    shutil.copytree(source, target, copy_function=_copy_sparse)


def _copy_sparse(source: str, target: str) -> None:
    with Path(source).open("rb") as old, Path(target).open("wb") as new:
        while block := old.read(BLOCK_BYTES):
            if block.count(0) == len(block):
                new.seek(len(block), os.SEEK_CUR)
            else:
                new.write(block)
        new.truncate()


def until(condition: Callable[[], bool], *, seconds: float, what: str, every: float = POLL_SECONDS) -> None:
    """Ask again and again until the condition holds; TimeoutError says `what` did not come true."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {seconds:g} s: {what}")
        time.sleep(every)


def _etcd_flags(data: Path, *, client: int, peer: int) -> list[str]:
    urls = {"client": f"http://127.0.0.1:{client}", "peer": f"http://127.0.0.1:{peer}"}
    return [
        f"--data-dir={data}",
        f"--listen-client-urls={urls['client']}",
        f"--advertise-client-urls={urls['client']}",
        f"--listen-peer-urls={urls['peer']}",
        f"--initial-advertise-peer-urls={urls['peer']}",
        f"--initial-cluster=default={urls['peer']}",
        f"--quota-backend-bytes={ETCD_QUOTA_BYTES}",
        "--unsafe-no-fsync",
        "--log-level=warn",
    ]


def _api_server_flags(files: pki.Pki, *, etcd: int, port: int) -> list[str]:
    return [
        f"--etcd-servers=http://127.0.0.1:{etcd}",
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        f"--secure-port={port}",
        # Loopback is no valid endpoint address.
        "--endpoint-reconciler-type=none",
        f"--service-cluster-ip-range={SERVICE_ADDRESSES},{SERVICE_ADDRESSES_V6}",
        f"--tls-cert-file={files.certificate}",
        f"--tls-private-key-file={files.key}",
        f"--token-auth-file={files.tokens}",
        "--anonymous-auth=false",
        "--authorization-mode=RBAC",
        # As kubeadm and all others have it; drivers and device plugins are privileged.
        "--allow-privileged=true",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={files.service_accounts}",
        f"--service-account-signing-key-file={files.service_accounts}",
        "--enable-priority-and-fairness=false",
        "--max-requests-inflight=1000",
        "--max-mutating-requests-inflight=500",
    ]


def _tail(log: Path, lines: int) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
