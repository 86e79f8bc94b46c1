"""People that Dex itself knows: each with a password of the run, of which a Secret holds the bcrypt hash."""

from __future__ import annotations

import ctypes
import secrets
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

ALPHABET = f"./{string.ascii_letters}{string.digits}"
COST = "10"


@dataclass
class LocalUsers:
    """The users of a stack's `localUsers`, which the test names by the first part of their addresses."""

    groups: Mapping[str, Sequence[str]]
    domain: str
    passwords: dict[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        """Make their passwords."""
        names = dict.fromkeys(name for people in self.groups.values() for name in people)
        self.passwords.update({name: secrets.token_urlsafe(16) for name in names})

    def mail(self, name: str) -> str:
        """A person's address."""
        return f"{name}@{self.domain}"

    def login(self, name: str) -> str:
        """What a person types."""
        return self.mail(name)

    def secret(self) -> Mapping[str, str]:
        """The hashes of their passwords, by person."""
        return {name: _hashed(password) for name, password in self.passwords.items()}

    def stack(self) -> str:
        """The users as a stack names them."""
        of = {name: [group for group, people in self.groups.items() if name in people] for name in self.passwords}
        return ", ".join(
            f"{{email: {self.mail(name)}, groups: [{', '.join(groups)}], hashKey: {name}}}"
            for name, groups in of.items()
        )


def _hashed(password: str) -> str:
    """By the C library's crypt, which Python has no module for from 3.13 on."""
    crypt = ctypes.CDLL("libcrypt.so.1").crypt
    crypt.restype, crypt.argtypes = ctypes.c_char_p, (ctypes.c_char_p, ctypes.c_char_p)
    salt = "".join(secrets.choice(ALPHABET) for _ in range(22))
    made: bytes | None = crypt(password.encode(), f"$2b${COST}${salt}".encode())
    assert made is not None, "the C library knows no bcrypt"
    assert made.startswith(b"$2b$"), "the C library knows no bcrypt"
    return made.decode()
