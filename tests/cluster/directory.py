"""A directory of people: Debian's slapd in a sandbox, with people and groups that are made when it starts.

`apt-get install --no-install-recommends slapd`. Only the account that a stack names may search, and it answers by TLS alone.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.cluster.pki import serving
from tests.cluster.sandbox import Sandbox

SLAPD = Path("/usr/sbin/slapd")
MISSING = "slapd of Debian is not installed"
PORT = 636
SCHEMAS = ("core", "cosine", "inetorgperson")


@dataclass
class Directory:
    """The directory of an organisation, whose entries are below `suffix`."""

    suffix: str
    groups: Mapping[str, Sequence[str]]
    """People, by the first part of their address, of each group."""
    domain: str
    folder: Path
    passwords: dict[str, str] = field(default_factory=dict, repr=False)
    """Of every person, and of the account that reads."""

    READER = "reader"

    def start(self, sandbox: Sandbox, host: str) -> None:
        """Fill it and start it, as the server of this name."""
        self.folder.mkdir()
        names = dict.fromkeys((self.READER, *(name for people in self.groups.values() for name in people)))
        self.passwords.update({name: secrets.token_urlsafe(16) for name in names})
        made = serving(self.folder / "pki", [host])
        (self.folder / "entries").mkdir()
        conf, data = self.folder / "slapd.conf", self.folder / "people.ldif"
        conf.write_text("\n".join([*self._settings(made.certificate, made.key, made.authority), ""]))
        data.write_text("\n".join(self._entries()))
        subprocess.run([SLAPD.with_name("slapadd"), "-f", conf, "-l", data], check=True, capture_output=True)
        argv = [str(SLAPD), "-f", str(conf), "-h", f"ldaps://127.0.0.1:{PORT}/", "-d", "0"]
        sandbox.start("slapd", argv, log=self.folder / "slapd.log")

    @property
    def authority(self) -> Path:
        """The certificate of who signed its own."""
        return self.folder / "pki" / "ca.crt"

    def mail(self, name: str) -> str:
        """A person's address."""
        return f"{name}@{self.domain}"

    def login(self, name: str) -> str:
        """What a person types."""
        return name

    def secret(self) -> Mapping[str, str]:
        """What Dex is given for it: the password of the account that reads."""
        return {"password": self.passwords[self.READER]}

    def _settings(self, certificate: Path, key: Path, authority: Path) -> Iterator[str]:
        yield from (f"include /etc/ldap/schema/{each}.schema" for each in SCHEMAS)
        yield f"pidfile {self.folder / 'slapd.pid'}"
        yield f"TLSCertificateFile {certificate}"
        yield f"TLSCertificateKeyFile {key}"
        yield f"TLSCACertificateFile {authority}"
        yield "database ldif"
        yield f'suffix "{self.suffix}"'
        yield f"directory {self.folder / 'entries'}"
        yield "access to attrs=userPassword by anonymous auth by * none"
        yield f'access to * by dn.exact="cn={self.READER},{self.suffix}" read by * none'

    def _entries(self) -> Iterator[str]:
        first = self.suffix.partition(",")[0].partition("=")[2]
        yield f"dn: {self.suffix}\nobjectClass: dcObject\nobjectClass: organization\ndc: {first}\no: {first}\n"
        for unit in ("people", "groups"):
            yield f"dn: ou={unit},{self.suffix}\nobjectClass: organizationalUnit\nou: {unit}\n"
        for name, password in self.passwords.items():
            yield self._person(name, password)
        for group, people in self.groups.items():
            members = "".join(f"member: {self._dn(each)}\n" for each in people)
            yield f"dn: cn={group},ou=groups,{self.suffix}\nobjectClass: groupOfNames\ncn: {group}\n{members}"

    def _person(self, name: str, password: str) -> str:
        hashed = f"userPassword: {_hashed(password)}\n"
        if name == self.READER:
            kinds = "objectClass: organizationalRole\nobjectClass: simpleSecurityObject\n"
            return f"dn: cn={name},{self.suffix}\n{kinds}cn: {name}\n{hashed}"
        lines = f"uid: {name}\ncn: {name.title()}\nsn: {name.title()}\nmail: {self.mail(name)}\n"
        return f"dn: {self._dn(name)}\nobjectClass: inetOrgPerson\n{lines}{hashed}"

    def _dn(self, name: str) -> str:
        return f"uid={name},ou=people,{self.suffix}"


def _hashed(password: str) -> str:
    salt = secrets.token_bytes(8)
    digest = hashlib.sha1(password.encode() + salt, usedforsecurity=False).digest()
    return "{SSHA}" + base64.b64encode(digest + salt).decode()
