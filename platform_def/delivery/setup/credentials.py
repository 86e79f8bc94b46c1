"""What a person hands an engine so that it may read the repository, as lines of `platformctl bootstrap`.

Commands name files alone: no credential stands on a command line, and none is printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from platform_def.config.cluster import Delivery
from platform_def.config.words.registered import engines
from platform_def.delivery.target import Target

_ARGO_CD = engines()["argocd"].component
_VALUE = "FILE stands for a file elsewhere that holds nothing but the value, without a newline at its end."
_KEY = "a private key as ssh-keygen makes it, without a passphrase"


def for_argocd(to: Target, *, own: bool) -> Iterator[str]:
    """`own`: the stack brings Argo CD, and with it what Argo CD trusts."""
    if to.scheme == "file":
        yield "The repository is a folder: it needs no credentials."
        return
    give = (
        "Give Argo CD the repository's"
        if to.scheme == "ssh"
        else "Unless everybody may read it, give Argo CD the repository's"
    )
    yield f"{give} credentials. They are never committed:"
    yield f"FILE stands for a file elsewhere: {_KEY}." if to.scheme == "ssh" else _VALUE
    yield ""
    keys = "sshPrivateKey=FILE" if to.scheme == "ssh" else "username=FILE --from-file=password=FILE"
    literals = f"--from-literal=type={'oci' if to.scheme == 'oci' else 'git'} --from-literal=url={to.repository}"
    yield f"kubectl -n {to.namespace} create secret generic platform-repository {literals} --from-file={keys}"
    yield f"kubectl -n {to.namespace} label secret platform-repository argocd.argoproj.io/secret-type=repository"
    yield ""
    yield "It holds the address: where `delivery.repository` changes, delete this Secret and create it again."
    yield from _trusted_by_argocd(to, own=own)


def _trusted_by_argocd(to: Target, *, own: bool) -> Iterator[str]:
    host = _host(to)[0]
    if to.scheme == "ssh":
        yield "Argo CD must know the host's key: it is looked up in the ConfigMap argocd-ssh-known-hosts-cm, below"
        yield f"`ssh_known_hosts`. {_scanned(to)}"
        if own:
            yield f"Name it in the stack: `components: {{{_ARGO_CD}: {{knownHosts: [...]}}}}`."
    elif to.scheme in ("https", "oci"):
        yield "Where a private authority signed the host's certificate, Argo CD looks that authority's up in the"
        yield f"ConfigMap argocd-tls-certs-cm, below `{host}`."
        if own:
            yield f"Name it in the stack: `components: {{{_ARGO_CD}: {{certificates: {{{host}: ...}}}}}}`."


def for_flux(to: Target, delivery: Delivery) -> Iterator[str]:
    """The Secrets that the stack names."""
    create = f"kubectl -n {to.namespace} create secret"
    if delivery.secret is None:
        yield "The repository is read without credentials: `delivery.secret` names none."
    else:
        yield "Give Flux the repository's credentials. They are never committed:"
        yield from _read_by_flux(to, f"{create} {{kind}} {delivery.secret}")
    if delivery.ca_secret:
        yield ""
        yield "Give Flux the certificate, in PEM, of the authority that signed the registry's:"
        yield ""
        yield f"{create} generic {delivery.ca_secret} --from-file=ca.crt=FILE"
    elif to.scheme == "oci":
        yield ""
        yield "Where a private authority signed the registry's certificate, name a Secret for it: `delivery.caSecret`."


def _read_by_flux(to: Target, create: str) -> Iterator[str]:
    generic = create.format(kind="generic")
    if to.scheme == "oci":
        yield "FILE stands for a file elsewhere: what `docker login` or `oras login` writes, credentials included."
        yield ""
        yield f"{create.format(kind='docker-registry')} --from-file=.dockerconfigjson=FILE"
    elif to.scheme == "ssh":
        yield f"FILE stands for a file elsewhere: {_KEY};"
        yield f"and lines of known_hosts. {_scanned(to)}"
        yield ""
        yield f"{generic} --from-file=identity=FILE --from-file=known_hosts=FILE"
    else:
        yield _VALUE
        yield ""
        yield f"{generic} --from-file=username=FILE --from-file=password=FILE"
        yield ""
        yield "Where a private authority signed the host's certificate, add that authority's: --from-file=ca.crt=FILE"


def _scanned(to: Target) -> str:
    host, port = _host(to)
    scan = f"ssh-keyscan -p {port} {host}" if port else f"ssh-keyscan {host}"
    return f"`{scan}` prints it: compare it with what its owner publishes."


def _host(to: Target) -> tuple[str, str]:
    """With the port, where the address says one."""
    place = urlsplit(to.url).netloc.rpartition("@")[2]
    found = re.fullmatch(r"\[?(?P<host>.*?)\]?(:(?P<port>\d+))?", place)
    return (found["host"], found["port"] or "") if found else (place, "")
