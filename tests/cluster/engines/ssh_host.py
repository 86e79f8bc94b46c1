"""A Git host that is reached by SSH alone: Debian's sshd in the sandbox, with keys that are made when it starts.

It has an account `git`, as Git hosts do, which is sshd's own user: a namespace of users and of mounts makes that so.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.cluster.images import SSHD
from tests.cluster.sandbox import Sandbox

COMMAND = Path(__file__).with_name("git_over_ssh.sh")
KINDS = ("ed25519", "ecdsa")
"""Of the host's keys: a client that knows one of them must not stumble over the other."""
HOST = "127.0.0.1"
USER = 1000
PATH = "team/platform.git"
"""Of the one repository."""


class SshHost:
    """It serves one repository, read-only, at port 22 and at another one."""

    def __init__(self, sandbox: Sandbox, repository: Path, folder: Path) -> None:
        """`repository`: its Git folder, which may come later; `folder`: for keys and settings."""
        self._sandbox, self._folder = sandbox, folder
        folder.mkdir(mode=0o700)
        (self.port,) = sandbox.free_ports(1)
        for kind in (*KINDS, "user", "stranger"):
            _key(folder / kind, kind if kind in KINDS else KINDS[0])
        self.short = f"git@{HOST}:{PATH}"
        """The address as `git clone` takes it too, without a scheme and a port."""
        self.long = f"ssh://git@{HOST}:{self.port}/{PATH}"
        public = (folder / "user.pub").read_text()
        (folder / "authorized").write_text(f'command="sh {COMMAND} {PATH} {repository}",restrict {public}')
        (folder / "passwd").write_text(f"git:x:{USER}:{USER}::{folder}:/bin/sh\n")
        (folder / "settings").write_text(self._settings())
        self._start()

    def key(self, name: str = "user") -> str:
        """The private key of the one who may read, or of a `stranger`."""
        return (self._folder / name).read_text()

    def known(self, name: str = KINDS[0]) -> str:
        """Lines of `known_hosts` with one of its keys, or with a stranger's."""
        public = " ".join((self._folder / f"{name}.pub").read_text().split()[:2])
        return f"{HOST} {public}\n[{HOST}]:{self.port} {public}\n"

    def _settings(self) -> str:
        keys = "".join(f"HostKey {self._folder / kind}\n" for kind in KINDS)
        return (
            f"{keys}AuthorizedKeysFile {self._folder / 'authorized'}\nListenAddress {HOST}:{self.port}\nPidFile none\n"
            "PasswordAuthentication no\nKbdInteractiveAuthentication no\nUsePAM no\nStrictModes no\nPermitUserRC no\n"
        )

    def _start(self) -> None:
        own_user = f"exec unshare --map-user={USER} --map-group={USER} {SSHD} -D -e -f {self._folder / 'settings'}"
        script = f"mount --bind {self._folder / 'passwd'} /etc/passwd && {own_user}"
        argv = ["unshare", "--map-root-user", "--mount", "sh", "-c", script]
        self._sandbox.start("sshd", argv, log=self._folder / "sshd.log")
        self._sandbox.relay(HOST, 22, target=self.port)


def _key(file: Path, kind: str) -> None:
    command = ["ssh-keygen", "-q", "-t", kind, "-N", "", "-C", "", "-f", str(file)]
    subprocess.run(command, check=True, env=dict(os.environ), stdin=subprocess.DEVNULL)
